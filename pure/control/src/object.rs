//! What the loop must know of an object.

use std::fmt;

/// The version of an object: greater is later. Nobody calculates with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub u64);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where an object is: its kind, and its name in that.
pub trait Id: Clone + Ord + fmt::Debug {
    /// What is watched together.
    type Kind: Copy + Ord + fmt::Debug;

    /// The kind of the object.
    fn kind(&self) -> Self::Kind;
}

/// An object of any kind that a controller watches or writes.
pub trait Object: Clone + Eq + fmt::Debug {
    /// Where objects are.
    type Id: Id;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Eq + fmt::Debug;

    /// Where it is.
    fn id(&self) -> Self::Id;

    /// Which one it is of those that had its name.
    fn uid(&self) -> Self::Uid;

    /// The version of its last change.
    fn version(&self) -> Version;

    /// How often people have changed what they want of it; `None` if it is not for people to edit.
    fn wish(&self) -> Option<u64>;
}

/// The kind of an object `O`.
pub type KindOf<O> = <<O as Object>::Id as Id>::Kind;
