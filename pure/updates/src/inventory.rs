//! What a stack has touched on its cluster.

use std::collections::BTreeMap;

use crate::state::Names;

/// What a stack has touched, or is about to, since its last good version was confirmed. It is recorded before anything is
/// done, so that whoever comes after a crash knows what to undo.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inventory<N: Names>(pub BTreeMap<N::Place, Origin<N>>);

/// Where a touched object comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin<N: Names> {
    /// The stack makes it.
    Created,
    /// It was there before, and said this.
    Adopted(N::Body),
}

impl<N: Names> Default for Inventory<N> {
    fn default() -> Inventory<N> {
        Inventory(BTreeMap::new())
    }
}

/// What a version wants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Content<N: Names>(pub BTreeMap<N::Place, Wanted<N>>);

/// An object that a version wants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted<N: Names> {
    /// Objects of a wave are applied together, when all of the waves before are there.
    pub wave: u8,
    /// What it shall say.
    pub body: N::Body,
}

impl<N: Names> Default for Content<N> {
    fn default() -> Content<N> {
        Content(BTreeMap::new())
    }
}
