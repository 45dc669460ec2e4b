//! The objects of the protocol.

use std::fmt;
use std::hash::Hash;

use bowline_control::Version;

/// What names are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// The name of a cluster.
    type Name: Clone + Ord + Hash + fmt::Debug;
    /// What tells a cluster from one that had its name before, and a server from all others.
    type Uid: Clone + Eq + Hash + fmt::Debug;
    /// Where a kubeconfig is kept.
    type Secret: Clone + Eq + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str> + AsRef<str>;
}

/// A cluster that Bowline acts on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cluster<N: Names> {
    /// Its name.
    pub name: N::Name,
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
    /// How it is reached.
    pub way: Way<N::Secret>,
    /// The namespaces that may use it are named one by one: neither all, nor those with a label.
    pub named: bool,
    /// What people are told; `None` if nobody has looked, or somebody else has spoiled what was told.
    pub status: Option<Status<N::Text>>,
    /// Where the status says that its server is, whatever became of the rest of it. That of an embedded one says that it
    /// was started once.
    pub place: Option<Place<N::Text>>,
    /// Which server the status says that it is, whatever became of the rest of it: the one by which it could be used first. It
    /// stays that one. `None` if that is not known.
    pub server: Option<N::Uid>,
}

impl<N: Names> Cluster<N> {
    /// Where it was when it was started, if it is embedded and was.
    pub(crate) fn begun(&self) -> Option<&Place<N::Text>> {
        self.place.as_ref().filter(|_| self.way == Way::Embedded)
    }

    /// Whether this is known to be another server than its own.
    pub(crate) fn is_not(&self, server: Option<&N::Uid>) -> bool {
        matches!((&self.server, server), (Some(own), Some(other)) if own != other)
    }
}

/// What a server is to the hub.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Server {
    /// Not the hub.
    Other,
    /// The hub itself: the server that has the Cluster.
    Hub,
    /// It may be the hub: its credentials may not ask.
    Unsaid,
}

/// How a cluster is reached.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Way<Secret> {
    /// It is an API server inside the hub.
    Embedded,
    /// By a kubeconfig, which is kept there.
    Kubeconfig(Secret),
}

/// What people are told of a cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Status<Text> {
    /// What was found.
    pub finding: Finding<Text>,
    /// For which generation.
    pub observed: u64,
}

/// What was found by a look at a cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding<Text> {
    /// In a word.
    pub found: Found,
    /// In a sentence: what is wrong, and what to do about it.
    pub words: Text,
    /// The version of its server, if it says one.
    pub release: Option<Text>,
    /// Where its server is, if that is known.
    pub place: Option<Place<Text>>,
}

/// Where a cluster's server is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place<Text> {
    /// The server's address.
    pub server: Text,
    /// The file of the administrator's kubeconfig, on the hub's machine, if it is embedded.
    pub kubeconfig: Option<Text>,
}

/// What was found, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Found {
    /// It can be used.
    Usable,
    /// It can be used, but not for everything: we are not allowed to do that.
    Limited,
    /// It answers, and says that it is not ready.
    NotReady,
    /// It answers, and does not know us.
    Unauthorized,
    /// It answers, and is too old.
    TooOld,
    /// It does not answer.
    Silent,
    /// There is no kubeconfig where it should be.
    NoKubeconfig,
    /// The kubeconfig cannot be used.
    BadKubeconfig,
    /// It is embedded, and does not start.
    DoesNotStart,
    /// It is embedded, was started once, and what it held is gone.
    Lost,
    /// It is embedded, and we are not in a hub.
    NotHere,
    /// A step did not work, and is tried again.
    Failing,
    /// The steps lead nowhere.
    Stalled,
    /// It is the hub itself, and does not say by name who may use it.
    Exposed,
    /// Its kubeconfig leads to another server than before.
    OtherServer,
}

impl Found {
    /// All of them.
    pub const ALL: [Found; 15] = [
        Found::Usable,
        Found::Limited,
        Found::NotReady,
        Found::Unauthorized,
        Found::TooOld,
        Found::Silent,
        Found::NoKubeconfig,
        Found::BadKubeconfig,
        Found::DoesNotStart,
        Found::Lost,
        Found::NotHere,
        Found::Failing,
        Found::Stalled,
        Found::Exposed,
        Found::OtherServer,
    ];

    /// Whether something can be done on it.
    pub fn is_ready(self) -> bool {
        matches!(self, Found::Usable | Found::Limited)
    }

    /// Whether it answers; `None` if nobody has asked.
    pub fn answers(self) -> Option<bool> {
        match self {
            Found::Usable
            | Found::Limited
            | Found::NotReady
            | Found::Unauthorized
            | Found::TooOld
            | Found::Exposed
            | Found::OtherServer => Some(true),
            Found::Silent | Found::NoKubeconfig | Found::BadKubeconfig | Found::DoesNotStart => Some(false),
            Found::Lost | Found::NotHere | Found::Failing | Found::Stalled => None,
        }
    }
}

impl<N: Names> bowline_control::Object for Cluster<N> {
    type Id = Id<N::Name>;
    type Uid = N::Uid;

    fn id(&self) -> Id<N::Name> {
        Id(self.name.clone())
    }

    fn uid(&self) -> N::Uid {
        self.uid.clone()
    }

    fn version(&self) -> Version {
        self.version
    }

    fn wish(&self) -> Option<u64> {
        Some(self.generation)
    }
}

/// Where a cluster is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id<Name>(pub Name);

impl<Name: fmt::Display> fmt::Display for Id<Name> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the cluster {}", self.0)
    }
}

impl<Name: Clone + Ord + fmt::Debug> bowline_control::Id for Id<Name> {
    type Kind = ();

    fn kind(&self) {}
}
