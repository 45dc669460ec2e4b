//! Objects of any kind, and where they are.

use std::fmt;

use bowline_control::Version;

use crate::state::{Cluster, Names, Stack, Update};

/// An object of any kind that the protocol knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object<N: Names> {
    /// A stack.
    Stack(Stack<N>),
    /// An update.
    Update(Update<N>),
    /// A cluster.
    Cluster(Cluster<N>),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Id<Stack, Update, Cluster> {
    /// A stack.
    Stack(Stack),
    /// An update of a stack.
    Update(Stack, Update),
    /// A cluster.
    Cluster(Cluster),
}

/// Where an object is, by names.
pub type IdOf<N> = Id<<N as Names>::Stack, <N as Names>::Update, <N as Names>::Cluster>;

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Stacks.
    Stack,
    /// Updates.
    Update,
    /// Clusters.
    Cluster,
}

impl<Stack, Update, Cluster> bowline_control::Id for Id<Stack, Update, Cluster>
where
    Stack: Clone + Ord + fmt::Debug,
    Update: Clone + Ord + fmt::Debug,
    Cluster: Clone + Ord + fmt::Debug,
{
    type Kind = Kind;

    fn kind(&self) -> Kind {
        match self {
            Id::Stack(_) => Kind::Stack,
            Id::Update(..) => Kind::Update,
            Id::Cluster(_) => Kind::Cluster,
        }
    }
}

impl<Stack: fmt::Display, Update: fmt::Display, Cluster: fmt::Display> fmt::Display
    for Id<Stack, Update, Cluster>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Stack(name) => write!(f, "the stack {name}"),
            Id::Update(_, name) => write!(f, "the update {name}"),
            Id::Cluster(name) => write!(f, "the cluster {name}"),
        }
    }
}

impl<N: Names> bowline_control::Object for Object<N> {
    type Id = IdOf<N>;
    type Uid = N::Uid;

    fn id(&self) -> IdOf<N> {
        match self {
            Object::Stack(stack) => Id::Stack(stack.name.clone()),
            Object::Update(update) => Id::Update(update.stack.clone(), update.name.clone()),
            Object::Cluster(cluster) => Id::Cluster(cluster.name.clone()),
        }
    }

    fn uid(&self) -> N::Uid {
        match self {
            Object::Stack(stack) => stack.uid.clone(),
            Object::Update(update) => update.uid.clone(),
            Object::Cluster(cluster) => cluster.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Object::Stack(stack) => stack.version,
            Object::Update(update) => update.version,
            Object::Cluster(cluster) => cluster.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        match self {
            Object::Stack(stack) => Some(stack.generation),
            Object::Update(_) | Object::Cluster(_) => None,
        }
    }
}
