//! The clock by which software is fenced.

use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::{ClockId as Clock, clock_gettime};
use serde::{Deserialize, Serialize};

/// Milliseconds since this machine was started, those included in which it was suspended. It says nothing on another machine,
/// and nothing after a restart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Boottime(pub u64);

impl Boottime {
    /// Now.
    pub fn now() -> Boottime {
        // It runs while the machine sleeps; that of `Instant` does not, and software would be fenced too late.
        let time = clock_gettime(Clock::CLOCK_BOOTTIME);
        // Every Linux that Rust runs on has this clock.
        let time = time.unwrap_or_else(|error| panic!("there is no CLOCK_BOOTTIME: {error}"));
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        let rest = u64::try_from(time.tv_nsec()).unwrap_or(0) / 1_000_000;
        Boottime(seconds.saturating_mul(1_000).saturating_add(rest))
    }

    /// So much later.
    #[must_use]
    pub fn after(self, time: Duration) -> Boottime {
        Boottime(self.0.saturating_add(millis(time)))
    }

    /// How long it is since then; nothing, if it is yet to come.
    pub fn since(self, then: Boottime) -> Duration {
        Duration::from_millis(self.0.saturating_sub(then.0))
    }
}

/// A time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Rings at a moment of this clock, also if the machine slept over it.
#[derive(Debug)]
pub(crate) struct Alarm(TimerFd);

impl Alarm {
    pub(crate) fn new() -> nix::Result<Alarm> {
        TimerFd::new(ClockId::CLOCK_BOOTTIME, TimerFlags::TFD_CLOEXEC).map(Alarm)
    }

    /// From now on it rings then, and at no other moment.
    pub(crate) fn set(&self, at: Option<Boottime>) -> nix::Result<()> {
        let Some(Boottime(at)) = at else { return self.0.unset() };
        // What nobody lives to see is never; and to a timer, zero is never too.
        let seconds = i64::try_from(at / 1_000).unwrap_or(i64::MAX).min(i64::from(u32::MAX));
        let rest = i64::try_from(at % 1_000).unwrap_or(0) * 1_000_000;
        let at = TimeSpec::new(seconds, rest.max(1));
        self.0.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
    }

    /// Waits until it rings.
    pub(crate) fn wait(&self) -> nix::Result<()> {
        self.0.wait()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_rings_at_its_moment_and_not_before() {
        let alarm = Alarm::new().expect("a timer");
        for at in [Boottime(0), Boottime::now(), Boottime::now().after(Duration::from_millis(30))] {
            alarm.set(Some(at)).expect("it is set");
            alarm.wait().expect("it rings");
            assert!(Boottime::now() >= at);
        }
        alarm.set(Some(Boottime(u64::MAX))).expect("it is set");
        alarm.set(None).expect("it is set");
    }

    #[test]
    fn time_neither_wraps_nor_runs_backwards() {
        assert_eq!(Boottime(u64::MAX).after(Duration::MAX), Boottime(u64::MAX));
        assert_eq!(Boottime(3).since(Boottime(5)), Duration::ZERO);
        assert_eq!(Boottime(1_005).since(Boottime(5)), Duration::from_secs(1));
    }
}
