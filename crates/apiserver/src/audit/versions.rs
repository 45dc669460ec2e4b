//! Which versions of the store are accounted for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Versions, as spans of consecutive ones in their order: `[[17,17],[19,22]]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Spans(Vec<(u64, u64)>);

impl Spans {
    /// From the first to the last; nothing if the last comes before the first.
    pub(crate) fn between(first: u64, last: u64) -> Spans {
        Spans(if first <= last { vec![(first, last)] } else { Vec::new() })
    }

    /// Adds a version that is larger than all.
    pub(crate) fn push(&mut self, version: u64) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == version => *last = version,
            _ => self.0.push((version, version)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The largest.
    pub(crate) fn last(&self) -> Option<u64> {
        self.0.last().map(|(_, last)| *last)
    }

    /// Every one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Whether it is one of them.
    pub(crate) fn contains(&self, version: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&version))
    }

    /// Those of them that are not in `others`.
    pub(crate) fn without(&self, others: &BTreeSet<u64>) -> Spans {
        let mut left = Spans::default();
        for version in self.iter().filter(|version| !others.contains(version)) {
            left.push(version);
        }
        left
    }
}

impl std::fmt::Display for Spans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first} to {last}")?,
            }
        }
        Ok(())
    }
}

/// How far every version has a line. Lines come in the order in which requests end, and not in that of their versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Coverage {
    upto: u64,
    highest: u64,
    above: BTreeSet<u64>,
}

impl Coverage {
    /// Everything up to `upto` has a line, and `highest` is the largest that has.
    pub(super) fn new(upto: u64, highest: u64) -> Coverage {
        Coverage { upto, highest: highest.max(upto), above: BTreeSet::new() }
    }

    /// These have a line now.
    pub(super) fn add(&mut self, versions: &Spans) {
        self.above.extend(versions.iter().filter(|version| *version > self.upto));
        self.highest = self.highest.max(versions.last().unwrap_or(0));
        while self.above.remove(&(self.upto + 1)) {
            self.upto += 1;
        }
    }

    /// Up to where every version has one.
    pub(super) fn upto(&self) -> u64 {
        self.upto
    }

    /// The largest that has one.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_covered_in_whatever_order_their_lines_come() {
        let mut coverage = Coverage::new(10, 10);
        coverage.add(&Spans::between(12, 13));
        assert_eq!((coverage.upto(), coverage.highest()), (10, 13));
        coverage.add(&Spans::between(15, 15));
        coverage.add(&Spans::between(11, 11));
        assert_eq!((coverage.upto(), coverage.highest()), (13, 15));
        coverage.add(&Spans::between(14, 14));
        assert_eq!((coverage.upto(), coverage.highest()), (15, 15));
        coverage.add(&Spans::default());
        assert_eq!((coverage.upto(), coverage.above.len()), (15, 0));
    }

    #[test]
    fn spans_are_read_by_people() {
        let mut spans = Spans::between(3, 2);
        assert!(spans.is_empty());
        for version in [4, 7, 8, 9] {
            spans.push(version);
        }
        assert_eq!(spans.to_string(), "4, 7 to 9");
        assert_eq!(spans.without(&BTreeSet::from([4, 8])).to_string(), "7, 9");
        assert_eq!(serde_json::to_string(&spans).unwrap(), "[[4,4],[7,9]]");
    }
}
