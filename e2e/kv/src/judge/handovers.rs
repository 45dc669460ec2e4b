//! How long devices are without a master.

use std::fmt;
use std::time::Duration;

use crate::device::{Act, Record};

/// A device got another master, or its master another process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handover {
    /// The device.
    pub device: String,
    /// Who was master.
    pub from: String,
    /// Who is.
    pub to: String,
    /// In which epoch.
    pub epoch: u64,
    /// The one before has given it back: it was not killed, and its deadline had not passed.
    pub released: bool,
    /// From the last record of the one to the first of the other. Without a release, that is as exact as the load is dense.
    pub without_master: Duration,
}

/// The handovers in the log of a device.
pub(super) fn of(device: &str, done: &[&Record]) -> Vec<Handover> {
    let pairs = done.windows(2).filter_map(|pair| match pair {
        [last, first] => Some((*last, *first)),
        _ => None,
    });
    let changes = pairs.filter(|(last, first)| (last.epoch, last.pid) != (first.epoch, first.pid));
    let handover = |(last, first): (&Record, &Record)| Handover {
        device: device.to_owned(),
        from: last.member.clone(),
        to: first.member.clone(),
        epoch: first.epoch,
        released: last.act == Act::Release,
        without_master: first.at.since(last.at),
    };
    changes.map(handover).collect()
}

/// Many times, in a few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// How many.
    pub count: usize,
    /// Half of them were no longer.
    pub p50: Duration,
    /// 99 of 100 were no longer.
    pub p99: Duration,
    /// None was longer.
    pub max: Duration,
}

impl Spread {
    /// Of these; `None` if there are none.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Option<Spread> {
        let mut times: Vec<_> = times.into_iter().collect();
        times.sort_unstable();
        let rank =
            |percent: usize| times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Spread { count: times.len(), p50: rank(50)?, p99: rank(99)?, max: rank(100)? })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| time.as_secs_f64() * 1_000.0;
        let (p50, p99, max) = (millis(self.p50), millis(self.p99), millis(self.max));
        write!(f, "p50 {p50:.1} ms, p99 {p99:.1} ms, max {max:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_of_values_that_were_seen() {
        let millis = |number| Duration::from_millis(number);
        assert_eq!(Spread::of([]), None);
        let one = Spread { count: 1, p50: millis(7), p99: millis(7), max: millis(7) };
        assert_eq!(Spread::of([millis(7)]), Some(one));
        let many = Spread { count: 200, p50: millis(100), p99: millis(198), max: millis(200) };
        assert_eq!(Spread::of((1..=200).rev().map(millis)), Some(many));
        assert_eq!(many.to_string(), "p50 100.0 ms, p99 198.0 ms, max 200.0 ms");
    }
}
