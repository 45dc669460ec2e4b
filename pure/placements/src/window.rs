//! When what runs somewhere may be taken from there.

use std::fmt;

use bowline_control::Millis;

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60;

/// Some hours of some days. All times are UTC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// The days on which it opens, a bit for each from Monday on; if there is none, every day.
    pub days: u8,
    /// How many minutes after midnight it opens.
    pub opens: u16,
    /// How many minutes it stays open: a day at most, also over midnight.
    pub minutes: u16,
}

/// When a window opens next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opening {
    /// How long it is until then.
    pub after: Millis,
    /// The day, from Monday on.
    pub day: u8,
    /// How many minutes after midnight.
    pub minute: u16,
}

/// The day of the week, from Monday on, of a day since 1970, which began on a Thursday.
fn weekday(day: u64) -> u8 {
    ((day + 3) % 7) as u8
}

impl Window {
    fn is_of(&self, day: u64) -> bool {
        self.days == 0 || self.days >> weekday(day) & 1 == 1
    }

    /// When it opens next, by the clock on the wall; `None` if it is open.
    pub fn next(&self, wall: Millis) -> Option<Opening> {
        let today = wall.0 / MINUTE / DAY;
        let opens = |day: u64| (day * DAY + u64::from(self.opens)) * MINUTE;
        let shuts = |day: u64| opens(day) + u64::from(self.minutes) * MINUTE;
        let is_open = |day: u64| self.is_of(day) && opens(day) <= wall.0 && wall.0 < shuts(day);
        // One that has opened yesterday may be open, and one of long before is not.
        if (today.saturating_sub(1)..=today).any(is_open) {
            return None;
        }
        let next =
            (today..=today + 7).find(|day| self.is_of(*day) && opens(*day) > wall.0).unwrap_or(today + 1);
        let after = Millis(opens(next).saturating_sub(wall.0));
        Some(Opening { after, day: weekday(next), minute: self.opens })
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAYS: [&str; 7] =
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        let day = DAYS[usize::from(self.day % 7)];
        write!(f, "{day} at {:02}:{:02} UTC", self.minute / 60, self.minute % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many days, hours and minutes after a Thursday began.
    fn at(days: u64, hours: u64, minutes: u64) -> Millis {
        Millis((days * DAY + hours * 60 + minutes) * MINUTE)
    }

    fn next(window: Window, wall: Millis) -> Option<String> {
        window.next(wall).map(|opening| format!("{opening}, after {} min", opening.after.0 / MINUTE))
    }

    #[test]
    fn it_is_open_from_its_first_minute_to_the_one_after_its_last() {
        let window = Window { days: 0, opens: 22 * 60, minutes: 120 };
        assert_eq!(next(window, at(0, 21, 59)).as_deref(), Some("Thursday at 22:00 UTC, after 1 min"));
        assert_eq!(next(window, at(0, 22, 0)), None);
        assert_eq!(next(window, at(0, 23, 59)), None);
        assert_eq!(next(window, at(1, 0, 0)).as_deref(), Some("Friday at 22:00 UTC, after 1320 min"));
    }

    #[test]
    fn one_that_goes_over_midnight_belongs_to_the_day_on_which_it_opens() {
        let saturdays = Window { days: 1 << 5, opens: 23 * 60 + 30, minutes: 60 };
        assert_eq!(next(saturdays, at(2, 0, 10)).as_deref(), Some("Saturday at 23:30 UTC, after 1400 min"));
        assert_eq!(next(saturdays, at(3, 0, 29)), None, "it is Sunday, and it has opened on Saturday");
        assert_eq!(
            next(saturdays, at(3, 0, 30)).as_deref(),
            Some("Saturday at 23:30 UTC, after 10020 min"),
            "that is nearly a week"
        );
        assert_eq!(next(saturdays, at(1, 0, 10)).as_deref(), Some("Saturday at 23:30 UTC, after 2840 min"));
    }

    #[test]
    fn a_day_is_a_whole_day() {
        let whole = Window { days: 0, opens: 60, minutes: DAY as u16 };
        assert!((0..48).all(|hour| next(whole, at(5, hour, 0)).is_none()));
        let mondays = Window { days: 1, opens: 0, minutes: DAY as u16 };
        assert_eq!(next(mondays, at(4, 23, 59)), None);
        assert_eq!(next(mondays, at(5, 0, 0)).as_deref(), Some("Monday at 00:00 UTC, after 8640 min"));
    }

    #[test]
    fn before_it_has_opened_for_the_first_time_it_is_shut() {
        let window = Window { days: 1 << 4, opens: 0, minutes: 1 };
        assert_eq!(next(window, Millis(0)).as_deref(), Some("Friday at 00:00 UTC, after 1440 min"));
    }
}
