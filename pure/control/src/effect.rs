//! What is done, and what is answered.

use crate::object::Object;

/// A write to the API. What it rests on, it was read at a version: it is refused if that is not the newest any more.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Write<O> {
    /// A new object. Its uid and version mean nothing.
    Create(O),
    /// An object as it was read, and as it shall be, its status aside.
    Change {
        /// As it was read.
        before: O,
        /// As it shall be.
        after: O,
    },
    /// An object as it was read, and as its status shall be.
    Status {
        /// As it was read.
        before: O,
        /// With the status that it shall have.
        after: O,
    },
    /// An object as it was read: it goes.
    Delete(O),
}

impl<O: Object> Write<O> {
    /// Which object is written.
    pub fn id(&self) -> O::Id {
        self.object().id()
    }

    /// The object as it was read; a new one was not.
    pub fn before(&self) -> Option<&O> {
        match self {
            Write::Create(_) => None,
            Write::Change { before, .. } | Write::Status { before, .. } | Write::Delete(before) => {
                Some(before)
            }
        }
    }

    fn object(&self) -> &O {
        match self {
            Write::Create(object) => object,
            Write::Change { before, .. } | Write::Status { before, .. } | Write::Delete(before) => before,
        }
    }
}

/// What is to be done: one thing, that a crash may come before or after.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Effect<O: Object, Call> {
    /// A write to the API.
    Write(Write<O>),
    /// A look at one object, at the server and not in the cache: as a list by name, since "not found" carries no
    /// version.
    Look(O::Id),
    /// A call to something outside.
    Call(Call),
}

/// What came of an effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer<O, Reply> {
    /// The object, as the write left it, or as it was seen.
    Is(O),
    /// The object is gone, or not there.
    Gone,
    /// The write was refused, and nothing has changed.
    Refused(Refusal),
    /// No answer. It may have happened or not, and may even happen later.
    Unknown(String),
    /// What the outside says.
    Replied(Reply),
}

/// Why a write was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// What it rests on is not so any more: the object is at another version, is another one, is gone, or is there
    /// already.
    Outdated,
    /// Anything else, in words for people. It is tried again after a rest.
    Other(String),
}
