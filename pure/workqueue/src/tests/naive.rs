//! The queue as one would write it in a minute; ours must do the same.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::{Backoff, Millis, Priority, Taken, Ticket, WorkQueue};

/// All of it by walking along lists.
#[derive(Default)]
struct Naive {
    /// Who waits or is to come again, in the order in which they came.
    dirty: Vec<(u8, Priority)>,
    /// Since when workers have them.
    taken: Vec<(u8, Millis)>,
    later: Vec<(Millis, u8, Priority)>,
    failures: Vec<u8>,
    draining: bool,
}

impl Naive {
    fn add(&mut self, key: u8, priority: Priority) {
        if self.draining {
            return;
        }
        match self.dirty.iter().position(|(other, _)| *other == key) {
            Some(at) if self.dirty[at].1 < priority => {
                self.dirty.remove(at);
                self.dirty.push((key, priority));
            }
            Some(_) => {}
            None => self.dirty.push((key, priority)),
        }
    }

    fn add_at(&mut self, key: u8, due: Millis, priority: Priority) {
        if self.draining {
            return;
        }
        match self.later.iter_mut().find(|(_, other, _)| *other == key) {
            Some(later) => *later = (later.0.min(due), key, later.2.max(priority)),
            None => self.later.push((due, key, priority)),
        }
    }

    fn wake(&mut self, now: Millis) {
        loop {
            let due = self.later.iter().filter(|(due, _, _)| *due <= now).min_by_key(|(due, _, _)| *due);
            let Some(&(_, key, priority)) = due else { return };
            self.later.retain(|(_, other, _)| *other != key);
            self.add(key, priority);
        }
    }

    fn take(&mut self, now: Millis) -> Option<u8> {
        self.wake(now);
        let free = |key: &u8| !self.has(*key);
        let highest = self.dirty.iter().filter(|(key, _)| free(key)).map(|(_, priority)| *priority).max()?;
        let at = self.dirty.iter().position(|(key, priority)| free(key) && *priority == highest)?;
        let (key, _) = self.dirty.remove(at);
        self.taken.push((key, now));
        Some(key)
    }

    /// Who is given back and dirty comes behind all others.
    fn give_back(&mut self, key: u8) {
        self.taken.retain(|(other, _)| *other != key);
        if let Some(at) = self.dirty.iter().position(|(other, _)| *other == key) {
            let again = self.dirty.remove(at);
            self.dirty.push(again);
        }
    }

    /// Whether a worker has it.
    fn has(&self, key: u8) -> bool {
        self.taken.iter().any(|(other, _)| *other == key)
    }

    fn count(&self, key: u8) -> u32 {
        self.failures.iter().filter(|other| **other == key).count() as u32
    }
}

#[derive(Clone, Debug)]
enum Event {
    Add(u8, Priority),
    AddAt(u8, u64, Priority),
    Pass(u64),
    Take,
    Done(usize),
    PutBack(usize),
    Failed(usize),
    Drain,
}

fn event() -> impl Strategy<Value = Event> {
    let key = || 0..6_u8;
    let priority = || prop::sample::select(&Priority::ALL[..]);
    prop_oneof![
        6 => (key(), priority()).prop_map(|(key, priority)| Event::Add(key, priority)),
        3 => (key(), 0..60_u64, priority()).prop_map(|(key, rest, priority)| Event::AddAt(key, rest, priority)),
        3 => (0..30_u64).prop_map(Event::Pass),
        6 => Just(Event::Take),
        4 => any::<usize>().prop_map(Event::Done),
        1 => any::<usize>().prop_map(Event::PutBack),
        2 => any::<usize>().prop_map(Event::Failed),
        1 => Just(Event::Drain),
    ]
}

const BACKOFF: Backoff = Backoff { first: Millis(7_000), most: Millis(50_000) };

/// Both queues, and who works.
#[derive(Default)]
struct Both {
    ours: WorkQueue<u8>,
    naive: Naive,
    now: Millis,
    /// No two keys come at the same moment: nobody says which of them would be first.
    moments: u64,
    working: Vec<(u8, Ticket)>,
}

impl Both {
    fn happen(&mut self, event: &Event) {
        match event {
            Event::Add(key, priority) => {
                self.ours.add(key, *priority, self.now);
                self.naive.add(*key, *priority);
            }
            Event::AddAt(key, rest, priority) => {
                let due = self.moment().plus(Millis(rest * 1_000));
                self.ours.add_at(key, due, *priority);
                self.naive.add_at(*key, due, *priority);
            }
            Event::Pass(time) => self.now = self.now.plus(Millis(time * 1_000)),
            Event::Take => {
                let (ours, naive) = (self.ours.take(self.now), self.naive.take(self.now));
                assert_eq!(ours.as_ref().map(|taken| taken.key), naive);
                self.working.extend(ours.map(|Taken { key, ticket, .. }| (key, ticket)));
            }
            Event::Drain => {
                self.ours.drain();
                self.naive.draining = true;
                self.naive.later.clear();
            }
            Event::Done(_) | Event::PutBack(_) | Event::Failed(_) => self.give_back(event),
        }
    }

    /// About now, and at no moment that was another's: time passes in whole seconds.
    fn moment(&mut self) -> Millis {
        self.moments += 1;
        self.now.plus(Millis(self.moments))
    }

    fn give_back(&mut self, event: &Event) {
        let (Event::Done(who) | Event::PutBack(who) | Event::Failed(who)) = event else { return };
        if self.working.is_empty() {
            return;
        }
        let (key, ticket) = self.working.remove(who % self.working.len());
        match event {
            Event::Done(_) => {
                self.ours.done(ticket, self.now);
                self.naive.failures.retain(|other| *other != key);
            }
            Event::PutBack(_) => {
                self.ours.put_back(ticket, self.now);
            }
            _ => {
                let now = self.moment();
                self.ours.failed(ticket, &BACKOFF, 0, now);
                self.naive.failures.push(key);
                let due = now.plus(BACKOFF.rest(self.naive.count(key), 0));
                self.naive.add_at(key, due, Priority::Change);
            }
        }
        self.naive.give_back(key);
    }

    fn agree(&self) {
        for key in 0..6 {
            if !self.naive.draining {
                assert_eq!(self.ours.about(&key).failures, self.naive.count(key));
            }
        }
        let due = self.naive.later.iter().map(|(due, _, _)| *due).min();
        assert_eq!(self.ours.next_due(), due);
        let waits = self.naive.dirty.iter().filter(|(key, _)| !self.naive.has(*key)).count();
        let counts = self.ours.counts(self.now);
        assert_eq!(counts.depth, waits);
        let took = self.naive.taken.iter().map(|(_, since)| self.now.since(*since));
        assert_eq!(counts.longest, took.clone().max().unwrap_or_default());
        assert_eq!(counts.unfinished, took.fold(Millis(0), Millis::plus));
        let ended = self.naive.draining && waits == 0 && self.naive.taken.is_empty();
        assert_eq!(self.ours.is_drained(), ended);
        let held: Vec<u8> = self.working.iter().map(|(key, _)| *key).collect();
        assert_eq!(held.iter().collect::<std::collections::BTreeSet<_>>().len(), held.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn it_does_what_a_naive_one_does(events in vec(event(), 0..80), seed in any::<(u64, u64)>()) {
        let mut both = Both { ours: WorkQueue::seeded(seed), ..Both::default() };
        for event in &events {
            both.happen(event);
            both.agree();
        }
    }
}
