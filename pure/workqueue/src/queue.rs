//! The queue.

use std::collections::BTreeSet;
use std::hash::Hash;

use crate::entry::Entry;
use crate::index::Index;
use crate::lanes::{Lane, Lanes, Place};
use crate::{Backoff, Millis, Priority};

/// The work queue: see the crate.
#[derive(Clone, Debug)]
pub struct WorkQueue<K> {
    index: Index,
    entries: Vec<Entry<K>>,
    lanes: Lanes,
    /// Who comes later, by when.
    later: BTreeSet<(Millis, Place)>,
    /// Whom workers have: as many as there are workers, at most, so that a walk along them costs nothing, however many keys are
    /// known.
    taken: Vec<Place>,
    draining: bool,
    adds: u64,
    retries: u64,
}

/// What became of a key that was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It waits.
    Queued,
    /// It waited already, or comes already, with no less priority and no later.
    Known,
    /// A worker has it: it waits when that is done.
    Again,
    /// The queue is being drained.
    Refused,
}

/// A key that a worker has. Only who has it can say that it is done.
#[derive(PartialEq, Eq, Debug)]
pub struct Ticket(Place);

/// A key, for a worker.
#[derive(PartialEq, Eq, Debug)]
pub struct Taken<K> {
    /// Which.
    pub key: K,
    /// To be given back.
    pub ticket: Ticket,
    /// How long it has waited.
    pub waited: Millis,
}

/// What is known of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// It waits; if a worker has it, it will when that is done.
    pub dirty: Option<Priority>,
    /// A worker has it.
    pub is_taken: bool,
    /// It comes then.
    pub due: Option<(Millis, Priority)>,
    /// How often it has failed in a row.
    pub failures: u32,
}

/// What is told of a queue: client-go's metrics have these names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// `workqueue_depth`
    pub depth: usize,
    /// `workqueue_adds_total`
    pub adds: u64,
    /// `workqueue_retries_total`
    pub retries: u64,
    /// `workqueue_unfinished_work_seconds`, summed over all workers
    pub unfinished: Millis,
    /// `workqueue_longest_running_processor_seconds`
    pub longest: Millis,
}

impl<K: Eq + Hash + Clone> Default for WorkQueue<K> {
    fn default() -> Self {
        WorkQueue::new()
    }
}

impl<K: Eq + Hash + Clone> WorkQueue<K> {
    /// A queue with nothing in it, for keys that nobody chooses in order to do harm.
    pub fn new() -> WorkQueue<K> {
        WorkQueue::seeded((0, 0))
    }

    /// A queue with nothing in it.
    ///
    /// Keys are found by their hash. Who knows the seed can choose keys that are slow to find, and nothing else depends on
    /// it: where keys are names that users give, it is a random number of the caller's.
    pub fn seeded(seed: (u64, u64)) -> WorkQueue<K> {
        WorkQueue {
            index: Index::new(seed),
            entries: Vec::new(),
            lanes: Lanes::new(),
            later: BTreeSet::new(),
            taken: Vec::new(),
            draining: false,
            adds: 0,
            retries: 0,
        }
    }

    /// Something may have to be done about a key.
    pub fn add(&mut self, key: &K, priority: Priority, now: Millis) -> Added {
        if self.draining {
            return Added::Refused;
        }
        let place = self.place(key);
        self.dirty(place, priority, now)
    }

    /// Something may have to be done about a key, and not before `due`.
    ///
    /// Of two times the earlier counts, and of two priorities the higher.
    pub fn add_at(&mut self, key: &K, due: Millis, priority: Priority) -> Added {
        if self.draining {
            return Added::Refused;
        }
        let place = self.place(key);
        self.come_at(place, due, priority)
    }

    /// When there will be something to take, if nobody adds anything and nothing is there now.
    pub fn next_due(&self) -> Option<Millis> {
        self.later.first().map(|(due, _)| *due)
    }

    /// Takes the next key.
    pub fn take(&mut self, now: Millis) -> Option<Taken<K>> {
        self.wake(now);
        let place = self.lanes.pop(&mut self.entries)?;
        let entry = &mut self.entries[place as usize];
        entry.dirty = None;
        entry.is_taken = true;
        entry.taken_since = now;
        self.taken.push(place);
        let waited = now.since(entry.dirty_since);
        Some(Taken { key: entry.key.clone(), ticket: Ticket(place), waited })
    }

    /// A worker is done with a key, and all is well: its failures are forgotten. How long it took is told.
    pub fn done(&mut self, ticket: Ticket, now: Millis) -> Millis {
        self.entries[ticket.0 as usize].failures = 0;
        self.give_back(ticket.0, now)
    }

    /// A worker is done with a key, and nothing is well or wrong: its failures stay as they are.
    pub fn put_back(&mut self, ticket: Ticket, now: Millis) -> Millis {
        self.give_back(ticket.0, now)
    }

    /// A worker has failed on a key: it comes again after a rest. How long it took is told.
    pub fn failed(&mut self, ticket: Ticket, backoff: &Backoff, jitter: u16, now: Millis) -> Millis {
        let place = ticket.0;
        let entry = &mut self.entries[place as usize];
        entry.failures = entry.failures.saturating_add(1);
        let due = now.plus(backoff.rest(entry.failures, jitter));
        self.retries += 1;
        self.come_at(place, due, Priority::Change);
        self.give_back(place, now)
    }

