//! The models give what is pinned of them, however they are run.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use bowline_explorer::{End, Options, Refused, Report, Storage};
use bowline_models::{Entry, Expected, Subject, catalogue, expected};

fn entry(name: &str) -> &'static Entry {
    catalogue().iter().find(|entry| entry.name == name).expect("a model in the catalogue")
}

fn subject(name: &str, size: &str) -> Box<dyn Subject> {
    let entry = entry(name);
    entry.size(size).and_then(|size| entry.build(&size)).expect("a size that works")
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("at least one thread")
}

fn pinned(expected: &Expected) -> Box<dyn Subject> {
    subject(expected.model, expected.size)
}

/// Every expectation, and what becomes of it when it is run as always. Several tests compare with that, and it is the same
/// each time: whoever comes first runs it.
fn runs() -> impl Iterator<Item = (&'static Expected, &'static OnceLock<Report>)> {
    static RUNS: OnceLock<Vec<(&'static Expected, OnceLock<Report>)>> = OnceLock::new();
    let runs = RUNS.get_or_init(|| expected().map(|expected| (expected, OnceLock::new())).collect());
    runs.iter().map(|(expected, report)| (*expected, report))
}

fn as_always<'a>(subject: &dyn Subject, report: &'a OnceLock<Report>) -> &'a Report {
    report.get_or_init(|| subject.check(&Options::default()).expect("a run"))
}

fn counts(report: &Report) -> (u64, u64, u32) {
    (report.distinct, report.generated, report.depth)
}

type Judgement<'a> = (&'a str, &'a str, Option<usize>);

fn judgements(report: &Report) -> Vec<Judgement<'_>> {
    let length = |trace: &bowline_explorer::Trace| trace.steps.len();
    report.verdicts.iter().map(|v| (&*v.name, v.verdict.as_str(), v.trace.as_ref().map(length))).collect()
}

fn pinned_judgements(expected: &Expected) -> Vec<Judgement<'_>> {
    expected.verdicts.iter().map(|(name, verdict, length)| (*name, verdict.as_str(), *length)).collect()
}

#[test]
fn every_expectation_is_met() {
    for (expected, report) in runs() {
        let report = as_always(&*pinned(expected), report);
        let what = format!("{} {}", expected.model, expected.size);
        assert_eq!(report.end, End::Complete, "{what}");
        assert_eq!(counts(report), (expected.distinct, expected.generated, expected.depth), "{what}");
        assert_eq!(judgements(report), pinned_judgements(expected), "{what}");
    }
}

#[test]
fn every_model_is_pinned_at_its_default_size() {
    for entry in catalogue() {
        let default = entry.size("").expect("defaults that work");
        let is_default = |e: &&Expected| entry.size(e.size).is_ok_and(|size| size == default);
        assert!(
            expected().filter(|e| e.model == entry.name).any(|e| is_default(&e)),
            "{} is not pinned at its default size",
            entry.name
        );
    }
}

/// What is the same, whichever way it is run: also the traces, for states are numbered as they are found, whatever is kept of
/// them and whoever finds them.
fn runs_alike(named: impl Fn(&str) -> bool, options: &Options<'_>) {
    for (expected, report) in runs().filter(|(expected, _)| named(expected.model)) {
        let subject = pinned(expected);
        let other = subject.check(options).expect("a run");
        let always = as_always(&*subject, report);
        assert_eq!(counts(always), counts(&other), "{} {}", expected.model, expected.size);
        assert!(always.verdicts == other.verdicts, "traces differ: {} {}", expected.model, expected.size);
    }
}

/// Both at once: every model is run a second time, and not a third.
#[test]
fn neither_threads_nor_fingerprints_change_a_report() {
    let options = Options { threads: threads(3), storage: Storage::Fingerprint, ..Options::default() };
    runs_alike(|_| true, &options);
}

/// Each by itself, where that costs little: two changes could hide each other.
#[test]
fn neither_threads_nor_fingerprints_change_the_report_of_a_seed() {
    let is_seed = |model: &str| model.starts_with("seed/");
    runs_alike(is_seed, &Options { threads: threads(3), ..Options::default() });
    runs_alike(is_seed, &Options { storage: Storage::Fingerprint, ..Options::default() });
}

fn safety_claims(subject: &dyn Subject) -> Vec<String> {
    subject.claims().into_iter().filter(|claim| !claim.kind.is_liveness()).map(|claim| claim.name).collect()
}

