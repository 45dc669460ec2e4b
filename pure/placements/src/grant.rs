//! Grants: who may use what, in which epoch.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::state::Names;

/// How often something happened: greater is later. Of two who use the same thing, the one with the smaller epoch is late.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The next one.
    #[must_use]
    pub fn next(self) -> Epoch {
        Epoch(self.0.saturating_add(1))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What can be granted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thing<Namespace, Volume> {
    /// A namespace: its workloads may run.
    Namespace(Namespace),
    /// A volume: it may be attached.
    Volume(Volume),
}

/// What can be granted, by names.
pub type ThingOf<N> = Thing<<N as Names>::Namespace, <N as Names>::Volume>;

impl<Namespace: fmt::Display, Volume: fmt::Display> fmt::Display for Thing<Namespace, Volume> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Thing::Namespace(namespace) => write!(f, "the namespace {namespace}"),
            Thing::Volume(volume) => write!(f, "the volume {volume}"),
        }
    }
}

/// Who may use a thing. Of a namespace, and of a volume that is owned, there is one user at most.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grant<N: Names> {
    /// How often it was granted. It only grows.
    pub epoch: Epoch,
    /// Who may use it, or may still use it.
    pub users: BTreeMap<N::Target, Use>,
    /// The hub was restored from a backup, and does not know who uses it.
    pub recovering: Option<Recovery<N>>,
    /// The last restore of the hub after which it was found out who uses it; 0 if there was none.
    pub restore: u64,
}

impl<N: Names> Default for Grant<N> {
    fn default() -> Grant<N> {
        Grant { epoch: Epoch(0), users: BTreeMap::new(), recovering: None, restore: 0 }
    }
}

impl<N: Names> Grant<N> {
    /// The last restore of the hub that it knows of.
    pub fn knows_of(&self) -> u64 {
        self.recovering.as_ref().map_or(self.restore, |recovery| recovery.restore)
    }

    /// Leaves open who uses it. Its epochs go on above this one.
    pub(crate) fn recover(&mut self, recovery: Recovery<N>, above: Epoch) {
        self.epoch = self.epoch.max(above).next();
        self.recovering = Some(recovery);
    }

    /// Whether somebody may use it now, and is not to give it up.
    pub fn is_granted_to(&self, target: &N::Target) -> bool {
        self.users.get(target).is_some_and(|its| its.state == UseState::Granted)
    }

    /// The only user.
    pub fn holder(&self) -> Option<&N::Target> {
        self.users.keys().next()
    }
}

/// What a target may do with a thing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// In which epoch it was granted.
    pub epoch: Epoch,
    /// The fence epoch of the target by then. When that has moved on, this is void.
    pub fence: Epoch,
    /// What is wanted of the target.
    pub state: UseState,
    /// What its syncer says to that.
    pub said: Option<Said>,
}

/// What is wanted of who has a thing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UseState {
    /// To use it.
    Granted,
    /// To give it up. That is never taken back.
    Releasing,
    /// To delete its data, and give it up. That is never taken back.
    Deleting,
}

impl UseState {
    /// All of them.
    pub const ALL: [UseState; 3] = [UseState::Granted, UseState::Releasing, UseState::Deleting];
}

/// What a syncer says of a thing that it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Said {
    /// It is in use, and all is well.
    Ready,
    /// It is given up, and will not be used in this epoch again.
    Released,
    /// Its data is deleted, and it is given up.
    Deleted,
}

impl Said {
    /// All of them.
    pub const ALL: [Said; 3] = [Said::Ready, Said::Released, Said::Deleted];
}

/// A restore whose consequences are not known yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Recovery<N: Names> {
    /// Which restore.
    pub restore: u64,
    /// Who has to report, or to be fenced: all targets that there were.
    pub awaits: BTreeSet<N::Target>,
}
