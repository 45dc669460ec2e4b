//! What is to be done about a pair.

use std::fmt;

use bowline_control::Decision;

use crate::snapshot::Snapshot;
use crate::state::{Half, Names, Pair, Side};

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Put our finalizer on the pair.
    Hold,
    /// Make a half.
    Make(Side),
    /// Give a half the value that it should carry.
    Mend(Side),
    /// Remove a half.
    Remove(Side),
    /// Take our finalizer off the pair.
    LetGo,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// A half becomes ready.
    Ready(Side),
    /// A half goes.
    Gone(Side),
    /// A person removes what lies at the name of a half and is not ours.
    NameTaken(Side),
}

/// What is to be done.
pub(crate) fn decide<N: Names>(snapshot: &Snapshot<N>) -> Decision<Step, Wait> {
    // Without a pair there is nothing to do: what it owned is collected.
    let Some(pair) = &snapshot.pair else { return Decision::Converged };
    if pair.deleting {
        return take_down(snapshot, pair);
    }
    // First of all: what is made without it may stay when the pair is deleted.
    if !pair.held {
        return Decision::Do(Step::Hold);
    }
    let undone = Side::ALL.into_iter().find_map(|side| put_up(pair, side, snapshot.half(side)));
    undone.unwrap_or(Decision::Converged)
}

fn put_up<N: Names>(pair: &Pair<N>, side: Side, half: Option<&Half<N>>) -> Option<Decision<Step, Wait>> {
    let Some(half) = half else { return Some(Decision::Do(Step::Make(side))) };
    match &half.owner {
        None => return wait(Wait::NameTaken(side)),
        // That of a pair that had this name before: it is being collected.
        Some(owner) if owner.uid != pair.uid => return wait(Wait::Gone(side)),
        Some(_) if half.deleting => return wait(Wait::Gone(side)),
        Some(_) => {}
    }
    if half.value != pair.value {
        return Some(Decision::Do(Step::Mend(side)));
    }
    if half.ready { None } else { wait(Wait::Ready(side)) }
}

fn take_down<N: Names>(snapshot: &Snapshot<N>, pair: &Pair<N>) -> Decision<Step, Wait> {
    if !pair.held {
        return Decision::Converged;
    }
    for side in Side::ALL.into_iter().rev() {
        let ours = |half: &&Half<N>| half.owner.as_ref().is_some_and(|owner| owner.uid == pair.uid);
        match snapshot.half(side).filter(ours) {
            None => {}
            Some(half) if half.deleting => return Decision::Wait { what: Wait::Gone(side), until: None },
            Some(_) => return Decision::Do(Step::Remove(side)),
        }
    }
    Decision::Do(Step::LetGo)
}

fn wait(what: Wait) -> Option<Decision<Step, Wait>> {
    Some(Decision::Wait { what, until: None })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Hold => f.write_str("hold the pair"),
            Step::Make(side) => write!(f, "make the {side} half"),
            Step::Mend(side) => write!(f, "mend the {side} half"),
            Step::Remove(side) => write!(f, "remove the {side} half"),
            Step::LetGo => f.write_str("let the pair go"),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Ready(side) => write!(f, "the {side} half to be ready"),
            Wait::Gone(side) => write!(f, "the {side} half to be gone"),
            Wait::NameTaken(side) => {
                write!(f, "somebody to remove what has the name of the {side} half and is not the pair's")
            }
        }
    }
}
