//! What is measured, and what is to be reached.

use serde::Serialize;

use super::{Measured, Rounds, SIZES};
use crate::bench::Sample;

/// One quantity, by the number of namespaces.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: &'static str,
    /// In what it is measured.
    pub(super) unit: &'static str,
    /// Of each size; nothing where it was not measured.
    pub(super) by_size: [Option<Sample>; SIZES.len()],
    pub(super) goal: Goal,
}

/// What is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// Nobody has said.
    None,
    /// At most so much, with every number of namespaces.
    AtMost(f64),
    /// None at all, in any round: more is a failure.
    Nothing,
}

impl Row {
    /// Whether the goal is met, if there is one.
    pub(super) fn is_met(&self) -> Option<bool> {
        let samples = || self.by_size.iter().flatten();
        match self.goal {
            Goal::None => None,
            Goal::AtMost(most) => Some(samples().all(|sample| sample.median <= most)),
            Goal::Nothing => Some(samples().flat_map(|sample| &sample.all).all(|value| *value == 0.0)),
        }
    }

    /// Whether nothing is wrong that fails the run.
    pub(super) fn is_bearable(&self) -> bool {
        self.goal != Goal::Nothing || self.is_met() == Some(true)
    }
}

/// What Bowline adds to a move.
const OWN_MS: f64 = 100.0;
/// Milliseconds in which Karmada says that it brings 99 of 100 changes to their clusters.
const KARMADA_MS: f64 = 990.0;
/// What grows as namespaces do grows with their first power; so much more is what a measure is off.
const LINEAR: f64 = 1.1;

type Quantity = (&'static str, &'static str, &'static str, Goal);

/// All, in the order of the table.
pub(super) fn all(rounds: &Rounds) -> Vec<Row> {
    use Goal::{AtMost, None, Nothing};
    let quantities: [Quantity; 27] = [
        ("all are up for the first time", "s", "place s", None),
        ("a move by hand, p50", "ms", "bare p50_ms", None),
        ("a move alone, p50", "ms", "alone p50_ms", None),
        ("a move alone, p99", "ms", "alone p99_ms", None),
        ("Bowline's own of that, p50", "ms", "own p50_ms", None),
        ("Bowline's own of that, p99", "ms", "own p99_ms", AtMost(OWN_MS)),
        ("a change is there, p50", "ms", "change p50_ms", None),
        ("a change is there, p99", "ms", "change p99_ms", AtMost(KARMADA_MS)),
        ("all at once", "s", "all s", None),
        ("all at once, a move", "ms", "all ms", None),
        ("each of these, p50", "ms", "all p50_ms", None),
        ("each of these, p99", "ms", "all p99_ms", None),
        ("writes on the hub, a move", "", "hub writes", None),
        ("refused there", "", "hub refused", None),
        ("requests to the hub, a move", "", "hub requests", None),
        ("writes in clusters, a move", "", "cluster writes", None),
        ("requests to clusters, a move", "", "cluster requests", None),
        ("the hub, a move", "CPU ms", "hub cpu_ms", None),
        ("the syncers, a move", "CPU ms", "syncers cpu_ms", None),
        ("the clusters, a move", "CPU ms", "sites cpu_ms", None),
        ("writes on the hub at rest", "", "rest hub_writes", Nothing),
        ("writes in clusters at rest", "", "rest cluster_writes", Nothing),
        ("the hub, a second at rest", "CPU ms", "rest hub cpu_ms", None),
        ("the syncers, a second at rest", "CPU ms", "rest syncers cpu_ms", None),
        ("memory of the hub at rest", "MiB", "hub mib", None),
        ("memory of the syncers at rest", "MiB", "syncers mib", None),
        ("memory of the hub at most", "MiB", "hub peak mib", None),
    ];
    let mut rows: Vec<Row> = quantities.iter().filter_map(|quantity| row(rounds, quantity)).collect();
    rows.extend(growth(rounds));
    rows
}

fn row(rounds: &Rounds, (name, unit, key, goal): &Quantity) -> Option<Row> {
    let by_size = rounds.each_ref().map(|rounds| {
        let all: Vec<f64> = rounds.iter().filter_map(|measured| measured.get(*key).copied()).collect();
        (!all.is_empty()).then(|| Sample::of(all))
    });
    by_size.iter().any(Option::is_some).then_some(Row { name, unit, by_size, goal: *goal })
}

/// By which power of the namespaces the time for all of them grows, between the two largest sizes.
fn growth(rounds: &Rounds) -> Option<Row> {
    let [.., fewer, more] = SIZES;
    let ratio = f64::from(more) / f64::from(fewer);
    let [.., few, many] = rounds;
    let all_s = |measured: &Measured| measured.get("all s").copied();
    let power = |(many, few): (&Measured, &Measured)| Some((all_s(many)? / all_s(few)?).ln() / ratio.ln());
    let all: Vec<f64> = many.iter().zip(few).filter_map(power).collect();
    let mut by_size: [Option<Sample>; SIZES.len()] = Default::default();
    by_size[SIZES.len() - 1] = (!all.is_empty()).then(|| Sample::of(all));
    let is_known = by_size.iter().any(Option::is_some);
    is_known.then_some(Row {
        name: "the time for all grows with them",
        unit: "power",
        by_size,
        goal: Goal::AtMost(LINEAR),
    })
}
