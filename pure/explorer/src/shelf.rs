//! Where found states are kept: exactly, or as fingerprints.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use siphasher::sip128::{Hasher128, SipHasher13};

/// A set of states, each with a number in the order of insertion.
pub(crate) trait Shelf<S>: Default + Send + Sync {
    /// What is computed of a state once and travels with it.
    type Mark: Copy + Send + Sync;

    /// The mark of a state.
    fn mark(state: &S) -> Self::Mark;
    /// A well-mixed hash.
    fn hash(mark: Self::Mark) -> u64;
    /// The number of a state, and whether it is new.
    fn insert(&mut self, mark: Self::Mark, state: S) -> (u32, bool);
    /// How many states there are.
    fn len(&self) -> u32;
    /// The state with a number that was not yet retired.
    fn get(&self, number: u32) -> &S;
    /// Whether the state with this number is `state`.
    fn is(&self, number: u32, state: &S) -> bool;
    /// States below this number will not be asked for again with [`Shelf::get`].
    fn retire(&mut self, below: u32);
    /// Memory held.
    fn bytes(&self) -> usize;
}

/// Keeps the states themselves.
pub(crate) struct Exact<S> {
    numbers: HashTable<u32>,
    states: Vec<S>,
}

impl<S> Default for Exact<S> {
    fn default() -> Self {
        Exact { numbers: HashTable::new(), states: Vec::new() }
    }
}

impl<S: Eq + Hash + Send + Sync> Shelf<S> for Exact<S> {
    type Mark = u64;

    #[inline]
    fn mark(state: &S) -> u64 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        // Fx leaves a difference in high bits there; shard, bucket and tag come from all over.
        let mixed = hasher.finish();
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ (mixed >> 32)
    }

    #[inline]
    fn hash(mark: u64) -> u64 {
        mark
    }

    #[inline]
    fn insert(&mut self, mark: u64, state: S) -> (u32, bool) {
        if let Some(number) = self.numbers.find(mark, |number| self.states[*number as usize] == state) {
            return (*number, false);
        }
        let number = self.len();
        self.states.push(state);
        let states = &self.states;
        self.numbers.insert_unique(mark, number, |number| Self::mark(&states[*number as usize]));
        (number, true)
    }

    fn len(&self) -> u32 {
        self.states.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &S {
        &self.states[number as usize]
    }

    fn is(&self, number: u32, state: &S) -> bool {
        self.get(number) == state
    }

    fn retire(&mut self, _below: u32) {}

    fn bytes(&self) -> usize {
        self.numbers.allocation_size() + self.states.capacity() * size_of::<S>()
    }
}

/// Keeps fingerprints, and the states of the frontier only.
pub(crate) struct Fingerprints<S> {
    numbers: HashTable<u32>,
    prints: Vec<u128>,
    frontier: Vec<S>,
    /// The number of the first state in `frontier`.
    frontier_start: u32,
}

impl<S> Default for Fingerprints<S> {
    fn default() -> Self {
        Fingerprints {
            numbers: HashTable::new(),
            prints: Vec::new(),
            frontier: Vec::new(),
            frontier_start: 0,
        }
    }
}

/// The fingerprint of a state: its chance to equal another's is that of random 128 bits.
#[inline]
pub(crate) fn fingerprint<S: Hash>(state: &S) -> u128 {
    let mut hasher = SipHasher13::new();
    state.hash(&mut hasher);
    hasher.finish128().as_u128()
}

impl<S: Eq + Hash + Send + Sync> Shelf<S> for Fingerprints<S> {
    type Mark = u128;

    #[inline]
    fn mark(state: &S) -> u128 {
        fingerprint(state)
    }

    #[inline]
    fn hash(mark: u128) -> u64 {
        mark as u64
    }

    #[inline]
    fn insert(&mut self, mark: u128, state: S) -> (u32, bool) {
        let hash = Self::hash(mark);
        if let Some(number) = self.numbers.find(hash, |number| self.prints[*number as usize] == mark) {
            return (*number, false);
        }
        let number = self.len();
        self.prints.push(mark);
        self.frontier.push(state);
        let prints = &self.prints;
        self.numbers.insert_unique(hash, number, |number| Self::hash(prints[*number as usize]));
        (number, true)
    }

    fn len(&self) -> u32 {
        self.prints.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &S {
        &self.frontier[(number - self.frontier_start) as usize]
    }

    fn is(&self, number: u32, state: &S) -> bool {
        self.prints[number as usize] == fingerprint(state)
    }

    fn retire(&mut self, below: u32) {
        self.frontier.drain(..(below - self.frontier_start) as usize);
        self.frontier_start = below;
    }

    fn bytes(&self) -> usize {
        self.numbers.allocation_size()
            + self.prints.capacity() * size_of::<u128>()
            + self.frontier.capacity() * size_of::<S>()
    }
}
