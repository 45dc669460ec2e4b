//! Objects of any kind, and where they are.

use std::fmt;

use bowline_control::Version;

use crate::member::Member;
use crate::state::{Cluster, Group, Names};

/// An object of any kind that the protocol knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object<N: Names> {
    /// A group.
    Group(Group<N>),
    /// A member of a group.
    Member(Member<N>),
    /// A cluster.
    Cluster(Cluster<N>),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Id<Group, Member, Cluster> {
    /// A group.
    Group(Group),
    /// A member, by its group and its name there.
    Member(Group, Member),
    /// A cluster.
    Cluster(Cluster),
}

/// Where an object is, by names.
pub type IdOf<N> = Id<<N as Names>::Group, <N as Names>::Member, <N as Names>::Cluster>;

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Groups.
    Group,
    /// Members.
    Member,
    /// Clusters.
    Cluster,
}

impl<Group, Member, Cluster> bowline_control::Id for Id<Group, Member, Cluster>
where
    Group: Clone + Ord + fmt::Debug,
    Member: Clone + Ord + fmt::Debug,
    Cluster: Clone + Ord + fmt::Debug,
{
    type Kind = Kind;

    fn kind(&self) -> Kind {
        match self {
            Id::Group(_) => Kind::Group,
            Id::Member(..) => Kind::Member,
            Id::Cluster(_) => Kind::Cluster,
        }
    }
}

impl<Group: fmt::Display, Member: fmt::Display, Cluster: fmt::Display> fmt::Display
    for Id<Group, Member, Cluster>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Group(name) => write!(f, "the group {name}"),
            Id::Member(group, name) => write!(f, "the member {name} of the group {group}"),
            Id::Cluster(name) => write!(f, "the cluster {name}"),
        }
    }
}

impl<N: Names> bowline_control::Object for Object<N> {
    type Id = IdOf<N>;
    type Uid = N::Uid;

    fn id(&self) -> IdOf<N> {
        match self {
            Object::Group(group) => Id::Group(group.name.clone()),
            Object::Member(member) => Id::Member(member.group.clone(), member.name.clone()),
            Object::Cluster(cluster) => Id::Cluster(cluster.name.clone()),
        }
    }

    fn uid(&self) -> N::Uid {
        match self {
            Object::Group(group) => group.uid.clone(),
            Object::Member(member) => member.uid.clone(),
            Object::Cluster(cluster) => cluster.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Object::Group(group) => group.version,
            Object::Member(member) => member.version,
            Object::Cluster(cluster) => cluster.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        match self {
            Object::Group(group) => Some(group.generation),
            Object::Member(_) | Object::Cluster(_) => None,
        }
    }
}
