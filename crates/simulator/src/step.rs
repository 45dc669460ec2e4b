//! What is done, and what is waited for.

use std::fmt;

use bowline_control::{Decision, Millis, Write};

use crate::thing::{Id, Thing};

/// A step: it is complete, and whoever carries it chooses nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A write.
    Write {
        /// In words.
        told: String,
        /// Which.
        write: Box<Write<Thing>>,
    },
    /// A pod gets its node.
    Bind(Bind),
}

/// A pod that gets its node: it is not a write of the pod, but a request of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bind {
    pub(crate) pod: Id,
    pub(crate) uid: String,
}

/// What is waited for, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wait(pub(crate) String);

/// What is decided about an object.
pub(crate) type Choice = Decision<Step, Wait>;

pub(crate) fn create(thing: Thing) -> Choice {
    write(format!("make the {}", thing.id), Write::Create(thing))
}

pub(crate) fn change(what: &str, before: &Thing, after: Thing) -> Choice {
    write(format!("{what} of the {}", before.id), Write::Change { before: before.clone(), after })
}

pub(crate) fn delete(thing: &Thing) -> Choice {
    write(format!("remove the {}", thing.id), Write::Delete(thing.clone()))
}

pub(crate) fn adopt(orphan: &Thing, owner: &Thing) -> Choice {
    change("become the owner", orphan, orphan.edit(|orphan| orphan.owner = Some(owner.as_owner())))
}

pub(crate) fn wait(what: impl Into<String>) -> Choice {
    Decision::Wait { what: Wait(what.into()), until: None }
}

pub(crate) fn wait_until(what: impl Into<String>, until: Option<Millis>) -> Choice {
    Decision::Wait { what: Wait(what.into()), until }
}

fn write(told: String, write: Write<Thing>) -> Choice {
    Decision::Do(Step::Write { told, write: Box::new(write) })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Write { told, .. } => f.write_str(told),
            Step::Bind(bind) => write!(f, "give the {} its node", bind.pod),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
