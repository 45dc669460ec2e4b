//! The work queue of all controllers.
//!
//! Whoever learns that something may have to be done about a key adds it; workers take keys, one at a time, and say when
//! they are done. Between the two the queue promises:
//!
//! - no key is with two workers;
//! - a key that was added is taken after that, and so is one that was added while a worker had it;
//! - of two keys of one priority, the one that came first is taken first, and the higher priority goes before the lower;
//! - a key that is to come later comes when its time has come, and not before;
//! - who drains the queue sees it end: what was added is done, and nothing is added any more.
//!
//! It knows no clock: time is an argument. It waits for nobody: [`WorkQueue::next_due`] says when to ask again. Its model
//! is `bowline check workqueue`.

mod backoff;
mod entry;
mod index;
mod lanes;
mod queue;
#[cfg(test)]
mod tests;

pub use backoff::Backoff;
pub use queue::{About, Added, Counts, Taken, Ticket, WorkQueue};

/// A moment, or a time between two, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

impl Millis {
    /// The time since `earlier`; none if that was later.
    #[must_use]
    pub fn since(self, earlier: Millis) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment so much later.
    #[must_use]
    pub fn plus(self, time: Millis) -> Millis {
        Millis(self.0.saturating_add(time.0))
    }
}

/// What goes before what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Priority {
    /// Looked at again because time has passed: nothing is known to have changed.
    Resync,
    /// Something has changed.
    Change,
    /// A person has changed something, and waits.
    Person,
}

impl Priority {
    /// All, the lowest first.
    pub const ALL: [Priority; 3] = [Priority::Resync, Priority::Change, Priority::Person];
}
