//! What is measured, and what ours is to reach.

use serde::Serialize;

use super::{Fleet, Measured, Rounds, SIZES};
use crate::bench::Sample;

/// One quantity.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: String,
    /// In what it is measured.
    pub(super) unit: &'static str,
    /// Nothing where a client that only applies has nothing like it.
    pub(super) bare: Option<Sample>,
    pub(super) ours: Sample,
    /// How many times as much ours is.
    pub(super) times: Option<f64>,
    pub(super) goal: Goal,
}

/// What ours is to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// Nobody has said.
    None,
    /// At most so much.
    AtMost(f64),
    /// None at all, in any round: more is a failure.
    Nothing,
}

impl Row {
    /// Whether the goal is met, if there is one.
    pub(super) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::AtMost(most) => Some(self.ours.median <= most),
            Goal::Nothing => Some(self.ours.all.iter().all(|value| *value == 0.0)),
        }
    }

    /// Whether nothing is wrong that fails the run.
    pub(super) fn is_bearable(&self) -> bool {
        self.goal != Goal::Nothing || self.is_met() == Some(true)
    }
}

/// Processor time for an object: 12 s for 1,000 stacks of ten.
const CPU_S: f64 = 12.0 / 10_000.0;
/// What grows as the objects do grows with their first power; so much more is what a measure is off.
const LINEAR: f64 = 1.1;

type Quantity = (&'static str, &'static str, &'static str, Goal);

/// All, in the order of the table.
pub(super) fn all(measured: &Rounds, fleet: Fleet) -> Vec<Row> {
    use Goal::{AtMost, None, Nothing};
    let objects = f64::from(fleet.stacks) * f64::from(fleet.objects);
    let quantities: [Quantity; 17] = [
        ("all are there", "s", "all s", None),
        ("all are there", "CPU s", "all cpu_s", AtMost(CPU_S * objects)),
        ("and each has looked once more", "CPU s", "left cpu_s", None),
        ("who asks for it", "CPU s", "client cpu_s", None),
        ("all are submitted", "s", "submit s", None),
        ("requests to the hub, a stack", "", "hub requests", None),
        ("of these refused", "", "hub refused", None),
        ("writes on the hub, a stack", "", "hub writes", None),
        ("requests to clusters, an object", "", "cluster requests", None),
        ("writes on clusters, an object", "", "cluster writes", None),
        ("memory with nothing submitted", "MiB", "idle mib", None),
        ("memory at most", "MiB", "peak mib", None),
        ("memory at rest, a stack", "KiB", "rest kib", None),
        ("writes at rest", "", "rest writes", Nothing),
        ("a second at rest", "CPU ms", "rest cpu_ms", None),
        ("one alone, p50", "ms", "alone p50_ms", None),
        ("one alone, p99", "ms", "alone p99_ms", None),
    ];
    let mut rows: Vec<Row> = quantities.iter().filter_map(|quantity| row(measured, quantity)).collect();
    for (unit, of) in [("ms", "ms"), ("CPU ms", "cpu_ms")] {
        for size in SIZES {
            let ours = sample(&measured.ours, &format!("of {size} {of}"));
            let name = format!("one alone, of {size} objects");
            rows.extend(ours.map(|ours| plain(name, unit, ours, None)));
        }
    }
    for (name, of) in [("time grows with objects", "ms"), ("CPU grows with objects", "cpu_ms")] {
        let ours = growth(measured, of);
        rows.extend(ours.map(|ours| plain(name.to_owned(), "power", ours, AtMost(LINEAR))));
    }
    rows
}

/// By which power of the objects a quantity grows, between the two largest sizes.
fn growth(measured: &Rounds, of: &str) -> Option<Sample> {
    let [.., fewer, more] = SIZES;
    let ratio = f64::from(more) / f64::from(fewer);
    let of = |round: &Measured, size| round.get(&format!("of {size} {of}")).copied();
    let all: Vec<f64> = measured
        .ours
        .iter()
        .filter_map(|round| Some((of(round, more)? / of(round, fewer)?).ln() / ratio.ln()))
        .collect();
    (!all.is_empty()).then(|| Sample::of(all))
}

fn plain(name: String, unit: &'static str, ours: Sample, goal: Goal) -> Row {
    Row { name, unit, bare: None, ours, times: None, goal }
}

fn row(measured: &Rounds, (name, unit, key, goal): &Quantity) -> Option<Row> {
    let (bare, ours) = (sample(&measured.bare, key), sample(&measured.ours, key)?);
    let times = bare.as_ref().map(|bare| ours.median / bare.median);
    Some(Row { name: (*name).to_owned(), unit, bare, ours, times, goal: *goal })
}

fn sample(rounds: &[Measured], key: &str) -> Option<Sample> {
    let all: Vec<f64> = rounds.iter().filter_map(|measured| measured.get(key).copied()).collect();
    (!all.is_empty()).then(|| Sample::of(all))
}
