//! Chance that can be had again: whoever sees a test fail has the seed.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

/// The seed, if it is to be one that was printed.
const SEED: &str = "BOWLINE_SEED";

/// Numbers by chance.
pub(super) struct Dice(u64);

impl Dice {
    /// Others in every run, unless a seed is named; it is printed.
    pub(super) fn new(what: &str) -> Result<Dice> {
        let seed = match std::env::var(SEED) {
            Ok(named) => named.parse()?,
            Err(_) => u64::try_from(
                SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() & u128::from(u64::MAX),
            )?,
        };
        eprintln!("{what}: {SEED}={seed}");
        // Zero would stay so.
        Ok(Dice(seed | 1))
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        // Marsaglia's xorshift; its high bits are the better ones.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }
}
