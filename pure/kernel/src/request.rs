//! What can be asked, and what is answered.

use std::sync::Arc;

use crate::object::{Object, Version};

/// A write.
#[derive(Clone, Debug)]
pub enum Request<O: Object> {
    /// A new object.
    Create(O),
    /// An object as it shall be from now on.
    Replace(O, ExpectOf<O>),
    /// A change to what is there, or to nothing.
    Apply(O::Key, O::Change),
    /// An object goes.
    Delete {
        /// Which.
        key: O::Key,
        /// What the caller believes of it.
        expect: ExpectOf<O>,
        /// What becomes of what it owns; `None` is what its finalizers say, and else `Background`.
        propagation: Option<Propagation>,
        /// How long whoever runs it may take to end it.
        grace_s: u64,
        /// When the deletion is due.
        at: O::Time,
    },
}

/// What a caller believes of an object: the write is refused if it is not so.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expect<U> {
    /// It is at this version.
    pub version: Option<Version>,
    /// It is this one.
    pub uid: Option<U>,
}

/// What a caller believes of an object `O`.
pub type ExpectOf<O> = Expect<<O as Object>::Uid>;

impl<U> Expect<U> {
    /// Nothing: whatever is there is written over.
    pub fn anything() -> Expect<U> {
        Expect { version: None, uid: None }
    }

    /// The object as it was read.
    pub fn version(version: Version) -> Expect<U> {
        Expect { version: Some(version), uid: None }
    }

    /// This object, at whatever version.
    pub fn uid(uid: U) -> Expect<U> {
        Expect { version: None, uid: Some(uid) }
    }
}

/// What becomes of what an object owns when it is deleted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Propagation {
    /// It goes afterwards.
    Background,
    /// It goes before.
    Foreground,
    /// It stays, and forgets its owner.
    Orphan,
}

/// What a request came to: the answer, and the change that brought it about, if any.
pub type Outcome<O> = Result<Answer<O>, RefusalOf<O>>;

/// A write that was accepted.
#[derive(Debug)]
pub enum Answer<O> {
    /// The object is new.
    Created(Arc<O>),
    /// The object is another one now.
    Changed(Arc<O>),
    /// The object was like that already. Its version stays.
    Unchanged(Arc<O>),
    /// The object is gone; this is its last state.
    Removed(Arc<O>),
}

impl<O: Object> Answer<O> {
    /// What has to follow at once: an object that was told to end, and is given no time for it, goes.
    pub fn rest(&self) -> Option<Request<O>> {
        let Answer::Changed(object) = self else { return None };
        let meta = object.meta();
        let deletion = meta.deletion.as_ref().filter(|_| meta.is_done())?;
        Some(Request::Delete {
            key: object.key().clone(),
            expect: Expect::version(meta.version),
            propagation: None,
            grace_s: deletion.grace_s,
            at: deletion.at.clone(),
        })
    }
}

impl<O> Answer<O> {
    /// The object after the write, or as it was last.
    pub fn object(&self) -> &Arc<O> {
        match self {
            Answer::Created(object)
            | Answer::Changed(object)
            | Answer::Unchanged(object)
            | Answer::Removed(object) => object,
        }
    }
}

/// Why a write is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal<U, R> {
    /// There is no such object.
    NotFound,
    /// There is one by that name.
    AlreadyExists,
    /// The object is at another version than the caller believes.
    Stale {
        /// What the caller believes.
        expected: Version,
        /// What it is.
        found: Version,
    },
    /// The name belongs to another object than the caller believes.
    Another {
        /// What the caller believes.
        expected: U,
        /// What it is.
        found: U,
    },
    /// Its namespace is not there.
    NoHome,
    /// Its namespace goes.
    HomeGoes,
    /// It is being deleted and takes no new finalizer.
    LateFinalizer,
    /// The change itself cannot be.
    Change(R),
}

/// Why a write to an object `O` is refused.
pub type RefusalOf<O> = Refusal<<O as Object>::Uid, <O as Object>::Refusal>;

/// One step of the history: what an object was before and is after.
#[derive(PartialEq, Eq, Debug)]
pub struct Change<O: Object> {
    /// When, in the one count of the store.
    pub version: Version,
    /// Which object.
    pub key: O::Key,
    /// What it was; `None` if it is new.
    pub before: Option<Arc<O>>,
    /// What it is. If it goes, its last state, at the version of its removal.
    pub after: Arc<O>,
    /// It is gone.
    pub removed: bool,
}

impl<O: Object> Clone for Change<O> {
    fn clone(&self) -> Self {
        Change {
            version: self.version,
            key: self.key.clone(),
            before: self.before.clone(),
            after: Arc::clone(&self.after),
            removed: self.removed,
        }
    }
}
