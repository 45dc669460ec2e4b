//! What people are told, in words: what is waited for, why something is refused, and what to do.

use std::fmt;

use crate::decide::{Case, Refusal, Wait};
use crate::state::Names;

/// What is waited for, as people are told.
pub(crate) trait Told: fmt::Display {
    /// Whether it ends only when a person does something.
    fn is_for_a_person(&self) -> bool;

    /// Whether nothing is the matter.
    fn is_rest(&self) -> bool;
}

impl<N: Names> Wait<N> {
    /// Whether another look at the targets may end it.
    pub(crate) fn is_for_a_target(&self) -> bool {
        matches!(self, Wait::Target | Wait::Reach(_))
    }
}

impl<N: Names> Told for Wait<N> {
    fn is_for_a_person(&self) -> bool {
        match self {
            Wait::Contact(..) | Wait::Target | Wait::Described(_) | Wait::Reach(_) => true,
            Wait::Unavailable(_, refusal) => !matches!(refusal, Refusal::Silent),
            Wait::Report(_) | Wait::Window(..) | Wait::Released(..) | Wait::Fence(_) | Wait::Ready(_) => {
                false
            }
        }
    }

    fn is_rest(&self) -> bool {
        false
    }
}

impl<N: Names> fmt::Display for Wait<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Report(target) => write!(
                f,
                "{target} to report what it uses, because the hub was restored: start its syncer, or `bowline place fence {target}`"
            ),
            Wait::Target => f.write_str(
                "a target that it can be on: `bowline place status` tells why each of them is not",
            ),
            Wait::Unavailable(target, refusal) => write!(f, "{target} to be available: {}", reason(refusal)),
            Wait::Window(target, opening) => write!(
                f,
                "its window, which opens on {opening}, to go to {target}: `bowline place move --now` does not wait for it"
            ),
            Wait::Released(thing, target) => write!(f, "{target} to give up {thing}"),
            Wait::Contact(thing, target) => write!(
                f,
                "{target} to give up {thing}, which is not heard of: bring it back, or `bowline place fence {target}`"
            ),
            Wait::Fence(target) => write!(
                f,
                "the fence of {target} to be in force: by its driver, or by a person, `bowline place fence {target} --confirmed`"
            ),
            Wait::Described(volume) => write!(
                f,
                "somebody to know what the volume {volume} is: the target that may have made it was fenced before it said so; bring it back, or `bowline place abandon {volume}`"
            ),
            Wait::Reach(volume) => write!(
                f,
                "a target that reaches the volume {volume}, to delete it: bring one back, or `bowline place abandon {volume}`"
            ),
            Wait::Ready(target) => write!(f, "{target} to bring it up"),
        }
    }
}

/// All is well.
pub(crate) fn well<N: Names>(case: &Case<'_, N>) -> String {
    let placement = case.placement;
    match &placement.desired {
        Some(target) => format!("on {target}, in epoch {}", placement.grant.epoch),
        None => String::new(),
    }
}

/// Why a target is not available, and what to do.
fn reason<N: Names>(refusal: &Refusal<N>) -> String {
    match refusal {
        Refusal::Unknown => "there is no such target; `bowline place target list`".to_owned(),
        Refusal::Goes => "it is being deleted".to_owned(),
        Refusal::Fenced => "it is fenced, or not unfenced yet; `bowline place unfence`".to_owned(),
        Refusal::Cordoned => "it is cordoned, or drains; `bowline place uncordon`".to_owned(),
        Refusal::Silent => "its syncer is not heard of".to_owned(),
        Refusal::Lacks(label) => format!("it lacks the label {label}"),
        Refusal::Tainted(label) => format!("it has the taint {label}, which is not tolerated"),
        Refusal::Full => "it has as many namespaces as it can have".to_owned(),
        Refusal::Tied(volume) => format!(
            "it does not reach the storage of the volume {volume}, which stays on its cluster: nothing was stopped; copy the data yourself, or stay"
        ),
    }
}
