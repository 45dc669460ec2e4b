//! Who waits, in order: a lane for each priority. Whoever is in one leaves it without a walk along it.

use crate::Priority;

/// A place in the lanes; what is kept there is somebody else's business.
pub(crate) type Place = u32;

/// Before the first and after the last.
const END: Place = Place::MAX;

/// Who is before and behind a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Link {
    before: Place,
    behind: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lane {
    first: Place,
    last: Place,
}

/// The lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lanes {
    links: Vec<Link>,
    lanes: [Lane; Priority::ALL.len()],
    len: usize,
}

impl Lanes {
    pub(crate) fn new() -> Lanes {
        Lanes { links: Vec::new(), lanes: [Lane { first: END, last: END }; Priority::ALL.len()], len: 0 }
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts a place, which is in no lane, at the end of one.
    pub(crate) fn push(&mut self, place: Place, priority: Priority) {
        let at = place as usize;
        if self.links.len() <= at {
            self.links.resize(at + 1, Link { before: END, behind: END });
        }
        let lane = &mut self.lanes[priority as usize];
        self.links[at] = Link { before: lane.last, behind: END };
        match lane.last {
            END => lane.first = place,
            last => self.links[last as usize].behind = place,
        }
        lane.last = place;
        self.len += 1;
    }

    /// Takes a place out of the lane that it is in.
    pub(crate) fn remove(&mut self, place: Place, priority: Priority) {
        let Link { before, behind } = self.links[place as usize];
        let lane = &mut self.lanes[priority as usize];
        match before {
            END => lane.first = behind,
            before => self.links[before as usize].behind = behind,
        }
        match behind {
            END => lane.last = before,
            behind => self.links[behind as usize].before = before,
        }
        self.len -= 1;
    }

    /// Takes out who is first in the highest lane that is not empty.
    pub(crate) fn pop(&mut self) -> Option<Place> {
        let priority =
            Priority::ALL.into_iter().rev().find(|lane| self.lanes[*lane as usize].first != END)?;
        let first = self.lanes[priority as usize].first;
        self.remove(first, priority);
        Some(first)
    }

    /// Who waits, in the order in which they are taken.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Place> + '_ {
        let next = |place: Place| (place != END).then_some(place);
        let lanes = Priority::ALL.into_iter().rev();
        lanes.flat_map(move |lane| {
            let first = next(self.lanes[lane as usize].first);
            std::iter::successors(first, move |place| next(self.links[*place as usize].behind))
        })
    }
}
