//! What is measured, and what is to be reached.

use serde::Serialize;

use super::{Measured, Rounds, SIZES};
use crate::bench::Sample;

/// One quantity, by the number of nodes.
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
    /// At most so much, with every number of nodes.
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

/// The hub's and the agents' own time for a planned handover.
const HANDOVER_MS: f64 = 50.0;
/// What Bowline adds to a node: 5 % of a restart of 2 s.
const OWN_MS: f64 = 100.0;
/// What grows as the nodes do grows with their first power; so much more is what a measure is off.
const LINEAR: f64 = 1.1;

type Quantity = (&'static str, &'static str, &'static str, Goal);

/// All, in the order of the table.
pub(super) fn all(rounds: &Rounds) -> Vec<Row> {
    use Goal::{AtMost, None, Nothing};
    let quantities: [Quantity; 15] = [
        ("without a master, p50", "ms", "handover p50_ms", None),
        ("without a master, p99", "ms", "handover p99_ms", AtMost(HANDOVER_MS)),
        ("handovers", "", "handovers", None),
        ("all is upgraded", "s", "all s", None),
        ("of that software", "s", "software s", None),
        ("of that Bowline", "s", "own s", None),
        ("of that Bowline, a node", "ms", "own node_ms", None),
        ("a node beside its software, p50", "ms", "own p50_ms", None),
        ("a node beside its software, p99", "ms", "own p99_ms", AtMost(OWN_MS)),
        ("`up`, a node", "CPU ms", "up cpu_ms", None),
        ("agents, a node", "CPU ms", "agents cpu_ms", None),
        ("writes on the hub, a node", "", "hub writes", None),
        ("memory at most", "MiB", "peak mib", None),
        ("writes at rest", "", "rest writes", Nothing),
        ("a second at rest", "CPU ms", "rest cpu_ms", None),
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

/// By which power of the nodes Bowline's own time grows, between the two largest sizes.
fn growth(rounds: &Rounds) -> Option<Row> {
    let [.., fewer, more] = SIZES;
    let ratio = f64::from(more.nodes) / f64::from(fewer.nodes);
    let [.., few, many] = rounds;
    let own = |measured: &Measured| measured.get("own s").copied();
    let power = |(many, few): (&Measured, &Measured)| Some((own(many)? / own(few)?).ln() / ratio.ln());
    let all: Vec<f64> = many.iter().zip(few).filter_map(power).collect();
    let mut by_size: [Option<Sample>; SIZES.len()] = Default::default();
    by_size[SIZES.len() - 1] = (!all.is_empty()).then(|| Sample::of(all));
    let is_known = by_size.iter().any(Option::is_some);
    is_known.then_some(Row {
        name: "Bowline's time grows with nodes",
        unit: "power",
        by_size,
        goal: Goal::AtMost(LINEAR),
    })
}
