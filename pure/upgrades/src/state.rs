//! The objects of the protocol, on the hub.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

use bowline_control::{Millis, Version};

/// What names are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// A group, with its namespace.
    type Group: Clone + Ord + Hash + fmt::Debug;
    /// A member, by its name in its group.
    type Member: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// A version of the software.
    type Version: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// Something that needs exactly one master.
    type Device: Clone + Ord + Hash + fmt::Debug + fmt::Display;
    /// A cluster.
    type Cluster: Clone + Ord + Hash + fmt::Debug;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Ord + Hash + fmt::Debug;
    /// What tells a command from every other one.
    type Ticket: Clone + Eq + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str> + AsRef<str>;
}

/// How often a device was given to a master. Greater is later; of two who act for a device, the smaller one is late.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The epoch of the next master.
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

/// A group of nodes that run the same software (`NodeGroup`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group<N: Names> {
    /// Its name.
    pub name: N::Group,
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

/// What people want of a group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wish<N: Names> {
    /// The cluster that it is on, which is not updated meanwhile.
    pub cluster: Option<N::Cluster>,
    /// The versions of the software, in order: each can be upgraded to the next.
    pub versions: Vec<N::Version>,
    /// The version that is wanted; `None` if it stays as it is, and begins with the first.
    pub version: Option<N::Version>,
    /// It is upgraded by itself when another version is wanted; else step by step, by command.
    pub automatic: bool,
    /// It is committed by itself when so much time has passed since everybody was upgraded; `None`: by command.
    pub soak: Option<Millis>,
    /// Whose crash rolls an upgrade back.
    pub on_crash: OnCrash,
    /// So many may be unavailable at a time, the one in hand among them.
    pub most_unavailable: u32,
    /// How many partitions there are, and how many members each has.
    pub partitions: Partitions,
    /// What needs exactly one master each.
    pub devices: Vec<N::Device>,
    /// Partitions may lose their quorum, and devices their masters, while nodes are upgraded.
    pub interrupts: bool,
    /// An upgrade that has not gone on for so long goes back.
    pub deadline: Option<Millis>,
    /// What a person commands.
    pub command: Option<Command<N>>,
}

/// Whose crash rolls an upgrade back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OnCrash {
    /// That of a node with the new version.
    NewVersion,
    /// Anybody's.
    Any,
    /// Nobody's.
    Never,
}

/// How many partitions there are, and how many members each has at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Partitions {
    /// So many.
    pub count: u32,
    /// Of so many members.
    pub size: u32,
}

/// What a person commands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Command<N: Names> {
    /// What is to be done.
    pub verb: Verb,
    /// With whom, if it is about a member.
    pub member: Option<N::Member>,
    /// Which command it is: one that was answered is not done again.
    pub ticket: N::Ticket,
}

/// What can be commanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verb {
    /// Begin an upgrade to the next version.
    Initialize,
    /// Move a member: to the new version, or back if it was rolled back.
    Node,
    /// Let the new version serve.
    Run,
    /// End the upgrade: there is no way back any more.
    Commit,
    /// Go back.
    Rollback,
    /// End an upgrade that was rolled back.
    Reset,
    /// Go on with an upgrade that was rolled back, because the old version does not work any more.
    Forward,
    /// Count a lost member no more.
    Forget,
}

impl Verb {
    /// All of them.
    pub const ALL: [Verb; 8] = [
        Verb::Initialize,
        Verb::Node,
        Verb::Run,
        Verb::Commit,
        Verb::Rollback,
        Verb::Reset,
        Verb::Forward,
        Verb::Forget,
    ];

    /// Whether it is about a member.
    pub fn is_about_a_member(self) -> bool {
        matches!(self, Verb::Node | Verb::Forget)
    }
}

