//! Objects of any kind, and where they are.

use std::fmt;

use bowline_control::Version;

use crate::state::{Account, Cluster, Identity, Names, Tombstone};

/// An object of any kind that the protocol knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object<N: Names> {
    /// An identity.
    Identity(Identity<N>),
    /// A service account.
    Account(Account<N>),
    /// What is left of identities that were deleted.
    Tombstone(Tombstone<N>),
    /// A cluster.
    Cluster(Cluster<N>),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Id<Name, Account, Cluster> {
    /// An identity.
    Identity(Name),
    /// A service account.
    Account(Account),
    /// What is left of an identity.
    Tombstone(Name),
    /// A cluster.
    Cluster(Cluster),
}

/// Where an object is, by names.
pub type IdOf<N> = Id<<N as Names>::Name, <N as Names>::Account, <N as Names>::Cluster>;

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Identities.
    Identity,
    /// Service accounts.
    Account,
    /// What is left of identities.
    Tombstone,
    /// Clusters.
    Cluster,
}

impl<Name, Account, Cluster> bowline_control::Id for Id<Name, Account, Cluster>
where
    Name: Clone + Ord + fmt::Debug,
    Account: Clone + Ord + fmt::Debug,
    Cluster: Clone + Ord + fmt::Debug,
{
    type Kind = Kind;

    fn kind(&self) -> Kind {
        match self {
            Id::Identity(_) => Kind::Identity,
            Id::Account(_) => Kind::Account,
            Id::Tombstone(_) => Kind::Tombstone,
            Id::Cluster(_) => Kind::Cluster,
        }
    }
}

impl<Name: fmt::Display, Account: fmt::Display, Cluster: fmt::Display> fmt::Display
    for Id<Name, Account, Cluster>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Identity(name) => write!(f, "the identity {name}"),
            Id::Account(name) => write!(f, "the service account {name}"),
            Id::Tombstone(name) => write!(f, "the tombstone of the identity {name}"),
            Id::Cluster(name) => write!(f, "the cluster {name}"),
        }
    }
}

impl<N: Names> bowline_control::Object for Object<N> {
    type Id = IdOf<N>;
    type Uid = N::Uid;

    fn id(&self) -> IdOf<N> {
        match self {
            Object::Identity(identity) => Id::Identity(identity.name.clone()),
            Object::Account(account) => Id::Account(account.name.clone()),
            Object::Tombstone(tombstone) => Id::Tombstone(tombstone.name.clone()),
            Object::Cluster(cluster) => Id::Cluster(cluster.name.clone()),
        }
    }

    fn uid(&self) -> N::Uid {
        match self {
            Object::Identity(identity) => identity.uid.clone(),
            Object::Account(account) => account.uid.clone(),
            Object::Tombstone(tombstone) => tombstone.uid.clone(),
            Object::Cluster(cluster) => cluster.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Object::Identity(identity) => identity.version,
            Object::Account(account) => account.version,
            Object::Tombstone(tombstone) => tombstone.version,
            Object::Cluster(cluster) => cluster.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        match self {
            Object::Identity(identity) => Some(identity.generation),
            Object::Account(_) | Object::Tombstone(_) | Object::Cluster(_) => None,
        }
    }
}
