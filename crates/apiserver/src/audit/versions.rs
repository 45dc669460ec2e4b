//! Which versions of the store are accounted for.

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

    /// Adds all from the first to the last, wherever they are. Never one by one: after a restore they are very many.
    fn add(&mut self, (mut first, mut last): (u64, u64)) {
        let from = self.0.partition_point(|(_, end)| end.saturating_add(1) < first);
        let to = from + self.0[from..].partition_point(|(begin, _)| *begin <= last.saturating_add(1));
        if let [(begin, _), ..] = self.0[from..to] {
            first = first.min(begin);
        }
        if let [.., (_, end)] = self.0[from..to] {
            last = last.max(end);
        }
        self.0.splice(from..to, [(first, last)]);
    }

    /// Adds those of `others` that are not smaller than `least`.
    pub(crate) fn add_from(&mut self, least: u64, others: &Spans) {
        for (first, last) in &others.0 {
            if *last >= least {
                self.add(((*first).max(least), *last));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The smallest.
    pub(crate) fn first(&self) -> Option<u64> {
        self.0.first().map(|(first, _)| *first)
    }

    /// The largest.
    pub(crate) fn last(&self) -> Option<u64> {
        self.0.last().map(|(_, last)| *last)
    }

    /// Every one.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Whether it is one of them.
    pub(crate) fn contains(&self, version: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&version))
    }

    /// Those of them that are not in `others`.
    pub(crate) fn without(&self, others: &Spans) -> Spans {
        let mut left = Vec::new();
        for (first, last) in &self.0 {
            let mut from = *first;
            for (begin, end) in others.0.iter().filter(|(begin, end)| begin <= last && end >= first) {
                if from < *begin {
                    left.push((from, begin - 1));
                }
                from = end.saturating_add(1);
            }
            if from <= *last {
                left.push((from, *last));
            }
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
    /// Those above `upto` that have one.
    above: Spans,
}

impl Coverage {
    /// Everything up to `upto` has a line, and `highest` is the largest that has.
    pub(super) fn new(upto: u64, highest: u64) -> Coverage {
        Coverage { upto, highest: highest.max(upto), above: Spans::default() }
    }

    /// These have a line now.
    pub(super) fn add(&mut self, versions: &Spans) {
        self.above.add_from(self.upto + 1, versions);
        self.highest = self.highest.max(versions.last().unwrap_or(0));
        if self.above.first() == Some(self.upto + 1) {
            self.upto = self.above.0.remove(0).1;
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
        assert_eq!((coverage.upto(), coverage.above.is_empty()), (15, true));
    }

    #[test]
    fn spans_are_read_by_people() {
        let mut spans = Spans::between(3, 2);
        assert!(spans.is_empty());
        for version in [4, 7, 8, 9] {
            spans.push(version);
        }
        assert_eq!(spans.to_string(), "4, 7 to 9");
        assert_eq!(serde_json::to_string(&spans).unwrap(), "[[4,4],[7,9]]");
    }

    /// Sets of small numbers, as spans: all that there are.
    fn all_of(numbers: u64) -> impl Iterator<Item = (Vec<u64>, Spans)> {
        (0..1_u64 << numbers).map(move |bits| {
            let set: Vec<_> = (0..numbers).filter(|number| bits >> number & 1 == 1).collect();
            let mut spans = Spans::default();
            set.iter().for_each(|version| spans.push(*version));
            (set, spans)
        })
    }

    #[test]
    fn spans_are_sets() {
        for (one, spans) in all_of(6) {
            for (other, others) in all_of(6) {
                let rest: Vec<_> = one.iter().copied().filter(|version| !other.contains(version)).collect();
                assert_eq!(spans.without(&others).iter().collect::<Vec<_>>(), rest, "{one:?} - {other:?}");
                let mut both = spans.clone();
                both.add_from(2, &others);
                let expected: Vec<_> = (0..6)
                    .filter(|version| one.contains(version) || *version >= 2 && other.contains(version))
                    .collect();
                assert_eq!(both.iter().collect::<Vec<_>>(), expected, "{one:?} + {other:?}");
                let mut shortest = Spans::default();
                expected.iter().for_each(|version| shortest.push(*version));
                assert_eq!(both, shortest, "{one:?} + {other:?}");
            }
        }
    }

    #[test]
    fn a_jump_of_versions_is_one_span() {
        let far = 1_790_000_000_000_000;
        let mut coverage = Coverage::new(10, 10);
        coverage.add(&Spans::between(12, far));
        coverage.add(&Spans::between(11, 11));
        assert_eq!((coverage.upto(), coverage.highest()), (far, far));
        let mut named = Spans::default();
        named.add_from(5, &Spans::between(1, 9));
        assert_eq!(Spans::between(1, far).without(&named), Spans(vec![(1, 4), (10, far)]));
    }
}
