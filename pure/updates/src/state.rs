//! The objects of the protocol, on the hub.

use std::fmt;
use std::hash::Hash;

use bowline_control::lease::Epoch;
use bowline_control::{Millis, Version};

use crate::inventory::Inventory;
use crate::plan::{Deed, Plan};

/// What names, texts and contents are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// A stack, with its namespace.
    type Stack: Clone + Ord + Hash + fmt::Debug;
    /// A cluster.
    type Cluster: Clone + Ord + Hash + fmt::Debug;
    /// An update, in the namespace of its stack.
    type Update: Clone + Ord + Hash + fmt::Debug;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Eq + Hash + fmt::Debug;
    /// What content is known by.
    type Digest: Clone + Eq + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str> + AsRef<str>;
    /// Where an object is on a cluster: its kind, namespace and name.
    type Place: Clone + Ord + Hash + fmt::Debug;
    /// What an object on a cluster says.
    type Body: Clone + Eq + Hash + fmt::Debug;
    /// Which object it was that was read on a cluster, and at which version: what a write is guarded by.
    type Read: Clone + Eq + Hash + fmt::Debug;
    /// How much a plan does, for people.
    type Tally: Clone + Eq + Hash + fmt::Debug;

    /// What an inventory is known by.
    fn digest_of(inventory: &Inventory<Self>) -> Self::Digest;

    /// What a plan is known by: the same deeds, the same digest.
    fn digest_of_plan(deeds: &[Deed<Self>]) -> Self::Digest;

    /// How much a plan does.
    fn tally(plan: &Plan<Self>) -> Self::Tally;

    /// How many objects are as a plan wants them that did so much, when so many are left.
    fn done(tally: &Self::Tally, left: usize) -> u32;

    /// Whether others may have something in what is there, that would go with it.
    fn is_shared(place: &Self::Place) -> bool;

    /// A place, for people.
    fn place(place: &Self::Place) -> String;
}

/// The number of a version of a stack: greater is newer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Number(pub u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One line of versions on one cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack<N: Names> {
    /// Its name.
    pub name: N::Stack,
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
    pub wish: Wish<N>,
    /// The one truth of the protocol.
    pub status: Status<N>,
    /// What people are told beside that; `None` if nobody has looked.
    pub told: Option<Told<N>>,
}

/// What people want of a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wish<N: Names> {
    /// The cluster that its versions are for.
    pub cluster: N::Cluster,
    /// No version is started.
    pub paused: bool,
    /// What others have changed is put right, and not only told.
    pub repairs: bool,
    /// How long a version may take to become healthy.
    pub timeout: Millis,
    /// How often it is looked for what others have changed.
    pub interval: Millis,
    /// More deletions than this fail a version before it changes anything.
    pub deletions: u32,
    /// So many updates that have ended are left, beside that of the last good version.
    pub history: u32,
    /// Versions that failed, and whose content may be tried again.
    pub released: Vec<Number>,
}

/// The one truth about a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Status<N: Names> {
    /// The number that was given last.
    pub submitted: Number,
    /// What is known of versions that have not ended, or have not been seen to show it.
    pub requests: Vec<Request<N>>,
    /// What is under way.
    pub phase: Phase,
    /// The version that a failure is rolled back to.
    pub good: Option<Good<N>>,
    /// Whoever acts for the stack took it over in this epoch.
    pub epoch: Epoch,
    /// How often anything was begun. What is remembered of another attempt says nothing of this one.
    pub attempt: u64,
    /// The version that is being applied was taken over once already.
    pub resumed: bool,
    /// What was touched, by the digest of the list.
    pub inventory: Option<N::Digest>,
    /// Content that was rolled back.
    pub quarantined: Vec<Quarantined<N>>,
}

impl<N: Names> Default for Status<N> {
    fn default() -> Status<N> {
        Status {
            submitted: Number(0),
            requests: Vec::new(),
            phase: Phase::Idle,
            good: None,
            epoch: Epoch::default(),
            attempt: 0,
            resumed: false,
            inventory: None,
            quarantined: Vec::new(),
        }
    }
}

/// What a stack does now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Nothing.
    Idle,
    /// This version is planned; nothing was changed for it.
    Starting(Number),
    /// This version is being applied, or becomes healthy.
    Partial(Number),
    /// The last good version is put back, because this one has failed; or because the cluster is not as it should be.
    RollingBack(Option<Number>),
    /// The last good version cannot be put back.
    Stalled(Option<Number>),
}

impl Phase {
    /// The version that is worked on.
    pub fn number(self) -> Option<Number> {
        match self {
            Phase::Idle => None,
            Phase::Starting(number) | Phase::Partial(number) => Some(number),
            Phase::RollingBack(number) | Phase::Stalled(number) => number,
        }
    }
}

