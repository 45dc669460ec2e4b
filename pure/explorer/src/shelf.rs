//! Where found states are kept: exactly, or as fingerprints.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::numbers::{BLOCK, Numbers};

/// A set of states, each with a number in the order of insertion.
pub(crate) trait Shelf<S>: Default + Send + Sync {
    /// What is computed of a state once and travels with it.
    type Mark: Copy + Send + Sync;

    /// The mark of a state.
    fn mark(state: &S) -> Self::Mark;
    /// A well-mixed hash.
    fn hash(mark: Self::Mark) -> u64;
    /// Where the numbers of states are found by hash.
    fn numbers(&self) -> &Numbers;
    /// Whether the state with this number is the one with this mark.
    fn holds(&self, number: u32, mark: Self::Mark, state: &S) -> bool;
    /// Adds a state that is not there.
    fn push(&mut self, mark: Self::Mark, state: S);
    /// How many states there are.
    fn len(&self) -> u32;
    /// The state with a number that was not yet retired.
    fn get(&self, number: u32) -> &S;
    /// States below this number will not be asked for again with [`Shelf::get`].
    fn retire(&mut self, below: u32);
    /// Memory filled; what vectors keep in reserve was never touched.
    fn bytes(&self) -> usize;

    /// A bound for the chance that two of so many states were taken for one.
    fn collision_probability(states: u64) -> f64;

    /// The number of a state, and whether it is new.
    #[inline]
    fn insert(&mut self, mark: Self::Mark, state: S) -> (u32, bool) {
        if let Some(number) = self.numbers().find(Self::hash(mark), |number| self.holds(number, mark, &state))
        {
            return (number, false);
        }
        let number = self.len();
        self.push(mark, state);
        (number, true)
    }

    /// For each state of a block its number, if it is there and a quick look finds it.
    ///
    /// Round by round, so that memory is asked for the whole block at once.
    #[inline]
    fn glance<'s>(&self, block: impl Iterator<Item = (Self::Mark, &'s S)> + Clone) -> [Option<u32>; BLOCK]
    where
        S: 's,
    {
        let numbers = self.numbers();
        let mut peeked = [0; BLOCK];
        for (slot, (mark, _)) in peeked.iter_mut().zip(block.clone()) {
            *slot = numbers.peek(Self::hash(mark));
        }
        let mut found = [None; BLOCK];
        for ((number, slot), (mark, _)) in found.iter_mut().zip(peeked).zip(block.clone()) {
            *number = numbers.candidate(Self::hash(mark), slot);
        }
        for (found, (mark, state)) in found.iter_mut().zip(block) {
            *found = found.filter(|number| self.holds(*number, mark, state));
        }
        found
    }
}

/// Keeps the states themselves.
pub(crate) struct Exact<S> {
    numbers: Numbers,
    states: Vec<S>,
}

impl<S> Default for Exact<S> {
    fn default() -> Self {
        Exact { numbers: Numbers::default(), states: Vec::new() }
    }
}

impl<S: Eq + Hash + Send + Sync> Shelf<S> for Exact<S> {
    type Mark = u64;

    #[inline]
    fn mark(state: &S) -> u64 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        // Fx leaves a difference in high bits there; shard, home and tag come from all over.
        let mixed = hasher.finish();
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ (mixed >> 32)
    }

    #[inline]
    fn hash(mark: u64) -> u64 {
        mark
    }

    #[inline]
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    #[inline]
    fn holds(&self, number: u32, _mark: u64, state: &S) -> bool {
        self.states[number as usize] == *state
    }

    #[inline]
    fn push(&mut self, mark: u64, state: S) {
        self.states.push(state);
        let states = &self.states;
        self.numbers.push(mark, |number| Self::mark(&states[number as usize]));
    }

    fn len(&self) -> u32 {
        self.states.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &S {
        &self.states[number as usize]
    }

    fn retire(&mut self, _below: u32) {}

    fn bytes(&self) -> usize {
        self.numbers.bytes() + self.states.len() * size_of::<S>()
    }

    fn collision_probability(_states: u64) -> f64 {
        0.0
    }
}

/// Keeps fingerprints, and the states of the frontier only.
pub(crate) struct Fingerprints<S> {
    numbers: Numbers,
    prints: Vec<u128>,
    frontier: Vec<S>,
    /// The number of the first state in `frontier`.
    frontier_start: u32,
    /// How many states were in it at a time: what was filled once is held.
    frontier_most: usize,
}

impl<S> Default for Fingerprints<S> {
    fn default() -> Self {
        Fingerprints {
            numbers: Numbers::default(),
            prints: Vec::new(),
            frontier: Vec::new(),
            frontier_start: 0,
            frontier_most: 0,
        }
    }
}

/// The fingerprint of a state: its chance to equal another's is that of random 128 bits.
#[inline]
fn fingerprint<S: Hash>(state: &S) -> u128 {
    let mut hasher = SipHasher13::new();
    state.hash(&mut hasher);
    hasher.finish128().as_u128()
}

impl<S: Hash + Send + Sync> Shelf<S> for Fingerprints<S> {
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
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    #[inline]
    fn holds(&self, number: u32, mark: u128, _state: &S) -> bool {
        self.prints[number as usize] == mark
    }

    #[inline]
    fn push(&mut self, mark: u128, state: S) {
        self.prints.push(mark);
        self.frontier.push(state);
        let prints = &self.prints;
        self.numbers.push(Self::hash(mark), |number| Self::hash(prints[number as usize]));
    }

    fn len(&self) -> u32 {
        self.prints.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &S {
        &self.frontier[(number - self.frontier_start) as usize]
    }

    fn retire(&mut self, below: u32) {
        self.frontier_most = self.frontier_most.max(self.frontier.len());
        self.frontier.drain(..(below - self.frontier_start) as usize);
        self.frontier_start = below;
    }

    fn bytes(&self) -> usize {
        self.numbers.bytes()
            + self.prints.len() * size_of::<u128>()
            + self.frontier.len().max(self.frontier_most) * size_of::<S>()
    }

    /// Each pair is equal with a chance of one in 2^128.
    fn collision_probability(states: u64) -> f64 {
        let states = states as f64;
        states * (states - 1.0).max(0.0) / 2.0 / 2f64.powi(128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_for_collisions_counts_pairs() {
        let bound = Fingerprints::<u32>::collision_probability;
        assert_eq!((bound(0), bound(1), bound(2)), (0.0, 0.0, 2f64.powi(-128)));
        assert_eq!(format!("{:.4e}", bound(1_000_000)), "1.4694e-27");
        assert_eq!(Exact::<u32>::collision_probability(1_000_000), 0.0);
    }

    fn filled<H: Shelf<u64>>(states: u64) -> H {
        let mut shelf = H::default();
        for state in 0..states {
            shelf.insert(H::mark(&state), state);
        }
        shelf
    }

    #[test]
    fn memory_is_what_was_filled_and_not_what_is_reserved() {
        // A table of 2048 slots holds up to 1536 numbers.
        let table = 2048 * size_of::<u32>();
        assert_eq!(filled::<Exact<u64>>(1025).bytes(), table + 1025 * 8);
        let mut prints = filled::<Fingerprints<u64>>(1025);
        assert_eq!(prints.bytes(), table + 1025 * (16 + 8));
        prints.retire(1025);
        assert_eq!(prints.bytes(), table + 1025 * (16 + 8), "what was filled once is still held");
    }
}
