//! What the kernel must know of an object.

use std::fmt;

/// The one counter of a store: it grows with every change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Version(pub u64);

impl Version {
    /// The version of the next change.
    #[must_use]
    pub fn next(self) -> Version {
        Version(self.0 + 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where an object is: its resource, its namespace if it has one, its name.
///
/// Keys are ordered by resource first: what is listed together lies together.
pub trait Key: Clone + Ord + fmt::Debug {
    /// What is listed and watched together.
    type Resource: Clone + Ord + fmt::Debug;

    /// The resource that the key belongs to.
    fn resource(&self) -> &Self::Resource;

    /// The key of the namespace that the object lives in.
    fn home(&self) -> Option<Self>;
}

/// An object of the API.
pub trait Object: Clone {
    /// Where objects are.
    type Key: Key;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Ord + fmt::Debug;
    /// The name of a finalizer.
    type Mark: Clone + Ord + fmt::Debug;
    /// A moment, as the caller tells time.
    type Time: Clone + Eq + fmt::Debug;
    /// A change that depends on what is there: see [`Object::apply`].
    type Change: Clone + fmt::Debug;
    /// Why a change cannot be.
    type Refusal: fmt::Debug;

    /// Where it is.
    fn key(&self) -> &Self::Key;

    /// What the kernel decides by.
    fn meta(&self) -> &MetaOf<Self>;

    /// Takes what the kernel decided.
    fn stamp(&mut self, meta: MetaOf<Self>);

    /// Who else has to agree before it goes: joins its finalizers when its deletion begins.
    fn holder(&self) -> Option<Finalizer<Self::Mark>> {
        None
    }

    /// How it ends if nobody says how: whoever runs it may need time.
    fn end(&self, now: &Self::Time) -> Deletion<Self::Time> {
        Deletion { at: now.clone(), grace_s: 0 }
    }

    /// Whether somebody runs it, who sees that it is to end before it is gone, also if there is no time for that.
    fn is_run(&self) -> bool {
        false
    }

    /// Whether the two say the same, versions aside.
    fn same(&self, other: &Self) -> bool;

    /// Whether what is wanted of the object differs: what counts a generation.
    fn spec_differs(&self, other: &Self) -> bool;

    /// The object after a change to what is there, which may be nothing.
    ///
    /// # Errors
    /// What the object says against it.
    fn apply(current: Option<&Self>, change: &Self::Change) -> Result<Self, Self::Refusal>;
}

/// The metadata that the kernel decides by.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Meta<K, U, M, T> {
    /// What tells the object from one that had its name before.
    pub uid: U,
    /// The version of its last change.
    pub version: Version,
    /// How often what is wanted of it has changed; `None` where nobody counts.
    pub generation: Option<u64>,
    /// It is being deleted.
    pub deletion: Option<Deletion<T>>,
    /// Who has to agree before it goes.
    pub finalizers: Vec<Finalizer<M>>,
    /// What it belongs to.
    pub owners: Vec<Owner<K, U>>,
}

/// The metadata of an object `O`.
pub type MetaOf<O> = Meta<<O as Object>::Key, <O as Object>::Uid, <O as Object>::Mark, <O as Object>::Time>;

impl<K, U, M: PartialEq, T> Meta<K, U, M, T> {
    /// Whether nothing holds it any more, so that it goes.
    pub fn is_done(&self) -> bool {
        self.finalizers.is_empty() && self.deletion.as_ref().is_some_and(|deletion| deletion.grace_s == 0)
    }

    /// Whether it has this finalizer.
    pub fn has(&self, finalizer: &Finalizer<M>) -> bool {
        self.finalizers.contains(finalizer)
    }
}

/// The deletion of an object has begun.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Deletion<T> {
    /// When it is due.
    pub at: T,
    /// How long whoever runs it may take to end it. Only who deletes it again with 0 makes it go.
    pub grace_s: u64,
}

/// Who has to agree before an object goes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Finalizer<M> {
    /// The collector: first everything that it owns goes.
    Foreground,
    /// The collector: first everything that it owns forgets it.
    Orphan,
    /// A namespace: first its contents go.
    Contents,
    /// Somebody else.
    Named(M),
}

/// What an object belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owner<K, U> {
    /// Where the owner is; `None` if its kind is not known, and then it is taken to live.
    pub key: Option<K>,
    /// Which of those that had that name.
    pub uid: U,
    /// Whether the owner, deleted in the foreground, waits for this object.
    pub blocks: bool,
}

/// The owner of an object `O`.
pub type OwnerOf<O> = Owner<<O as Object>::Key, <O as Object>::Uid>;
