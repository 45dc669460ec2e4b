//! The clocks.

use std::time::Duration;

use bowline_control::{Millis, Moment};
use nix::time::{ClockId, clock_gettime};

/// A sleep goes by a clock that stands still while the machine sleeps: nobody sleeps longer than this without a look
/// at the other one.
pub(crate) const NAP: Duration = Duration::from_secs(5);

/// Now. Who leads is not a matter of clocks: [`Moment::epoch`] is nobody's.
pub fn now() -> Moment {
    // It runs while the machine sleeps; that of `Instant` does not, and a lease would be held too long.
    Moment { clock: read(ClockId::CLOCK_BOOTTIME), wall: read(ClockId::CLOCK_REALTIME), ..Moment::default() }
}

fn read(clock: ClockId) -> Millis {
    // Every Linux that Rust runs on has both clocks.
    let time = clock_gettime(clock).unwrap_or_else(|error| panic!("there is no {clock:?}: {error}"));
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec()).unwrap_or(0) / 1_000_000;
    Millis(seconds.saturating_mul(1_000).saturating_add(rest))
}
