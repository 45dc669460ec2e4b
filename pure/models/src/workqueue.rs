//! The work queue of all controllers: keys are added by whoever learns something, taken and given back by workers, come
//! later, and are drained.
//!
//! The shipped queue is made of the state for every step, and what becomes of it is made a state again. Beside it stands
//! what the queue owes to whom, and in which order: that is what it is judged by.

mod actions;
mod expected;
#[cfg(test)]
pub(crate) mod mutants;
mod properties;
mod state;

use bowline_explorer::{Class, Field, Model, Property};
use bowline_workqueue::{Priority, Ticket, WorkQueue};

pub(crate) use self::expected::EXPECTED;
use self::state::{KEYS, State, WORKERS};
use crate::catalogue::{Catalogued, Entry, Size, number};

pub(crate) const WORKQUEUE: Entry = Entry {
    name: "workqueue",
    about: "the work queue of all controllers: workers, priorities, delays, drain",
    sizes: &[
        number("keys", "how many keys there are", 3, (1, KEYS as u32)),
        number("workers", "how many work", 2, (1, WORKERS as u32)),
        number("adds", "how often something is added", 5, (1, 8)),
        number("fails", "how often a worker fails", 2, (0, 4)),
        number("priorities", "how many priorities they have", 3, (1, 3)),
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Queue::new(size, &SHIPPED))),
};

/// How a queue works. Mutants do it otherwise.
pub(crate) struct Rules {
    /// Does something with the queue; the key that was taken, or that will come.
    act: fn(&mut WorkQueue<u8>, Act) -> Option<u8>,
    /// A worker gives its key back, and has failed on it or not.
    give_back: fn(&mut WorkQueue<u8>, Ticket, failed: bool),
    /// Whether the queue has ended.
    has_ended: fn(&WorkQueue<u8>) -> bool,
}

/// What is done with a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    Add(u8, Priority),
    AddLater(u8, Priority),
    Wake,
    Take,
    Drain,
}

pub(crate) static SHIPPED: Rules =
    Rules { act: actions::act, give_back: actions::give_back, has_ended: WorkQueue::is_drained };

/// The model at a size.
pub(crate) struct Queue {
    keys: u8,
    workers: u8,
    adds: u8,
    fails: u8,
    priorities: u8,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Something may have to be done about a key.
    Add(u8, Priority),
    /// The same, later.
    AddLater(u8, Priority),
    /// Later is now.
    Wake(u8),
    /// A worker takes a key.
    Take(u8),
    /// A worker is done with its key.
    Done(u8),
    /// A worker has failed on it.
    Fail(u8),
    /// Nothing is added any more.
    Drain,
}

impl Queue {
    pub(crate) fn new(size: &Size, rules: &'static Rules) -> Queue {
        let small = |key| size.small(key);
        let (keys, workers) = (small("keys"), small("workers"));
        let (adds, fails) = (small("adds"), small("fails"));
        Queue { keys, workers, adds, fails, priorities: small("priorities"), rules }
    }

    fn priorities(&self) -> impl Iterator<Item = Priority> {
        Priority::ALL.into_iter().take(self.priorities.into())
    }
}

impl Catalogued for Queue {}

impl Model for Queue {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State::new(self.adds, self.fails)]
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        for key in 0..self.keys {
            if s.adds > 0 {
                out.extend(self.priorities().flat_map(|p| [Action::Add(key, p), Action::AddLater(key, p)]));
            }
            if s.keys[usize::from(key)].later.is_some() {
                out.push(Action::Wake(key));
            }
        }
        for worker in 0..self.workers {
            match s.workers[usize::from(worker)] {
                Some(_) => {
                    out.push(Action::Done(worker));
                    out.extend((s.fails > 0).then_some(Action::Fail(worker)));
                }
                None if s.first_waiting().is_some() => out.push(Action::Take(worker)),
                None => {}
            }
        }
        if !s.draining {
            out.push(Action::Drain);
        }
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.step(s, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    /// Workers are not lazy, and time passes.
    fn class(&self, action: &Action) -> Class {
        let (keys, workers) = (u16::from(self.keys), u16::from(self.workers));
        match action {
            Action::Wake(key) => Class::new(u16::from(*key)),
            Action::Take(worker) => Class::new(keys + u16::from(*worker)),
            Action::Done(worker) => Class::new(keys + workers + u16::from(*worker)),
            _ => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let wakes = (0..self.keys).map(|key| format!("Wake({})", state::name(key)));
        let takes = (1..=self.workers).map(|worker| format!("Take(w{worker})"));
        let ends = (1..=self.workers).map(|worker| format!("Done(w{worker})"));
        wakes.chain(takes).chain(ends).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        match action {
            Action::Add(key, priority) => format!("Add({}, {priority:?})", state::name(*key)),
            Action::AddLater(key, priority) => format!("AddLater({}, {priority:?})", state::name(*key)),
            Action::Wake(key) => format!("Wake({})", state::name(*key)),
            Action::Take(worker) => format!("Take(w{})", worker + 1),
            Action::Done(worker) => format!("Done(w{})", worker + 1),
            Action::Fail(worker) => format!("Fail(w{})", worker + 1),
            Action::Drain => "Drain".into(),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields(self.keys, self.workers)
    }
}
