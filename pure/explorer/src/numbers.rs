//! A hash table of numbers, for states that are kept elsewhere.
//!
//! A look-up among millions of states waits for memory, and little else matters. So a slot has four
//! bytes, the number and as much of the hash as fits beside it; and look-ups are made in blocks, in
//! rounds that each ask memory for all of a block at once.

const EMPTY: u32 = 0;
const FIRST_SLOTS: usize = 16;
/// How many numbers fit: three quarters of 2^31 slots, because with twice as many a slot has no bit left for a tag.
pub(crate) const MOST_NUMBERS: u32 = 3 << 29;
/// Look-ups made together.
pub(crate) const BLOCK: usize = 32;

/// Numbers by hash; the hashes are those of one shard.
pub(crate) struct Numbers {
    /// In the low bits one more than the number, in the others the tag: the high bits of the hash.
    slots: Vec<u32>,
    len: usize,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { slots: vec![EMPTY; FIRST_SLOTS], len: 0 }
    }
}

impl Numbers {
    #[inline]
    fn number_bits(&self) -> u32 {
        self.slots.len().ilog2()
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        // The lowest bits choose the shard; they are the same for all.
        (hash >> 8) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash >> (32 + self.number_bits())) as u32
    }

    /// What is in the slot where a look-up begins: the first round.
    #[inline]
    pub(crate) fn peek(&self, hash: u64) -> u32 {
        self.slots[self.home(hash)]
    }

    /// The first number whose tag is that of the hash, given what [`Numbers::peek`] saw: the second round.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64, peeked: u32) -> Option<u32> {
        let (bits, tag, mask) = (self.number_bits(), self.tag(hash), self.slots.len() - 1);
        let mut slot = peeked;
        let mut at = self.home(hash);
        while slot != EMPTY {
            if slot >> bits == tag {
                return Some((slot & mask as u32) - 1);
            }
            at = (at + 1) & mask;
            slot = self.slots[at];
        }
        None
    }

    /// The number with this hash that `is` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let (bits, tag, mask) = (self.number_bits(), self.tag(hash), self.slots.len() - 1);
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            if slot >> bits == tag && is((slot & mask as u32) - 1) {
                return Some((slot & mask as u32) - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the next number; `hash_of` gives the hash of any number so far, this one included.
    #[inline]
    pub(crate) fn push(&mut self, hash: u64, hash_of: impl Fn(u32) -> u64) {
        self.len += 1;
        // At most three quarters are full; one more than the number always fits beside the tag.
        if self.len * 4 > self.slots.len() * 3 {
            self.grow(hash_of);
        } else {
            self.place(hash, self.len as u32);
        }
    }

    #[cold]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let slots = self.slots.len() * 2;
        // The old ones go first: they can be made again, and memory is scarce.
        self.slots = Vec::new();
        self.slots = vec![EMPTY; slots];
        for number in 0..self.len as u32 {
            self.place(hash_of(number), number + 1);
        }
    }

    #[inline]
    fn place(&mut self, hash: u64, number_plus_one: u32) {
        let slot = self.tag(hash) << self.number_bits() | number_plus_one;
        let mask = self.slots.len() - 1;
        let mut at = self.home(hash);
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes that collide in their homes, and some in their tags.
    fn hash(number: u32) -> u64 {
        u64::from(number % 7) << 8 | u64::from(number % 11) << 60
    }

    #[test]
    fn every_number_is_found_through_growth_and_collisions() {
        let mut numbers = Numbers::default();
        for number in 0..1000 {
            assert_eq!(numbers.find(hash(number), |other| other == number), None);
            numbers.push(hash(number), hash);
            for earlier in 0..=number {
                assert_eq!(numbers.find(hash(earlier), |other| other == earlier), Some(earlier));
            }
        }
        assert_eq!(numbers.slots.len(), 2048);
    }

    #[test]
    fn a_candidate_has_the_tag_and_the_home_of_the_hash() {
        let mut numbers = Numbers::default();
        for number in 0..77 {
            numbers.push(hash(number), hash);
        }
        for number in 0..77 {
            let candidate = numbers.candidate(hash(number), numbers.peek(hash(number)));
            assert_eq!(candidate.map(|other| other % 11), Some(number % 11), "the tag of {number}");
        }
        assert_eq!(numbers.candidate(u64::MAX, numbers.peek(u64::MAX)), None);
    }
}
