//! Clusters under every fault and every two faults, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, pairs_are_pinned, run, singles_are_pinned};

#[test]
fn every_fault_hits_every_effect_that_it_can_and_breaks_nothing() {
    singles_are_pinned(entry("clusters"), SINGLES);
}

#[test]
fn every_two_faults_hit_every_effect_that_they_can_and_break_nothing() {
    pairs_are_pinned(entry("clusters"), PAIRS);
}

/// Who is not in the hub: every fault, at the size of the others.
#[test]
fn nothing_is_broken_elsewhere() {
    let clusters = entry("clusters");
    for (faults, pinned) in clusters.singles().iter().zip(ELSEWHERE) {
        let (counts, _) = run(clusters, "hub=false", faults);
        assert_eq!((faults.to_string().as_str(), counts), *pinned);
    }
}

const SINGLES: &[(&str, Counts)] = &[];
const PAIRS: &[(&str, Counts)] = &[];
const ELSEWHERE: &[(&str, Counts)] = &[];
