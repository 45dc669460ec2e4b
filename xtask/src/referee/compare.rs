//! Whether two answers to one question agree.

use bowline_explorer::{Judged, Kind, Verdict};

use super::output::{Finding, Outcome};
use super::program::Program;
use super::subject::Ours;
use super::witness;

/// Says everything in which our explorer and TLC differ; nothing, if they agree.
pub(super) fn differences(program: &Program, ours: &Ours, tlc: &Outcome) -> Vec<String> {
    let mut differences = Vec::new();
    let kind = ours.judged.kind;
    if kind != program.claim.kind() {
        differences.push(format!("the claim is {}, the verdict is on {kind}", program.claim.kind()));
    }
    let verdict = ours.judged.verdict;
    if expected(kind, verdict) != Some(tlc.finding) {
        differences.push(format!("verdict on {kind}: ours is {}, TLC's {:?}", verdict.as_str(), tlc.finding));
    }
    if let Err(wrong) = witness::examine(program, &ours.judged) {
        differences.push(format!("our counterexample: {wrong}"));
    }
    let mut differ = |what: &str, ours: u64, tlc: u64| {
        if ours != tlc {
            differences.push(format!("{what}: ours {ours}, TLC's {tlc}"));
        }
    };
    let report = &ours.report;
    match tlc.finding {
        Finding::NoError | Finding::Temporal => {
            let (generated, distinct) =
                tlc.counts.map_or((0, 0), |counts| (counts.generated, counts.distinct));
            differ("distinct states", report.distinct, distinct);
            differ("generated states", report.generated, generated);
            differ("states left to explore", 0, tlc.counts.map_or(0, |counts| counts.left));
        }
        Finding::Invariant | Finding::Action | Finding::Deadlock => {}
    }
    if let Some(depth) = tlc.depth {
        differ("depth", report.depth.into(), depth.into());
    }
    differences.extend(length_differs(&ours.judged, tlc));
    differences
}

/// In what the lengths of traces differ, where both are of the shortest.
pub(super) fn length_differs(ours: &Judged, tlc: &Outcome) -> Option<String> {
    if matches!(tlc.finding, Finding::NoError | Finding::Temporal) {
        return None;
    }
    let trace = ours.trace.as_ref().map(|trace| trace.steps.len());
    let length = |steps: Option<usize>| steps.unwrap_or(0);
    let (ours, tlc) = (length(trace), length(tlc.trace));
    (ours != tlc).then(|| format!("states in the shortest trace: ours {ours}, TLC's {tlc}"))
}

/// What TLC says when it agrees with a verdict.
pub(super) fn expected(kind: Kind, verdict: Verdict) -> Option<Finding> {
    match (verdict, kind) {
        (Verdict::Holds | Verdict::Unreached, _) => Some(Finding::NoError),
        (Verdict::Violated, Kind::Always) | (Verdict::Reached, Kind::Sometimes) => Some(Finding::Invariant),
        (Verdict::Violated, Kind::AlwaysStep) => Some(Finding::Action),
        (Verdict::Violated, Kind::Deadlock) => Some(Finding::Deadlock),
        (Verdict::Violated, kind) if kind.is_liveness() => Some(Finding::Temporal),
        _ => None,
    }
}
