//! Which versions of the store are accounted for.

use std::collections::BTreeMap;

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
            Some((_, last)) if last.checked_add(1) == Some(version) => *last = version,
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

    /// The first and the last of each span. There may be more versions in one than anybody can count: after a backup was
    /// restored they go on far away.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().copied()
    }

    /// Whether it is one of them.
    pub(crate) fn contains(&self, version: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&version))
    }

    /// Those of them that are in none of `others`, which may come in any order and overlap.
    pub(crate) fn without(&self, mut others: Vec<(u64, u64)>) -> Spans {
        others.retain(|(first, last)| first <= last);
        others.sort_unstable();
        let mut left = Vec::new();
        for (first, last) in self.iter() {
            // From here on nothing is known yet of this span; `None` behind the largest number that there is.
            let mut next = Some(first);
            for (from, to) in others.iter().copied().filter(|(from, to)| *to >= first && *from <= last) {
                let Some(begin) = next else { break };
                if begin < from {
                    left.push((begin, from - 1));
                }
                next = to.checked_add(1).map(|after| after.max(begin));
            }
            left.extend(next.filter(|next| *next <= last).map(|next| (next, last)));
        }
        Spans(left)
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
    /// Spans that come later: the last of each, by the first.
    above: BTreeMap<u64, u64>,
}

impl Coverage {
    /// Everything up to `upto` has a line, and `highest` is the largest that has.
    pub(super) fn new(upto: u64, highest: u64) -> Coverage {
        Coverage { upto, highest: highest.max(upto), above: BTreeMap::new() }
    }

    /// These have a line now.
    pub(super) fn add(&mut self, versions: &Spans) {
        for (first, last) in versions.iter().filter(|(_, last)| *last > self.upto) {
            let there = self.above.entry(first).or_insert(last);
            *there = last.max(*there);
        }
        self.highest = self.highest.max(versions.last().unwrap_or(0));
        while let Some(next) = self.above.first_entry()
            && *next.key() <= self.upto.saturating_add(1)
        {
            self.upto = next.remove().max(self.upto);
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
        assert_eq!(spans.without(vec![(8, 8), (4, 4)]).to_string(), "7, 9");
        assert_eq!(serde_json::to_string(&spans).unwrap(), "[[4,4],[7,9]]");
    }

    #[test]
    fn nobody_counts_what_lies_between_two_versions_far_apart() {
        let spans = Spans::between(1, u64::MAX);
        assert_eq!(spans.without(vec![(0, u64::MAX)]), Spans::default());
        assert_eq!(spans.without(vec![(5, u64::MAX), (9, 3), (2, 2), (1, 1)]).to_string(), "3 to 4");
        let (half, rest) = (u64::MAX / 2, u64::MAX / 2 + 1);
        assert_eq!(spans.without(vec![(7, 8), (6, half)]), Spans(vec![(1, 5), (rest, u64::MAX)]));
        let mut coverage = Coverage::new(3, 3);
        coverage.add(&Spans(vec![(9, 10), (5, u64::MAX)]));
        assert_eq!((coverage.upto(), coverage.highest()), (3, u64::MAX));
        coverage.add(&Spans::between(4, 4));
        assert_eq!((coverage.upto(), coverage.above.len()), (u64::MAX, 0));
        let mut last = Spans::between(7, u64::MAX);
        last.push(3);
        assert_eq!(last, Spans(vec![(7, u64::MAX), (3, 3)]));
    }
}