/// The one truth about a group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Status<N: Names> {
    /// How far an upgrade has come.
    pub phase: Phase,
    /// The version whose nodes are masters; `None` before it was begun.
    pub serving: Option<N::Version>,
    /// The version that an upgrade comes from, and the one that it goes to.
    pub pair: Option<Pair<N>>,
    /// How often an upgrade was begun.
    pub attempt: u64,
    /// Who is in the group.
    pub seats: BTreeMap<N::Member, Seat<N>>,
    /// Who is being moved.
    pub hand: Option<Hand<N>>,
    /// Who was moved last.
    pub last: Option<N::Member>,
    /// By version, and by partition: its members.
    pub lists: BTreeMap<N::Version, Lists<N>>,
    /// Who is master of what.
    pub devices: BTreeMap<N::Device, Mastery<N>>,
    /// The version that was rolled back, and the generation of the spec since which it is known to be so: it is not tried again
    /// until the spec changes. Commands are no such change.
    pub failed: Option<(N::Version, u64)>,
    /// It was gone forward with after it was rolled back: a crash does not roll it back again.
    pub forwarded: bool,
    /// When it went on last, by the clock on the wall.
    pub since: Millis,
    /// What was said to the last command.
    pub answered: Option<Answered<N>>,
}

/// By partition: its members, in order.
pub type Lists<N> = Vec<Vec<<N as Names>::Member>>;

impl<N: Names> Default for Status<N> {
    fn default() -> Status<N> {
        Status {
            phase: Phase::Inactive,
            serving: None,
            pair: None,
            attempt: 0,
            seats: BTreeMap::new(),
            hand: None,
            last: None,
            lists: BTreeMap::new(),
            devices: BTreeMap::new(),
            failed: None,
            forwarded: false,
            since: Millis(0),
            answered: None,
        }
    }
}

/// How far an upgrade has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// There is none: all nodes have one version.
    Inactive,
    /// Some nodes may have the new version, and the old one serves.
    Initialized,
    /// The new version serves.
    Upgraded,
    /// It goes back.
    RolledBack,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 4] = [Phase::Inactive, Phase::Initialized, Phase::Upgraded, Phase::RolledBack];
}

/// The two versions of an upgrade. They are neighbours.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pair<N: Names> {
    /// The one that it comes from.
    pub old: N::Version,
    /// The one that it goes to.
    pub new: N::Version,
}

impl<N: Names> Pair<N> {
    /// The other one of the two.
    pub fn other(&self, version: &N::Version) -> &N::Version {
        if *version == self.old { &self.new } else { &self.old }
    }
}

/// A member's place in its group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Seat<N: Names> {
    /// Which of those that had its name.
    pub uid: N::Uid,
    /// The version that it has, or is to have.
    pub version: N::Version,
    /// What was found out about it, and acted on.
    pub state: SeatState,
}

/// What was found out about a member, and acted on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SeatState {
    /// Nothing.
    Present,
    /// Its software died more often than it is started again.
    Crashed,
    /// Its lease has lapsed.
    Lost,
}

/// A member that is being moved to another version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Hand<N: Names> {
    /// Who.
    pub member: N::Member,
    /// To which version.
    pub to: N::Version,
    /// It has let go of its devices, and is to run that version now.
    pub moves: bool,
}

/// Who is master of a device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mastery<N: Names> {
    /// Who is, or was last; `None` if nobody ever was.
    pub master: Option<N::Member>,
    /// How often it was given.
    pub epoch: Epoch,
    /// It is taken from its master, and not given to anybody yet.
    pub leaves: bool,
}

/// What was said to a command.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Answered<N: Names> {
    /// To which.
    pub ticket: N::Ticket,
    /// Why it was refused, and what to do; `None` if it was done.
    pub refused: Option<N::Text>,
}

/// What people are told of a group beside its status.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Told<N: Names> {
    /// In a word.
    pub mood: Mood,
    /// In a sentence: what it waits for, or what is wrong, and what to do.
    pub words: N::Text,
    /// For which generation.
    pub observed: u64,
}

/// How a group stands, in a word.
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

/// A cluster, as far as upgrades know it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cluster<N: Names> {
    /// Its name.
    pub name: N::Cluster,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// Updates may be changing it.
    pub updates: bool,
    /// The group that is being upgraded on it, and in which attempt.
    pub upgrade: Option<(N::Group, u64)>,
}
