//! Chance, by a seed that is printed.

/// A die of its own for each client: what one does not depend on how fast another is.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The die of one client in one life.
    pub fn new(seed: u64, life: u64, client: u64) -> Dice {
        let mut dice = Dice(seed ^ life.rotate_left(32) ^ client.rotate_left(56));
        dice.roll();
        dice
    }

    /// The next number (splitmix64).
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.roll() % end.max(1)
    }
}

/// A number that follows from another and looks like any.
pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
