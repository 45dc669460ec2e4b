//! What is asked of those who watch over the leases, and what they say. How steps are done is in [`crate::steps`].

use std::collections::BTreeMap;

use crate::state::Names;

/// How the leases of a group's members stand. It can be asked as often as one likes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<N: Names> {
    /// The group.
    pub group: N::Group,
    /// Its members, each with the generation that was shown of it. That a lease has lapsed is said only if the server,
    /// asked after that, says so too.
    pub members: BTreeMap<N::Member, u64>,
}

/// What is said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply<N: Names> {
    /// To what.
    pub to: Call<N>,
    /// How each lease stands; or why that is not known.
    pub said: Result<BTreeMap<N::Member, Pulse>, String>,
    /// More than half of all leases of the hub have lapsed together: it suspects itself, and none is said to have lapsed.
    pub suspect: bool,
}

/// How a lease stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pulse {
    /// It is renewed.
    Live,
    /// It is not renewed, or there is none; and that is not judged yet.
    Silent,
    /// It has lapsed: who held it has stopped by now, if it is fenced.
    Lapsed,
}
