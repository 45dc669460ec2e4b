//! The small controller under every fault and every two faults, and which of them have hit which effect.

use bowline_explorer::{Options, Verdict};
use bowline_models::{Coverage, Entry, Faults, catalogue};

fn control() -> &'static Entry {
    catalogue().iter().find(|entry| entry.name == "control").expect("a model in the catalogue")
}

/// Every claim holds; distinct states, generated states and depth are told, and which effects were hit.
fn run(faults: &Faults) -> ((u64, u64, u32), Coverage) {
    let entry = control();
    let model = entry.size("").and_then(|size| entry.build_with(&size, faults)).expect("a size that works");
    let report = model.check(&Options::default()).expect("a run");
    let is_good = |verdict: Verdict| matches!(verdict, Verdict::Holds | Verdict::Reached);
    let bad: Vec<_> = report.verdicts.iter().filter(|judged| !is_good(judged.verdict)).collect();
    assert!(bad.is_empty(), "{faults}: {bad:#?}");
    let coverage = model.coverage().expect("a model with faults");
    ((report.distinct, report.generated, report.depth), coverage)
}

fn are_pinned(runs: &[Faults], pinned: &[(&str, (u64, u64, u32))]) -> Vec<Coverage> {
    let known: Vec<_> = pinned.iter().map(|(faults, _)| (*faults).to_owned()).collect();
    assert_eq!(runs.iter().map(Faults::to_string).collect::<Vec<_>>(), known, "every run is pinned");
    let mut counts = Vec::new();
    let mut coverage = Vec::new();
    for faults in runs {
        let (counted, covered) = run(faults);
        counts.push((faults.to_string(), counted));
        coverage.push(covered);
    }
    let pinned: Vec<_> = pinned.iter().map(|(faults, counts)| ((*faults).to_owned(), *counts)).collect();
    assert_eq!(counts, pinned);
    coverage
}

#[test]
fn every_fault_hits_every_effect_and_breaks_nothing() {
    let coverage = are_pinned(&control().singles(), SINGLES);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    assert_eq!(all.gaps(), []);
}

#[test]
fn every_two_faults_hit_every_effect_and_break_nothing() {
    for (faults, coverage) in control().pairs().iter().zip(are_pinned(&control().pairs(), PAIRS)) {
        let of_these = |gap: &&(&str, &str)| faults.iter().any(|(kind, _)| kind == gap.0);
        let gaps = coverage.gaps();
        assert_eq!(gaps.iter().filter(of_these).collect::<Vec<_>>(), [&("", ""); 0], "{faults}");
    }
}

const SINGLES: &[(&str, (u64, u64, u32))] = &[];

const PAIRS: &[(&str, (u64, u64, u32))] = &[];
