//! Targets, their fences, and what their syncers say.

use std::collections::{BTreeMap, BTreeSet};

use bowline_control::{Millis, Version};

use crate::grant::{Epoch, ThingOf};
use crate::state::{Names, Told};

/// A workload cluster (`SyncTarget`). The one truth about its fence.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target<N: Names> {
    /// Its name.
    pub name: N::Target,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// How often what is wanted of it has changed.
    pub generation: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// It has our finalizer.
    pub held: bool,
    /// What people want of it.
    pub wish: TargetWish<N>,
    /// Its fence.
    pub fence: Fence,
    /// Its lease has lapsed, by the clock on the wall since then.
    pub lapsed: Option<Millis>,
    /// The last restore of the hub that it has to report about; 0 if there was none.
    pub restore: u64,
    /// What its syncer says.
    pub report: Option<TargetReport<N>>,
    /// What people are told beside that; `None` if nobody has looked.
    pub told: Option<Told<N>>,
}

/// What people want of a target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TargetWish<N: Names> {
    /// Nothing new is placed on it.
    pub cordoned: bool,
    /// What is on it is to go elsewhere.
    pub drains: bool,
    /// Its labels.
    pub labels: BTreeSet<N::Label>,
    /// Its taints: only who tolerates them is placed on it.
    pub taints: BTreeSet<N::Label>,
    /// So many namespaces are placed on it at most.
    pub capacity: Option<u32>,
    /// Its volumes refuse whoever comes with a smaller epoch than they have seen.
    pub enforces: bool,
    /// Something can fence it.
    pub driver: bool,
    /// It is fenced by itself when its lease has lapsed for so long, if that can be done without a person.
    pub evicts: Option<Millis>,
    /// Whether a person wants it to be fenced.
    pub fence: FenceWish,
}

impl<N: Names> Target<N> {
    /// Asks it what it uses, after a restore of the hub. Its epochs go on above this one, so that everything that it has was granted before.
    pub(crate) fn recover(&mut self, restore: u64, above: Epoch) {
        self.restore = restore;
        self.fence.epoch = self.fence.epoch.max(above).next();
        // What was known of a fence may be over, and may be in force.
        if self.fence.state != FenceState::Open {
            self.fence.state = FenceState::Requested;
        }
    }
}

impl<N: Names> Default for TargetWish<N> {
    fn default() -> TargetWish<N> {
        TargetWish {
            cordoned: false,
            drains: false,
            labels: BTreeSet::new(),
            taints: BTreeSet::new(),
            capacity: None,
            enforces: false,
            driver: false,
            evicts: None,
            fence: FenceWish::Open,
        }
    }
}

/// Whether a person wants a target to be fenced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FenceWish {
    /// It is not to be.
    Open,
    /// It is to be, by whatever can do it.
    Fenced,
    /// It is, by the word of the person: nothing on it can write, and nothing will until it is unfenced.
    Confirmed,
}

impl FenceWish {
    /// All of them.
    pub const ALL: [FenceWish; 3] = [FenceWish::Open, FenceWish::Fenced, FenceWish::Confirmed];
}

/// The fence of a target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fence {
    /// How it stands.
    pub state: FenceState,
    /// How often it was in force. It rises in the write that says that it is: one that is only asked for makes nothing void.
    pub epoch: Epoch,
    /// What it is made of.
    pub by: By,
}

impl Default for Fence {
    fn default() -> Fence {
        Fence { state: FenceState::Open, epoch: Epoch(0), by: By::Person }
    }
}

impl Fence {
    /// Whether it is in force.
    pub fn is_in_force(&self) -> bool {
        matches!(self.state, FenceState::Fenced | FenceState::Unfencing)
    }
}

/// How a fence stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FenceState {
    /// There is none.
    Open,
    /// It is asked for, and may be in force or not.
    Requested,
    /// It is in force.
    Fenced,
    /// It is being taken down, and may be in force or not.
    Unfencing,
}

impl FenceState {
    /// All of them.
    pub const ALL: [FenceState; 4] =
        [FenceState::Open, FenceState::Requested, FenceState::Fenced, FenceState::Unfencing];
}

/// What a fence is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum By {
    /// The word of a person.
    Person,
    /// Something that keeps the target from its volumes.
    Driver,
    /// The volumes themselves, which refuse a smaller epoch; and a lease that has lapsed.
    Epochs,
}

impl By {
    /// All of them.
    pub const ALL: [By; 3] = [By::Person, By::Driver, By::Epochs];
}

/// What a syncer says of its target.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TargetReport<N: Names> {
    /// It will never again begin to use anything that was granted in a smaller fence epoch.
    pub fence: Epoch,
    /// In which tenure of its lease. It says so before it starts anything: whoever has seen the lease lapsed, and would act on
    /// it, is refused then, because the object has changed.
    pub tenure: u64,
    /// The last restore of the hub that it knows of.
    pub restore: u64,
    /// What it still uses that was granted in a smaller fence epoch, and in which epoch of its own. A restore raises all fence
    /// epochs: then this is everything that it uses, and later what was not confirmed since.
    pub uses: BTreeMap<ThingOf<N>, Epoch>,
    /// It knows of greater epochs than the hub, or has what the hub does not know: the hub was restored behind everybody's back.
    pub ahead: bool,
}
