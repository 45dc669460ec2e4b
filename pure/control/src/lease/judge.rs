//! Which leases have lapsed, by the look of all of them together.

use std::collections::BTreeMap;

use super::Settings;
use crate::Millis;
use crate::object::Version;

/// Judges all leases of a hub, by its own clock.
///
/// One who does not see leases renewed may be cut off itself. So a lapse is judged only some time after it, the
/// `window`; and if by then more than half of the leases have lapsed, nobody is judged, and the hub is suspect. That ends when
/// those that are left have been renewed twice since, or a person says so.
///
/// Leases that are cut off at one moment lapse within the time after which they are renewed. The window is as long as the
/// longest of these, or the first are judged before the last have lapsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judge<K> {
    /// Nobody is judged before that: one full lease after the start.
    pub begins: Millis,
    /// What lapses within this time lapses together.
    pub window: Millis,
    /// The leases that are held, or were.
    pub leases: BTreeMap<K, Known>,
    /// Whether it suspects itself.
    pub suspicion: Option<Suspicion>,
}

/// What is known of a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its version.
    pub version: Version,
    /// Since when it has been that.
    pub since: Millis,
    /// After so long without a change it has lapsed.
    pub term: Millis,
    /// How often it was renewed in the present suspicion, since it was silent last.
    pub renewals: u32,
    /// It was judged, and has not been renewed after that.
    pub judged: bool,
}

/// The hub suspects itself: nothing is judged to have lapsed, nothing is taken away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspicion {
    /// Since when.
    pub since: Millis,
    /// How many leases had lapsed together.
    pub lapsed: usize,
    /// Of how many.
    pub of: usize,
}

/// What is to be told of a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lapse {
    /// It is renewed.
    None,
    /// It is not renewed, and that is not judged: it is too early, or the hub is suspect.
    Open,
    /// It has lapsed.
    Judged,
}

/// So often are leases renewed until the hub trusts itself again.
const RENEWALS: u32 = 2;

impl Known {
    fn is_silent(&self, now: Millis) -> bool {
        self.since.plus(self.term) <= now
    }
}

impl<K: Clone + Ord> Judge<K> {
    /// A judge that starts now, on leases with these settings.
    pub fn new(settings: &Settings, now: Millis) -> Judge<K> {
        Judge {
            begins: now.plus(settings.term()),
            window: settings.renew(),
            leases: BTreeMap::new(),
            suspicion: None,
        }
    }

    /// Sees a lease that is held, at a version. Whoever lapsed and is renewed has not lapsed any more.
    pub fn see(&mut self, key: K, version: Version, term: Millis, now: Millis) {
        let new = Known { version, since: now, term, renewals: 0, judged: false };
        let known = self.leases.entry(key).or_insert(new);
        if known.version != version {
            // Who was silent again counts anew: once more there was something in between.
            let before = if known.is_silent(now) { 0 } else { known.renewals };
            *known = Known { renewals: before.saturating_add(1), ..new };
        }
    }

    /// Forgets a lease that was given back, or is gone: that is no lapse.
    pub fn forget(&mut self, key: &K) {
        self.leases.remove(key);
    }

    /// Judges what has lapsed, and whether that is to be believed. To be called when something was seen, and at
    /// [`Judge::next_due`].
    pub fn judge(&mut self, now: Millis) {
        if now < self.begins {
            return;
        }
        let open = || self.leases.values().filter(|known| !known.judged);
        let (of, lapsed) = (open().count(), open().filter(|known| known.is_silent(now)).count());
        let a_window_ago = Millis(now.0.saturating_sub(self.window.0));
        if self.suspicion.is_some() {
            let mut left = open().filter(|known| !known.is_silent(a_window_ago)).peekable();
            // If none is left, nothing speaks for the hub; nor do those that have lapsed just now.
            let renewed = |known: &Known| known.renewals >= RENEWALS && !known.is_silent(now);
            if left.peek().is_some() && left.all(renewed) {
                self.trust(now);
            }
        } else if lapsed * 2 > of {
            self.suspicion = Some(Suspicion { since: now, lapsed, of });
            self.leases.values_mut().for_each(|known| known.renewals = 0);
        } else {
            self.leases.values_mut().for_each(|known| known.judged |= known.is_silent(a_window_ago));
        }
    }

    /// Ends a suspicion, because a person says so. What has lapsed by now is judged: if it were not, it would be
    /// suspect again.
    pub fn trust(&mut self, now: Millis) {
        if self.suspicion.take().is_some() {
            self.leases.values_mut().for_each(|known| known.judged |= known.is_silent(now));
        }
    }

    /// What is to be told of a lease.
    pub fn lapse(&self, key: &K, now: Millis) -> Lapse {
        match self.leases.get(key) {
            Some(known) if known.judged => Lapse::Judged,
            Some(known) if known.is_silent(now) => Lapse::Open,
            _ => Lapse::None,
        }
    }

    /// When it is to be judged again, if nothing is seen before.
    pub fn next_due(&self, now: Millis) -> Option<Millis> {
        let times = self.leases.values().filter(|known| !known.judged).flat_map(|known| {
            let lapses = known.since.plus(known.term);
            [lapses, lapses.plus(self.window)]
        });
        let next = times.map(|time| time.max(self.begins)).filter(|time| *time > now).min();
        next.filter(|_| self.suspicion.is_none())
    }
}
