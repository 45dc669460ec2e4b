//! The objects of the protocol.

use std::fmt;
use std::hash::Hash;

use bowline_control::Version;

/// What names are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// The name of a pair.
    type Name: Clone + Ord + Hash + fmt::Debug;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Default + Eq + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str>;
}

/// The kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// What people make.
    Pair,
    /// What is made for them.
    Half,
}

/// One of the two halves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The one that is made first.
    Left,
    /// The one that is removed first.
    Right,
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Id<Name> {
    /// A pair.
    Pair(Name),
    /// A half, named after a pair.
    Half(Name, Side),
}

/// Any of the objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object<N: Names> {
    /// What people make.
    Pair(Pair<N>),
    /// What is made for them.
    Half(Half<N>),
}

/// Two halves that belong together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pair<N: Names> {
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
    /// What its halves shall carry.
    pub value: u32,
    /// What people are told.
    pub status: Status<N::Text>,
}

/// What people are told of a pair.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Status<Text> {
    /// How it stands.
    pub phase: Phase<Text>,
    /// For which generation that was found.
    pub observed: u64,
}

/// How a pair stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Phase<Text> {
    /// Nobody has looked.
    New,
    /// It waits.
    Waiting(crate::Wait),
    /// Both halves are as they should be.
    Ready,
    /// The last step did not work, and is tried again.
    Failing(Text),
    /// The steps lead nowhere.
    Stalled(Text),
}

/// One half of a pair.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Half<N: Names> {
    /// The pair that it is named after.
    pub pair: N::Name,
    /// Which of the two.
    pub side: Side,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// The pair that it belongs to.
    pub owner: Option<Owner<N>>,
    /// What it carries.
    pub value: u32,
    /// Somebody says that it works.
    pub ready: bool,
}

/// The pair that a half belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owner<N: Names> {
    /// Its name.
    pub name: N::Name,
    /// Which of those that had that name.
    pub uid: N::Uid,
}

impl Side {
    /// Both, in the order in which they are made.
    pub const ALL: [Side; 2] = [Side::Left, Side::Right];
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Left => "left",
            Side::Right => "right",
        })
    }
}

impl<Name: fmt::Display> fmt::Display for Id<Name> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Pair(name) => write!(f, "the pair {name}"),
            Id::Half(name, side) => write!(f, "the {side} half of {name}"),
        }
    }
}

impl<Name: Clone + Ord + fmt::Debug> bowline_control::Id for Id<Name> {
    type Kind = Kind;

    fn kind(&self) -> Kind {
        match self {
            Id::Pair(_) => Kind::Pair,
            Id::Half(..) => Kind::Half,
        }
    }
}

impl<N: Names> Object<N> {
    /// The pairs that it concerns: the one that it belongs to, and the one whose half's name it has.
    pub(crate) fn keys(&self) -> Vec<N::Name> {
        match self {
            Object::Pair(pair) => vec![pair.name.clone()],
            Object::Half(half) => {
                let mut keys = vec![half.pair.clone()];
                keys.extend(half.owner.as_ref().map(|owner| owner.name.clone()));
                keys.dedup();
                keys
            }
        }
    }
}

impl<N: Names> bowline_control::Object for Object<N> {
    type Id = Id<N::Name>;
    type Uid = N::Uid;

    fn id(&self) -> Id<N::Name> {
        match self {
            Object::Pair(pair) => Id::Pair(pair.name.clone()),
            Object::Half(half) => Id::Half(half.pair.clone(), half.side),
        }
    }

    fn uid(&self) -> N::Uid {
        match self {
            Object::Pair(pair) => pair.uid.clone(),
            Object::Half(half) => half.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Object::Pair(pair) => pair.version,
            Object::Half(half) => half.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        match self {
            Object::Pair(pair) => Some(pair.generation),
            Object::Half(_) => None,
        }
    }
}
