//! Who waits, in order: a lane for each priority, and one for the places that are free. Whoever is in one leaves it without
//! a walk along it.

use crate::Priority;
use crate::entry::Entry;

/// A place among the entries.
pub(crate) type Place = u32;

/// Before the first and after the last.
const END: Place = Place::MAX;

/// Who is before and behind an entry, in the lane that it is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    before: Place,
    behind: Place,
}

impl Default for Link {
    fn default() -> Link {
        Link { before: END, behind: END }
    }
}

/// Where an entry can be. It is in one lane at most.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lane {
    /// It waits.
    Waiting(Priority),
    /// Nothing is known of it.
    Idle,
}

impl Lane {
    const COUNT: usize = Priority::ALL.len() + 1;

    fn at(self) -> usize {
        match self {
            Lane::Waiting(priority) => priority as usize,
            Lane::Idle => Priority::ALL.len(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: Place,
    last: Place,
}

/// The lanes. What is in them is in the entries, which are given with every call.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    ends: [Ends; Lane::COUNT],
    waiting: usize,
}

impl Lanes {
    pub(crate) fn new() -> Lanes {
        Lanes { ends: [Ends { first: END, last: END }; Lane::COUNT], waiting: 0 }
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Puts a place, which is in no lane, at the end of one.
    pub(crate) fn push<K>(&mut self, entries: &mut [Entry<K>], place: Place, lane: Lane) {
        let ends = &mut self.ends[lane.at()];
        entries[place as usize].link = Link { before: ends.last, behind: END };
        match ends.last {
            END => ends.first = place,
            last => entries[last as usize].link.behind = place,
        }
        ends.last = place;
        self.waiting += usize::from(matches!(lane, Lane::Waiting(_)));
    }

    /// Takes a place out of the lane that it is in.
    pub(crate) fn remove<K>(&mut self, entries: &mut [Entry<K>], place: Place, lane: Lane) {
        let Link { before, behind } = entries[place as usize].link;
        let ends = &mut self.ends[lane.at()];
        match before {
            END => ends.first = behind,
            before => entries[before as usize].link.behind = behind,
        }
        match behind {
            END => ends.last = before,
            behind => entries[behind as usize].link.before = before,
        }
        self.waiting -= usize::from(matches!(lane, Lane::Waiting(_)));
    }

    /// Takes out who waits first in the highest lane that is not empty.
    pub(crate) fn pop<K>(&mut self, entries: &mut [Entry<K>]) -> Option<Place> {
        let mut lanes = Priority::ALL.into_iter().rev().map(Lane::Waiting);
        lanes.find_map(|lane| self.pop_from(entries, lane))
    }

    /// Takes out who is first in a lane.
    pub(crate) fn pop_from<K>(&mut self, entries: &mut [Entry<K>], lane: Lane) -> Option<Place> {
        let first = self.ends[lane.at()].first;
        (first != END).then(|| {
            self.remove(entries, first, lane);
            first
        })
    }

    /// Who waits, in the order in which they are taken.
    pub(crate) fn iter<'a, K>(&'a self, entries: &'a [Entry<K>]) -> impl Iterator<Item = &'a Entry<K>> {
        let entry = |place: Place| (place != END).then(|| &entries[place as usize]);
        Priority::ALL.into_iter().rev().flat_map(move |priority| {
            let first = entry(self.ends[Lane::Waiting(priority).at()].first);
            std::iter::successors(first, move |before| entry(before.link.behind))
        })
    }
}
