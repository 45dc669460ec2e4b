//! The objects of the protocol, on the hub. Targets are in [`crate::target`].

use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hash;

use bowline_control::Version;

use crate::grant::Grant;
use crate::window::Window;

/// What names are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// A namespace, which has one placement.
    type Namespace: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// A workload cluster.
    type Target: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// A volume. One that is made again under the same name in its namespace is another one.
    type Volume: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// A label with its value, or a taint.
    type Label: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Ord + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str> + AsRef<str>;
}

/// Where a namespace is (`Placement`). The one truth about who runs its workloads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Placement<N: Names> {
    /// The namespace.
    pub name: N::Namespace,
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
    /// A person deletes the namespace: its data goes too.
    pub doomed: bool,
    /// What people want of it.
    pub wish: Wish<N>,
    /// Where it is to be.
    pub desired: Option<N::Target>,
    /// Who runs its workloads.
    pub grant: Grant<N>,
    /// What people are told beside that; `None` if nobody has looked.
    pub told: Option<Told<N>>,
}

/// What people want of a placement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wish<N: Names> {
    /// It is to be on this target; `None` if one is chosen.
    pub pinned: Option<N::Target>,
    /// One is chosen that has all of these labels.
    pub selector: BTreeSet<N::Label>,
    /// And has no taints but these.
    pub tolerations: BTreeSet<N::Label>,
    /// When it may be taken from where it runs; `None` if at any time.
    pub window: Option<Window>,
    /// Where it may go at any time all the same.
    pub now_to: Option<N::Target>,
}

impl<N: Names> Default for Wish<N> {
    fn default() -> Wish<N> {
        Wish {
            pinned: None,
            selector: BTreeSet::new(),
            tolerations: BTreeSet::new(),
            window: None,
            now_to: None,
        }
    }
}

/// Who may use a volume (`VolumeGrant`). The one truth about that.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Volume<N: Names> {
    /// Its name.
    pub name: N::Volume,
    /// The namespace that it is in.
    pub namespace: N::Namespace,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// It has our finalizer.
    pub held: bool,
    /// Several targets may use it at once.
    pub shared: bool,
    /// A person says that nothing of it can be reached any more, and that it is to be forgotten.
    pub abandoned: bool,
    /// Only this target reaches its storage.
    pub only: Option<N::Target>,
    /// What it is, so that another cluster can attach it: driver, handle, size, class.
    pub described: Option<N::Text>,
    /// It may have been made somewhere, and nobody had described it when that target was fenced.
    pub unknown: bool,
    /// Its data is deleted.
    pub destroyed: bool,
    /// Who may use it.
    pub grant: Grant<N>,
}

impl<N: Names> Volume<N> {
    /// Whether it may be somewhere, and nobody knows what it is: whoever asked for it elsewhere would get an empty one.
    pub fn is_unknown(&self) -> bool {
        self.unknown && self.described.is_none()
    }
}

/// A volume that people ask for in a namespace on the hub (`PersistentVolumeClaim`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim<N: Names> {
    /// The volume that it asks for.
    pub volume: N::Volume,
    /// Its namespace.
    pub namespace: N::Namespace,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// Several may use it at once.
    pub shared: bool,
}

/// What people are told of how a placement or a target stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Told<N: Names> {
    /// How far a placement has come, in a word; that of a target says nothing.
    pub phase: Phase,
    /// How it is, in a word.
    pub mood: Mood,
    /// In a sentence: what it waits for, or what is wrong, and what to do.
    pub words: N::Text,
    /// For which generation.
    pub observed: u64,
}

/// How far a placement has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// It is nowhere yet.
    Pending,
    /// It is where it is to be.
    Granted,
    /// Somebody gives something of it up.
    Releasing,
    /// A fence is waited for.
    Fencing,
    /// It is given to where it is to be.
    Moving,
    /// It goes.
    Deleting,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 6] =
        [Phase::Pending, Phase::Granted, Phase::Releasing, Phase::Fencing, Phase::Moving, Phase::Deleting];
}

/// How something stands, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mood {
    /// All is as it should be.
    Well,
    /// Something is under way, and waits.
    Waiting,
    /// A step did not work, and is tried again.
    Failing,
    /// It needs a person.
    Stalled,
}

impl Mood {
    /// All of them.
    pub const ALL: [Mood; 4] = [Mood::Well, Mood::Waiting, Mood::Failing, Mood::Stalled];
}
