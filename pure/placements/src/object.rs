//! Objects of any kind, and where they are.

use std::fmt;

use bowline_control::Version;

use crate::grant::{Grant, Thing, ThingOf};
use crate::state::{Claim, Names, Placement, Volume};
use crate::target::Target;

/// An object of any kind that the protocol knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object<N: Names> {
    /// Where a namespace is.
    Placement(Placement<N>),
    /// Who may use a volume.
    Volume(Volume<N>),
    /// A workload cluster.
    Target(Target<N>),
    /// A volume that is asked for.
    Claim(Claim<N>),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Id<Namespace, Volume, Target> {
    /// The placement of a namespace.
    Placement(Namespace),
    /// The grant of a volume.
    Volume(Volume),
    /// A target.
    Target(Target),
    /// The claim of a volume, in its namespace.
    Claim(Namespace, Volume),
}

/// Where an object is, by names.
pub type IdOf<N> = Id<<N as Names>::Namespace, <N as Names>::Volume, <N as Names>::Target>;

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Placements.
    Placement,
    /// Volumes.
    Volume,
    /// Targets.
    Target,
    /// Claims.
    Claim,
}

impl<Namespace, Volume, Target> bowline_control::Id for Id<Namespace, Volume, Target>
where
    Namespace: Clone + Ord + fmt::Debug,
    Volume: Clone + Ord + fmt::Debug,
    Target: Clone + Ord + fmt::Debug,
{
    type Kind = Kind;

    fn kind(&self) -> Kind {
        match self {
            Id::Placement(_) => Kind::Placement,
            Id::Volume(_) => Kind::Volume,
            Id::Target(_) => Kind::Target,
            Id::Claim(..) => Kind::Claim,
        }
    }
}

impl<Namespace: fmt::Display, Volume: fmt::Display, Target: fmt::Display> fmt::Display
    for Id<Namespace, Volume, Target>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Placement(namespace) => write!(f, "the placement of {namespace}"),
            Id::Volume(volume) => write!(f, "the grant of the volume {volume}"),
            Id::Target(target) => write!(f, "the target {target}"),
            Id::Claim(namespace, volume) => write!(f, "the claim of {volume} in {namespace}"),
        }
    }
}

impl<N: Names> bowline_control::Object for Object<N> {
    type Id = IdOf<N>;
    type Uid = N::Uid;

    fn id(&self) -> IdOf<N> {
        match self {
            Object::Placement(placement) => Id::Placement(placement.name.clone()),
            Object::Volume(volume) => Id::Volume(volume.name.clone()),
            Object::Target(target) => Id::Target(target.name.clone()),
            Object::Claim(claim) => Id::Claim(claim.namespace.clone(), claim.volume.clone()),
        }
    }

    fn uid(&self) -> N::Uid {
        match self {
            Object::Placement(placement) => placement.uid.clone(),
            Object::Volume(volume) => volume.uid.clone(),
            Object::Target(target) => target.uid.clone(),
            Object::Claim(claim) => claim.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Object::Placement(placement) => placement.version,
            Object::Volume(volume) => volume.version,
            Object::Target(target) => target.version,
            Object::Claim(claim) => claim.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        match self {
            Object::Placement(placement) => Some(placement.generation),
            Object::Target(target) => Some(target.generation),
            Object::Volume(_) | Object::Claim(_) => None,
        }
    }
}

impl<N: Names> Object<N> {
    /// The grant that is in it, and of what.
    pub fn grant(&self) -> Option<(ThingOf<N>, &Grant<N>)> {
        match self {
            Object::Placement(placement) => {
                Some((Thing::Namespace(placement.name.clone()), &placement.grant))
            }
            Object::Volume(volume) => Some((Thing::Volume(volume.name.clone()), &volume.grant)),
            Object::Target(_) | Object::Claim(_) => None,
        }
    }
}
