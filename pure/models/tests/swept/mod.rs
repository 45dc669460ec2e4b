//! Runs of a system under faults, held against what is pinned of them.
#![allow(dead_code, reason = "each test of a system uses what it needs")]

use bowline_explorer::{Options, Verdict};
use bowline_models::{Coverage, Entry, Faults, catalogue};

/// Distinct states, generated states and depth.
pub(crate) type Counts = (u64, u64, u32);

pub(crate) fn entry(model: &str) -> &'static Entry {
    catalogue().iter().find(|entry| entry.name == model).expect("a model in the catalogue")
}

/// Every claim holds; distinct states, generated states and depth are told, and which effects were hit.
pub(crate) fn run(entry: &Entry, size: &str, faults: &Faults) -> (Counts, Coverage) {
    let model = entry.size(size).and_then(|size| entry.build_with(&size, faults)).expect("a size that works");
    let report = model.check(&Options::default()).expect("a run");
    let is_good = |verdict: Verdict| matches!(verdict, Verdict::Holds | Verdict::Reached);
    let bad: Vec<_> = report.verdicts.iter().filter(|judged| !is_good(judged.verdict)).collect();
    assert!(bad.is_empty(), "{faults}: {bad:#?}");
    let coverage = model.coverage().expect("a model with faults");
    ((report.distinct, report.generated, report.depth), coverage)
}

/// Every run is pinned, and gives what is pinned; which effects were hit in each is told.
pub(crate) fn runs_are_pinned(
    entry: &Entry,
    size: &str,
    runs: &[Faults],
    pinned: &[(&str, Counts)],
) -> Vec<Coverage> {
    let known: Vec<_> = pinned.iter().map(|(faults, _)| (*faults).to_owned()).collect();
    assert_eq!(runs.iter().map(Faults::to_string).collect::<Vec<_>>(), known, "every run is pinned");
    let (counts, coverage): (Vec<_>, Vec<_>) = runs.iter().map(|faults| run(entry, size, faults)).unzip();
    let counts: Vec<_> = runs.iter().map(Faults::to_string).zip(counts).collect();
    let pinned: Vec<_> = pinned.iter().map(|(faults, counts)| ((*faults).to_owned(), *counts)).collect();
    assert_eq!(counts, pinned);
    coverage
}

/// Every fault alone hits every effect that it can, in all runs together.
pub(crate) fn singles_are_pinned(entry: &Entry, pinned: &[(&str, Counts)]) {
    together_hit_everything(runs_are_pinned(entry, "", &entry.singles(), pinned));
}

/// Every second pair of faults, from the first or from the next one; and what they do not hit, in all runs together.
///
/// Two tests take a half each: tests run at the same time, and runs of one test do not. What the one does not hit the other has to.
pub(crate) fn every_second_pair_is_pinned(
    entry: &Entry,
    pinned: &[(&str, Counts)],
    first: usize,
    gaps: &[(&str, &str)],
) {
    assert_eq!(pinned.len(), entry.pairs().len(), "every run is pinned");
    let pairs: Vec<_> = entry.pairs().into_iter().skip(first).step_by(2).collect();
    let pinned: Vec<_> = pinned.iter().skip(first).step_by(2).copied().collect();
    let coverage = runs_are_pinned(entry, "", &pairs, &pinned);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    assert_eq!(all.gaps(), gaps);
}

fn together_hit_everything(coverage: Vec<Coverage>) {
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    assert_eq!(all.gaps(), []);
}

/// Every two faults hit every effect that they can, in each run.
pub(crate) fn pairs_are_pinned(entry: &Entry, pinned: &[(&str, Counts)]) {
    for (faults, coverage) in entry.pairs().iter().zip(runs_are_pinned(entry, "", &entry.pairs(), pinned)) {
        let of_these = |gap: &&(&str, &str)| faults.iter().any(|(kind, _)| kind == gap.0);
        let gaps = coverage.gaps();
        assert_eq!(gaps.iter().filter(of_these).collect::<Vec<_>>(), [&("", ""); 0], "{faults}");
    }
}
