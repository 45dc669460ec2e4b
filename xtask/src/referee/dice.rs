//! The dice of the random models.

use bowline_explorer::SplitMix;

/// Throws that a seed repeats.
pub(super) struct Dice(SplitMix);

impl Dice {
    /// The sequence of a seed and a number: that of a model does not depend on the models before it.
    pub(super) fn new(seed: u64, index: u64) -> Dice {
        let mixed = SplitMix::new(seed).draw();
        Dice(SplitMix::new(mixed ^ index.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
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
