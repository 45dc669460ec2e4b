//! Times as people read them.

use bowline_control::{Millis, Moment};

/// A time on the wall, in whole seconds, as Kubernetes writes it.
pub(crate) fn written(wall: Millis) -> String {
    let seconds = i64::try_from(wall.0 / 1_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// A time that was written.
pub(crate) fn parsed(text: &str) -> Option<Millis> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok().map(Millis)
}

/// Seconds, as milliseconds.
pub(crate) fn seconds(seconds: i64) -> Millis {
    Millis(u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000))
}

/// When a time on the wall will be, by the clock that queues go by.
pub(crate) fn by_the_clock(wall: Millis, now: Moment) -> Millis {
    now.clock.plus(wall.since(now.wall))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        let time = Millis(1_700_000_000_000);
        assert_eq!(written(time), "2023-11-14T22:13:20Z");
        assert_eq!(parsed(&written(time)), Some(time));
        assert_eq!(parsed("yesterday"), None);
    }
}
