//! Writes to one object: by clients who name the version that they saw and by others who do not, in batches that
//! become durable, are refused, or are lost.
//!
//! Two clients count in the object, each for itself, by reading, adding and writing. What was counted is kept beside
//! it: if they differ, an update is lost. Somebody runs the first object; the second has a holder, who has to
//! let it go.

mod actions;
mod expected;
#[cfg(test)]
pub(super) mod mutants;
mod properties;
mod state;

use bowline_explorer::{Class, Field, Model, Property};
use bowline_kernel::{Answer, Head, Request, Version};

pub(super) use self::expected::EXPECTED;
use self::state::{BATCH, CLIENTS, State};
use super::thing::{self, Performed, Thing};
use crate::catalogue::{Catalogued, Entry, Size, number};

pub(crate) const OBJECTS: Entry = Entry {
    name: "kernel/objects",
    about: "writes to one of the hub's objects: stale readers, deletion, batches that get lost",
    sizes: &[
        // What a client has counted is kept in two bits.
        number("updates", "writes by clients who name the version that they saw", 3, (1, 3)),
        number("others", "other writes: unguarded, deletion, creation, finalizers", 3, (0, 6)),
        number("restarts", "how often the server restarts", 1, (0, 3)),
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Objects::new(size, &SHIPPED))),
};

/// How a server writes. Mutants do it otherwise.
pub(super) struct Rules {
    /// What a request comes to.
    perform: fn(&mut Head<Thing>, Request<Thing>) -> Performed,
    /// What has to follow at once.
    rest: fn(&Answer<Thing>) -> Option<Request<Thing>>,
    /// Whether a client is answered before its write is durable.
    answers_early: bool,
    /// Whether what cannot be made durable is taken back.
    takes_back: bool,
    /// Whether so many changes are worth a commit.
    commits: fn(pending: u8) -> bool,
    /// The version from which a restarted server counts on, by the one that was kept and that of the object.
    counts_from: fn(kept: Version, object: Option<Version>) -> Version,
}

pub(super) static SHIPPED: Rules = Rules {
    perform: thing::perform,
    rest: Answer::rest,
    answers_early: false,
    takes_back: true,
    commits: |pending| pending > 0,
    counts_from: |kept, _| kept,
};

/// The model at a size.
pub(super) struct Objects {
    updates: u8,
    others: u8,
    restarts: u8,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// A client reads the object.
    Read(u8),
    /// A client adds to what it read, and names the version that it read.
    Update(u8),
    /// Somebody writes over whatever is there.
    Overwrite,
    /// Somebody makes the object.
    Create,
    /// Somebody deletes it.
    Delete,
    /// Somebody deletes it, and what it owns shall stay: the collector is asked for, and does not come.
    Orphan,
    /// Somebody puts a finalizer on it.
    Hold,
    /// Somebody takes it off.
    Release,
    /// What was written becomes durable, and is answered.
    Commit,
    /// What was written cannot be made durable, and is taken back.
    Refuse,
    /// What was written and is not durable is lost.
    Restart,
}

impl Objects {
    pub(super) fn new(size: &Size, rules: &'static Rules) -> Objects {
        let small = |key| size.small(key);
        Objects { updates: small("updates"), others: small("others"), restarts: small("restarts"), rules }
    }
}

impl Catalogued for Objects {}

impl Model for Objects {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State::new(self.updates, self.others, self.restarts)]
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        let item = s.head;
        for (c, client) in (0..CLIENTS as u8).zip(s.clients) {
            if s.reading(client) != client {
                out.push(Action::Read(c));
            }
            if client.has_read() && s.pending < BATCH as u8 && s.updates > 0 {
                out.push(Action::Update(c));
            }
        }
        if s.others > 0 && s.pending < BATCH as u8 {
            if item.there {
                out.extend([Action::Overwrite, Action::Orphan]);
                // Who runs it is told of its end, and then it ends: two changes.
                if !item.is_run() || s.pending + 1 < BATCH as u8 {
                    out.push(Action::Delete);
                }
                out.push(if item.is_held() { Action::Release } else { Action::Hold });
                if item.orphans && !item.held {
                    out.push(Action::Hold);
                }
            } else {
                out.push(Action::Create);
            }
        }
        if (self.rules.commits)(s.pending) {
            out.push(Action::Commit);
        }
        if s.pending > 0 {
            out.push(Action::Refuse);
        }
        if s.restarts > 0 {
            out.push(Action::Restart);
        }
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.step(s, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }

    fn class(&self, action: &Action) -> Class {
        if *action == Action::Commit { Class::new(0) } else { Class::UNFAIR }
    }

    fn fairness(&self) -> Vec<String> {
        vec!["Commit".into()]
    }

    fn action_name(&self, action: &Action) -> String {
        match action {
            Action::Read(c) => format!("Read(c{})", c + 1),
            Action::Update(c) => format!("Update(c{})", c + 1),
            other => format!("{other:?}"),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields()
    }
}