/// What is known of a version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Request<N: Names> {
    /// Its number.
    pub number: Number,
    /// The update that asks for it.
    pub update: N::Update,
    /// Which of that name.
    pub uid: N::Uid,
    /// Its content.
    pub digest: N::Digest,
    /// It is applied only if this is its plan.
    pub plan: Option<N::Digest>,
    /// How far it has come.
    pub stage: Stage,
    /// How much it does on the cluster, if it was begun.
    pub tally: Option<N::Tally>,
    /// Why, if it has ended.
    pub why: N::Text,
}

impl<N: Names> Request<N> {
    /// Whether this update asks for it.
    pub fn is_of(&self, update: &Update<N>) -> bool {
        self.update == update.name && self.uid == update.uid
    }
}

/// How far a version has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Nobody has looked at it yet.
    Submitted,
    /// It waits for its turn.
    Queued,
    /// It is planned; nothing was changed.
    Processing,
    /// It is being applied, or becomes healthy.
    Partial,
    /// It failed half-way. What was there before is put back, or could not be.
    PartialFailure,
    /// It failed a check. Nothing was changed.
    Rejected,
    /// It could not be applied. Nothing was changed.
    Failed,
    /// A newer valid version took its place.
    Superseded,
    /// It is on the cluster, and healthy.
    Succeeded,
    /// It failed half-way, and what was there before was put back.
    RolledBack,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 10] = [
        Stage::Submitted,
        Stage::Queued,
        Stage::Processing,
        Stage::Partial,
        Stage::PartialFailure,
        Stage::Rejected,
        Stage::Failed,
        Stage::Superseded,
        Stage::Succeeded,
        Stage::RolledBack,
    ];

    /// Nothing follows.
    pub fn is_last(self) -> bool {
        matches!(
            self,
            Stage::Rejected | Stage::Failed | Stage::Superseded | Stage::Succeeded | Stage::RolledBack
        )
    }

    /// It may be taken back: nobody has begun with it.
    pub fn is_waiting(self) -> bool {
        matches!(self, Stage::Submitted | Stage::Queued)
    }
}

/// A version that succeeded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Good<N: Names> {
    /// Its number.
    pub number: Number,
    /// Its content.
    pub digest: N::Digest,
}

/// Content that was rolled back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quarantined<N: Names> {
    /// The content.
    pub digest: N::Digest,
    /// The version that failed with it.
    pub number: Number,
    /// Why.
    pub why: N::Text,
}

/// What people are told of a stack beside its status.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Told<N: Names> {
    /// In a word.
    pub mood: Mood,
    /// In a sentence: what it waits for, or what is wrong.
    pub words: N::Text,
    /// For which generation.
    pub observed: u64,
}

/// How a stack stands, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mood {
    /// All is as it should be.
    Well,
    /// Somebody else has changed what is on the cluster.
    Drifted,
    /// All is as it should be, and does not work.
    Unhealthy,
    /// Something is under way, and waits.
    Waiting,
    /// No version is started.
    Paused,
    /// A step did not work, and is tried again.
    Failing,
    /// It needs a person.
    Stuck,
    /// Versions were submitted, and none has succeeded: nothing of it is on the cluster.
    Empty,
    /// It is being deleted, and waits for something before it goes.
    Going,
}

impl Mood {
    /// All of them.
    pub const ALL: [Mood; 9] = [
        Mood::Well,
        Mood::Drifted,
        Mood::Unhealthy,
        Mood::Waiting,
        Mood::Paused,
        Mood::Failing,
        Mood::Stuck,
        Mood::Empty,
        Mood::Going,
    ];
}

/// A request for a version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Update<N: Names> {
    /// Its name.
    pub name: N::Update,
    /// Its stack.
    pub stack: N::Stack,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// When it was made, as its server counts.
    pub created: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// The content that it asks for.
    pub digest: N::Digest,
    /// It is applied only if this is its plan.
    pub plan: Option<N::Digest>,
    /// What it shows.
    pub shown: Option<Shown<N>>,
}

/// What an update shows of itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shown<N: Names> {
    /// Its number, if it has one.
    pub number: Option<Number>,
    /// How far it has come.
    pub stage: Stage,
    /// How much it does on the cluster, if it was begun.
    pub tally: Option<N::Tally>,
    /// How many objects of that are as it wants them.
    pub done: u32,
    /// What it waits for, or why it ended.
    pub words: N::Text,
}

/// A cluster, as far as updates go.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cluster<N: Names> {
    /// Its name.
    pub name: N::Cluster,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// How often what is wanted of it has changed.
    pub generation: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// It can be used.
    pub ready: bool,
    /// Why, or why not, in words for people.
    pub why: N::Text,
    /// It is the hub itself, and does not say by name who may use it: whoever could would be an administrator of the hub.
    pub exposed: bool,
    /// Nothing is started on it.
    pub paused: bool,
    /// How much may be asked of it.
    pub quota: Quota,
    /// The stacks that may be changing it, each in this attempt.
    pub updates: Vec<(N::Stack, u64)>,
    /// It is being upgraded.
    pub upgrade: bool,
}

/// How much may be asked of a cluster, or is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Quota {
    /// Stacks of one namespace with a version that waits.
    pub waiting: u32,
    /// Versions in an hour, of everybody.
    pub hourly: u32,
}
