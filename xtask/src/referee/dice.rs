//! Randomness that a seed repeats: the same on every machine and in every version of every library.

/// A sequence of numbers that look random (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    /// The sequence of a seed and a number: that of a model does not depend on the models before it.
    pub(super) fn new(seed: u64, index: u64) -> Dice {
        let mut dice = Dice(seed);
        let mixed = dice.next();
        Dice(mixed ^ index.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The product's upper half is below the bound and as even as 64 bits allow.
        let wide = u128::from(self.next()) * bound as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number from `least` to `most`.
    pub(super) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// A value of a variable with that many values.
    pub(super) fn value(&mut self, size: u8) -> u8 {
        u8::try_from(self.below(usize::from(size))).unwrap_or(0)
    }

    /// True that many times of a hundred.
    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}
