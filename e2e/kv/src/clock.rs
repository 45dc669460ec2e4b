//! The clock that all processes of a machine share, and that runs while the machine sleeps.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// A moment: microseconds of `CLOCK_BOOTTIME`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// The moment that is so many milliseconds of the same clock.
    pub fn of_millis(millis: u64) -> Micros {
        Micros(millis.saturating_mul(1_000))
    }

    /// Its milliseconds.
    pub fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// How long it is since then, or nothing if that is yet to come.
    pub fn since(self, then: Micros) -> Duration {
        Duration::from_micros(self.0.saturating_sub(then.0))
    }
}

/// Now.
///
/// # Panics
/// If there is no such clock; every Linux that Rust runs on has it.
pub fn now() -> Micros {
    let clock = ClockId::CLOCK_BOOTTIME;
    let time = clock_gettime(clock).unwrap_or_else(|error| panic!("there is no {clock:?}: {error}"));
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec()).unwrap_or(0) / 1_000;
    Micros(seconds.saturating_mul(1_000_000).saturating_add(rest))
}
