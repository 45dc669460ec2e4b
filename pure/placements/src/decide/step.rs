//! The words of decisions.

use std::fmt;

use crate::grant::ThingOf;
use crate::state::Names;
use crate::window::Opening;

/// A step. Each but [`Step::Survey`] is one guarded write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<N: Names> {
    /// Put our finalizer on the placement.
    Hold,
    /// Take our finalizer off.
    LetGo,
    /// See which targets there are.
    Survey,
    /// Make the grant of a volume that is asked for.
    Register(N::Volume),
    /// Record that it is not known who uses a thing, because the hub was restored.
    Recover(ThingOf<N>),
    /// Record who uses a thing, after a restore.
    Adopt(ThingOf<N>),
    /// Record where the namespace is to be.
    Desire(N::Target),
    /// Take a thing from a target.
    Release(ThingOf<N>, N::Target),
    /// Record that a target has given a thing up.
    Free(ThingOf<N>, N::Target),
    /// Record that a target cannot use a thing any more, because of a fence.
    FenceOff(ThingOf<N>, N::Target),
    /// Grant a thing to a target.
    Grant(ThingOf<N>, N::Target),
    /// Let a target delete the data of a volume that it has.
    Destroy(N::Volume, N::Target),
    /// Grant a volume that nobody has to a target, to delete its data.
    GrantForDeletion(N::Volume, N::Target),
    /// Delete the grant of a volume whose data is gone.
    Discard(N::Volume),
    /// Take our finalizer off a volume's grant.
    Dismiss(N::Volume),
}

impl<N: Names> fmt::Display for Step<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Hold => f.write_str("hold the placement"),
            Step::LetGo => f.write_str("let the placement go"),
            Step::Survey => f.write_str("see which targets there are"),
            Step::Register(volume) => write!(f, "make a grant for the volume {volume}"),
            Step::Recover(thing) => write!(f, "find out who uses {thing}"),
            Step::Adopt(thing) => write!(f, "record who uses {thing}"),
            Step::Desire(target) => write!(f, "want it on {target}"),
            Step::Release(thing, target) => write!(f, "take {thing} from {target}"),
            Step::Free(thing, target) => write!(f, "record that {target} has given up {thing}"),
            Step::FenceOff(thing, target) => {
                write!(f, "record that {target} cannot use {thing} behind its fence")
            }
            Step::Grant(thing, target) => write!(f, "grant {thing} to {target}"),
            Step::Destroy(volume, target) => write!(f, "let {target} delete the volume {volume}"),
            Step::GrantForDeletion(volume, target) => {
                write!(f, "grant the volume {volume} to {target}, to delete it")
            }
            Step::Discard(volume) => write!(f, "delete the grant of the volume {volume}"),
            Step::Dismiss(volume) => write!(f, "let the grant of the volume {volume} go"),
        }
    }
}

/// What is waited for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wait<N: Names> {
    /// A target to report what it uses, after a restore.
    Report(N::Target),
    /// A target that the namespace can be on.
    Target,
    /// A target to be available.
    Unavailable(N::Target, Refusal<N>),
    /// Its window, to go from where it runs to a target.
    Window(N::Target, Opening),
    /// A target to give something up.
    Released(ThingOf<N>, N::Target),
    /// A target that is not heard of to come back and give something up, or to be fenced.
    Contact(ThingOf<N>, N::Target),
    /// A fence to be in force.
    Fence(N::Target),
    /// Somebody to say what a volume is.
    Described(N::Volume),
    /// A target that reaches a volume, to delete it.
    Reach(N::Volume),
    /// The workloads to be up.
    Ready(N::Target),
}

/// Why a target is not available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal<N: Names> {
    /// There is no such target.
    Unknown,
    /// It is being deleted.
    Goes,
    /// It is fenced, or about to be, or not unfenced yet.
    Fenced,
    /// It is cordoned, or drains.
    Cordoned,
    /// Its lease has lapsed.
    Silent,
    /// It lacks a label.
    Lacks(N::Label),
    /// It has a taint that is not tolerated.
    Tainted(N::Label),
    /// It has as much as it can.
    Full,
    /// It does not reach the storage of a volume.
    Tied(N::Volume),
}
