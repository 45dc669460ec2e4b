//! Found states, divided by hash, so that threads insert without meeting.

use crate::shelf::Shelf;

/// How many parts: a constant, so that numbering does not depend on the number of threads.
pub(crate) const SHARDS: usize = 64;
const LOCAL_BITS: u32 = 32 - SHARDS.ilog2();
const LOCAL_MASK: u32 = (1 << LOCAL_BITS) - 1;
/// How many states a shard can number: the last number is kept free, so that no state is called NONE.
pub(crate) const MOST_STATES: u32 = LOCAL_MASK;

/// Names a found state: its shard, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StateId(pub(crate) u32);

impl StateId {
    /// What an initial state has for a parent.
    pub(crate) const NONE: StateId = StateId(u32::MAX);

    #[inline]
    pub(crate) fn new(shard: usize, local: u32) -> StateId {
        assert!(local < MOST_STATES, "more states than can be numbered");
        StateId((shard as u32) << LOCAL_BITS | local)
    }

    #[inline]
    pub(crate) fn shard(self) -> usize {
        (self.0 >> LOCAL_BITS) as usize
    }

    #[inline]
    pub(crate) fn local(self) -> u32 {
        self.0 & LOCAL_MASK
    }
}

/// The shard of a hash: its lowest bits.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    hash as usize % SHARDS
}

/// One part of the found states.
pub(crate) struct Shard<H> {
    pub(crate) shelf: H,
    /// From which state each was found first.
    pub(crate) parents: Vec<StateId>,
    /// Where the states of the level that is being filled begin.
    level_start: u32,
}

impl<H: Default> Default for Shard<H> {
    fn default() -> Self {
        Shard { shelf: H::default(), parents: Vec::new(), level_start: 0 }
    }
}

impl<H> Shard<H> {
    /// The number of the state; a new one gets this parent.
    #[inline]
    pub(crate) fn insert<S>(&mut self, mark: H::Mark, state: S, parent: StateId) -> u32
    where
        H: Shelf<S>,
    {
        let (local, new) = self.shelf.insert(mark, state);
        if new {
            self.parents.push(parent);
        }
        local
    }

    /// Ends the level that was being filled: it is expanded next.
    pub(crate) fn next_level<S>(&mut self)
    where
        H: Shelf<S>,
    {
        self.shelf.retire(self.level_start);
        self.level_start = self.shelf.len();
    }

    pub(crate) fn bytes<S>(&self) -> usize
    where
        H: Shelf<S>,
    {
        self.shelf.bytes() + self.parents.len() * size_of::<StateId>()
    }
}
