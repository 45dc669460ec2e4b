//! What a member is to do, and what its agent says.

use bowline_control::Version;

use crate::state::{Epoch, Lists, Names};

/// A node of a group (`Member`). What is desired is the hub's to write, and what is reported the agent's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member<N: Names> {
    /// Its name in its group.
    pub name: N::Member,
    /// Its group.
    pub group: N::Group,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// How often what is desired of it has changed.
    pub generation: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// It has our finalizer.
    pub held: bool,
    /// What it is to do.
    pub desired: Desired<N>,
    /// What its agent says.
    pub report: Option<Report<N>>,
}

/// What a member is to do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Desired<N: Names> {
    /// The version that runs; `None` if none does.
    pub version: Option<N::Version>,
    /// It finishes what it has begun before it lets go of what leaves it.
    pub drains: bool,
    /// It stops by itself when its lease has lapsed.
    pub fenced: bool,
    /// What it is, or was, master of.
    pub devices: Vec<Duty<N>>,
    /// The members of each partition of its version.
    pub partitions: Lists<N>,
}

impl<N: Names> Default for Desired<N> {
    fn default() -> Desired<N> {
        Desired { version: None, drains: false, fenced: false, devices: Vec::new(), partitions: Vec::new() }
    }
}

/// What a member is master of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Duty<N: Names> {
    /// The device.
    pub device: N::Device,
    /// In which epoch.
    pub epoch: Epoch,
    /// It is taken from it: it lets go, and is not to act for it in this epoch any more. That is said, and not only left out:
    /// whoever still has to write that it was given is refused then, because the object has changed.
    pub leaves: bool,
}

/// What an agent says of its member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Report<N: Names> {
    /// It knows what was desired in this generation, and acts for nothing that is not desired there.
    pub observed: u64,
    /// The version that runs, or ran last.
    pub version: Option<N::Version>,
    /// How it is.
    pub condition: Condition,
    /// What its software acts for, in which epoch.
    pub devices: Vec<(N::Device, Epoch)>,
    /// The greatest epochs that it has seen.
    pub seen: Vec<(N::Device, Epoch)>,
    /// More of it, for people.
    pub words: N::Text,
}

/// How the software of a member is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// It does not run, and nothing is to.
    Stopped,
    /// It has been started, and its probe was not good yet.
    Starting,
    /// It runs, and its probe is good.
    Running,
    /// It runs, and its probe is not good.
    Unhealthy,
    /// It finishes what it has begun.
    Draining,
    /// It has finished what it had begun, and acts for nothing.
    Drained,
    /// It is told to end.
    Stopping,
    /// It died, and is started again.
    Restarting,
    /// It died more often than it is started again soon, or cannot be started.
    Failed,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 9] = [
        Condition::Stopped,
        Condition::Starting,
        Condition::Running,
        Condition::Unhealthy,
        Condition::Draining,
        Condition::Drained,
        Condition::Stopping,
        Condition::Restarting,
        Condition::Failed,
    ];
}