    /// Nothing is added any more, and what would come later does not come. What waits is still to be taken.
    pub fn drain(&mut self) {
        self.draining = true;
        for (_, place) in std::mem::take(&mut self.later) {
            self.entries[place as usize].later = None;
            self.release(place);
        }
    }

    /// Whether it is drained, and all that was added is done.
    pub fn is_drained(&self) -> bool {
        self.draining && self.lanes.waiting() == 0 && self.taken.is_empty()
    }

    /// What is told of it.
    pub fn counts(&self, now: Millis) -> Counts {
        let mut counts = Counts {
            depth: self.lanes.waiting(),
            adds: self.adds,
            retries: self.retries,
            ..Counts::default()
        };
        for place in &self.taken {
            let took = now.since(self.entries[*place as usize].taken_since);
            counts.unfinished = counts.unfinished.plus(took);
            counts.longest = counts.longest.max(took);
        }
        counts
    }

    /// Who waits, in the order in which they are taken.
    pub fn waiting(&self) -> impl Iterator<Item = &K> {
        self.lanes.iter(&self.entries).map(|entry| &entry.key)
    }

    /// What is known of a key.
    pub fn about(&self, key: &K) -> About {
        let place = self.index.find(&self.entries, key, self.index.hash(key));
        let Some(entry) = place.map(|place| &self.entries[place as usize]) else {
            return About::default();
        };
        let (dirty, is_taken, failures) = (entry.dirty, entry.is_taken, entry.failures);
        About { dirty, is_taken, due: entry.due(), failures }
    }

    /// For how many keys there is room, and how many can be found.
    #[cfg(test)]
    pub(crate) fn room(&self) -> (usize, usize) {
        (self.entries.len(), self.index.len())
    }

    /// What was to come later, and is to come now, waits.
    pub fn wake(&mut self, now: Millis) {
        while let Some((due, place)) = self.later.first().copied().filter(|(due, _)| *due <= now) {
            self.later.remove(&(due, place));
            if let Some(priority) = self.entries[place as usize].later.take() {
                self.dirty(place, priority, due);
            }
        }
    }

    /// A key comes later.
    fn come_at(&mut self, place: Place, due: Millis, priority: Priority) -> Added {
        if self.draining {
            return Added::Refused;
        }
        let entry = &mut self.entries[place as usize];
        let (due, priority) = match entry.due() {
            Some((earlier, higher)) if earlier <= due && higher >= priority => return Added::Known,
            Some((other, before)) => {
                self.later.remove(&(other, place));
                (due.min(other), priority.max(before))
            }
            None => (due, priority),
        };
        entry.due = due;
        entry.later = Some(priority);
        self.later.insert((due, place));
        Added::Queued
    }

    /// A key is to be taken.
    fn dirty(&mut self, place: Place, priority: Priority, since: Millis) -> Added {
        let entry = &mut self.entries[place as usize];
        match entry.dirty {
            Some(before) if before >= priority => return Added::Known,
            Some(before) => {
                // It goes where the higher ones wait, behind them; and it has waited since it came.
                entry.dirty = Some(priority);
                if !entry.is_taken {
                    self.lanes.remove(&mut self.entries, place, Lane::Waiting(before));
                    self.lanes.push(&mut self.entries, place, Lane::Waiting(priority));
                }
                return Added::Known;
            }
            None => {
                entry.dirty = Some(priority);
                entry.dirty_since = since;
            }
        }
        self.adds += 1;
        if entry.is_taken {
            return Added::Again;
        }
        self.lanes.push(&mut self.entries, place, Lane::Waiting(priority));
        Added::Queued
    }

    fn give_back(&mut self, place: Place, now: Millis) -> Millis {
        let entry = &mut self.entries[place as usize];
        let took = now.since(entry.taken_since);
        entry.is_taken = false;
        self.taken.retain(|taken| *taken != place);
        match entry.dirty {
            Some(priority) => self.lanes.push(&mut self.entries, place, Lane::Waiting(priority)),
            None => self.release(place),
        }
        took
    }

    /// The place of a key, which may be new. Something is about to be known of it.
    fn place(&mut self, key: &K) -> Place {
        let hash = self.index.hash(key);
        if let Some(place) = self.index.find(&self.entries, key, hash) {
            if self.entries[place as usize].is_idle() {
                self.lanes.remove(&mut self.entries, place, Lane::Idle);
            }
            return place;
        }
        let entry = Entry::new(key.clone());
        let place = match self.lanes.pop_from(&mut self.entries, Lane::Idle) {
            Some(place) => {
                self.index.remove(&self.entries, place);
                self.entries[place as usize] = entry;
                place
            }
            None => {
                let place =
                    Place::try_from(self.entries.len()).unwrap_or_else(|_| unreachable!("so many keys"));
                self.entries.push(entry);
                place
            }
        };
        self.index.insert(&self.entries, place, hash);
        place
    }

    /// A key of which nothing is to be known keeps its place until another key needs one: most come again.
    fn release(&mut self, place: Place) {
        let entry = &mut self.entries[place as usize];
        if entry.is_at_rest() && (entry.failures == 0 || self.draining) {
            entry.failures = 0;
            self.lanes.push(&mut self.entries, place, Lane::Idle);
        }
    }
}
