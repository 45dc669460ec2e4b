//! What is, and what reads show of it: for a while after a change they show what was.

use std::time::{Duration, Instant};

/// How long reads show what was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lag {
    /// Not at all.
    #[default]
    None,
    /// For so many reads of each thing that has changed.
    Reads(u32),
    /// For so long.
    Time(Duration),
}

/// A thing, with its past.
#[derive(Debug)]
pub(super) struct Slot<T> {
    truth: Option<T>,
    past: Option<T>,
    lag: Lag,
    changed: Instant,
}

impl<T: Clone> Slot<T> {
    /// A place with nothing in it.
    pub(super) fn empty() -> Slot<T> {
        Slot { truth: None, past: None, lag: Lag::None, changed: Instant::now() }
    }

    /// What is.
    pub(super) fn truth(&self) -> Option<&T> {
        self.truth.as_ref()
    }

    /// Changes what is.
    pub(super) fn set(&mut self, truth: Option<T>, lag: Lag) {
        // What is shown until then stays shown: a second change hides the first.
        if !self.is_stale() {
            self.past = self.truth.take();
        }
        (self.truth, self.lag, self.changed) = (truth, lag, Instant::now());
    }

    /// What a read shows.
    pub(super) fn read(&mut self) -> Option<&T> {
        let is_stale = self.is_stale();
        if let Lag::Reads(left) = &mut self.lag {
            *left = left.saturating_sub(1);
        }
        if is_stale { self.past.as_ref() } else { self.truth.as_ref() }
    }

    fn is_stale(&self) -> bool {
        match self.lag {
            Lag::None => false,
            Lag::Reads(left) => left > 0,
            Lag::Time(time) => self.changed.elapsed() < time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_show_what_was_until_they_have_been_enough() {
        let mut slot = Slot::empty();
        slot.set(Some(1), Lag::Reads(2));
        assert_eq!(slot.truth(), Some(&1));
        assert_eq!(slot.read(), None);
        slot.set(Some(2), Lag::Reads(1));
        assert_eq!(slot.read(), None);
        assert_eq!(slot.read(), Some(&2));
        slot.set(None, Lag::Reads(1));
        assert_eq!(slot.read(), Some(&2));
        assert_eq!(slot.read(), None);
    }
}