#[test]
fn symmetry_keeps_the_verdicts_and_saves_states() {
    let is_symmetric = |model: &str| model.starts_with("seed/") && model != "seed/complete-issu";
    for expected in expected().filter(|expected| is_symmetric(expected.model)) {
        let subject = pinned(expected);
        let safety = safety_claims(&*subject);
        let all = Options { properties: Some(&safety), ..Options::default() };
        let full = subject.check(&all).expect("a run");
        let less = subject.check(&Options { symmetry: true, ..all }).expect("a run");
        assert_eq!(judgements(&full), judgements(&less), "{} {}", expected.model, expected.size);
        let alone = !expected.size.chars().any(|c| ('2'..='9').contains(&c));
        assert!(less.distinct < full.distinct || alone, "{} {}", expected.model, expected.size);
    }
}

/// TLC finds as many with `SYMMETRY`.
#[test]
fn symmetric_counts_are_pinned() {
    for (model, size, distinct) in [
        ("seed/update-cluster", "requests=3,workers=2", 1_740),
        ("seed/irsa", "workers=3", 6_135),
        ("seed/kcp-storage", "clusters=4", 41),
    ] {
        let subject = subject(model, size);
        let safety = safety_claims(&*subject);
        let options = Options { symmetry: true, properties: Some(&safety), ..Options::default() };
        assert_eq!(subject.check(&options).expect("a run").distinct, distinct, "{model} {size}");
    }
}

#[test]
fn choose_breaks_the_symmetry_of_nodes() {
    let subject = subject("seed/complete-issu", "");
    let safety = safety_claims(&*subject);
    let options = Options { symmetry: true, properties: Some(&safety), ..Options::default() };
    assert_eq!(subject.check(&options), Err(Refused::NoSymmetry));
}

fn has_counts(model: &str, pinned: &[(&str, (u64, u64, u32))]) {
    let options = Options { properties: Some(&[]), ..Options::default() };
    for (size, expected) in pinned {
        let report = subject(model, size).check(&options).expect("a run");
        assert_eq!(counts(&report), *expected, "{model} {size}");
    }
}

// Distinct states, generated states and depth as TLC counts them.

#[test]
fn update_cluster_has_tlcs_counts() {
    has_counts(
        "seed/update-cluster",
        &[
            ("requests=1,workers=2", (76, 168, 10)),
            ("requests=2,workers=4", (1_822, 5_618, 16)),
            ("requests=3,workers=1", (10_292, 36_137, 20)),
            ("requests=3,workers=3", (23_492, 90_623, 20)),
            ("requests=4,workers=1", (200_341, 884_416, 22)),
            ("requests=4,workers=2", (330_520, 1_535_502, 22)),
        ],
    );
}

#[test]
fn complete_issu_has_tlcs_counts() {
    has_counts(
        "seed/complete-issu",
        &[
            ("nodes=2,partition-size=0", (30, 91, 8)),
            ("nodes=2,versions=3,partition-size=1", (134, 423, 19)),
            ("nodes=3,versions=4", (4_371, 19_259, 28)),
            ("nodes=4,versions=3", (13_428, 74_215, 25)),
            ("nodes=4,versions=3,partition-size=3", (17_022, 93_823, 25)),
            ("nodes=4,devices=2,partitions=2,partition-size=3", (417, 2_218, 10)),
        ],
    );
}

#[test]
fn irsa_has_tlcs_counts() {
    has_counts(
        "seed/irsa",
        &[("workers=4", (87_622, 335_727, 48)), ("workers=4,attached=true", (6_298, 20_241, 26))],
    );
}

#[test]
fn kcp_storage_has_tlcs_counts() {
    has_counts(
        "seed/kcp-storage",
        &[
            ("clusters=5", (1_152, 8_833, 17)),
            ("clusters=6", (3_136, 27_329, 20)),
            ("clusters=8", (20_736, 223_489, 26)),
        ],
    );
}

/// The sizes of the benchmark.
#[test]
fn large_sizes_have_their_counts() {
    has_counts("seed/update-cluster", &[("requests=4,workers=8", (1_111_594, 5_442_018, 22))]);
    has_counts("seed/complete-issu", &[("nodes=5,versions=3,partition-size=3", (291_033, 1_988_702, 28))]);
    has_counts("seed/irsa", &[("workers=6", (386_594, 1_636_849, 48))]);
    has_counts("seed/kcp-storage", &[("clusters=12", (692_224, 10_276_865, 38))]);
}
