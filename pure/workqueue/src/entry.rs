//! What is known of a key.

use crate::lanes::Link;
use crate::{Millis, Priority};

/// A key, and what is known of it. If that is nothing, its place waits for another key.
///
/// A time stands beside what it is the time of, and means nothing without that: so an entry with a short key fits into a
/// line of the processor's cache, and waiting for these lines is most of what a queue of many keys costs.
#[derive(Clone, Debug)]
pub(crate) struct Entry<K> {
    pub(crate) key: K,
    pub(crate) link: Link,
    /// In a row.
    pub(crate) failures: u32,
    /// It is to be taken; if a worker has it, again.
    pub(crate) dirty: Option<Priority>,
    pub(crate) dirty_since: Millis,
    /// A worker has it.
    pub(crate) is_taken: bool,
    pub(crate) taken_since: Millis,
    /// It comes later.
    pub(crate) later: Option<Priority>,
    pub(crate) due: Millis,
}

impl<K> Entry<K> {
    /// A key of which nothing is known.
    pub(crate) fn new(key: K) -> Entry<K> {
        Entry {
            key,
            link: Link::default(),
            failures: 0,
            dirty: None,
            dirty_since: Millis(0),
            is_taken: false,
            taken_since: Millis(0),
            later: None,
            due: Millis(0),
        }
    }

    /// When it comes, if it comes later.
    pub(crate) fn due(&self) -> Option<(Millis, Priority)> {
        self.later.map(|priority| (self.due, priority))
    }

    /// Nobody waits for it, has it, or expects it.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.dirty.is_none() && !self.is_taken && self.later.is_none()
    }

    /// Nothing is known of it.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_at_rest() && self.failures == 0
    }
}
