//! What is compared, and what ours is to reach.

use anyhow::{Result, ensure};
use serde::Serialize;

use super::{Measured, Rounds};
use crate::bench::Sample;

/// One quantity of both.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: &'static str,
    /// In what it is measured.
    pub(super) unit: &'static str,
    pub(super) peer: Sample,
    pub(super) ours: Sample,
    /// How many times better ours is; nothing where that means nothing.
    pub(super) times_better: Option<f64>,
    pub(super) goal: Goal,
}

/// What ours is to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// Nobody has said.
    None,
    /// So many times better than kube-runtime.
    TimesBetter(f64),
    /// None at all, in any round: more is a failure.
    Nothing,
}

impl Row {
    /// Whether the goal is met, if there is one.
    pub(super) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::TimesBetter(least) => Some(self.times_better.is_some_and(|times| times >= least)),
            Goal::Nothing => Some(self.ours.all.iter().all(|value| *value == 0.0)),
        }
    }

    /// Whether nothing is wrong that fails the run.
    pub(super) fn is_bearable(&self) -> bool {
        self.goal != Goal::Nothing || self.is_met() == Some(true)
    }
}

/// Which of two values is better.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    More,
    Less,
    /// It explains others.
    Neither,
}

type Quantity = (&'static str, &'static str, &'static str, Better, Goal);

/// All, in the order of the table.
const QUANTITIES: [Quantity; 19] = {
    use Better::{Less, More, Neither};
    use Goal::{None, Nothing, TimesBetter};
    [
        ("time to converge", "s", "converge s", Less, TimesBetter(1.0)),
        ("reconciles, converging", "1/s", "converge per_second", More, TimesBetter(1.5)),
        ("reconcile, converging", "CPU µs", "converge cpu_us", Less, None),
        ("a pair converges", "CPU µs", "converge pair_cpu_us", Less, None),
        ("a pair converges, hub", "CPU µs", "converge hub_cpu_us", Less, None),
        ("reconciles a pair", "", "converge decisions", Neither, None),
        ("writes a pair", "", "converge writes", Neither, None),
        ("of these refused", "", "converge refused", Neither, None),
        ("writes at rest", "", "rest writes", Neither, Nothing),
        ("memory an object, converged", "bytes", "converged bytes", Less, TimesBetter(1.0)),
        ("edit to both halves mended, p50", "ms", "edit p50_ms", Less, None),
        ("edit to both halves mended, p99", "ms", "edit p99_ms", Less, None),
        ("cold start to all looked at", "s", "cold s", Less, None),
        ("cold start to all looked at", "CPU s", "cold cpu_s", Less, None),
        ("reconciles, nothing to do", "1/s", "cold per_second", More, TimesBetter(1.5)),
        ("reconciles a pair, cold", "", "cold decisions", Neither, None),
        ("writes after a cold start", "", "cold writes", Neither, Nothing),
        ("memory an object, cold", "bytes", "cold bytes", Less, TimesBetter(1.0)),
        ("memory with nothing to watch", "MiB", "idle mib", Less, None),
    ]
};

/// All rows that both have measured.
///
/// # Errors
/// If one is missing that has to be nothing: what was not measured would pass for nothing.
pub(super) fn all(measured: &Rounds) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for quantity @ (name, _, key, _, goal) in &QUANTITIES {
        let row = row(measured, quantity);
        ensure!(row.is_some() || *goal != Goal::Nothing, "{name} were not measured: nobody says {key:?}");
        rows.extend(row);
    }
    Ok(rows)
}

fn row(measured: &Rounds, (name, unit, key, better, goal): &Quantity) -> Option<Row> {
    let (peer, ours) = (sample(&measured.peer, key)?, sample(&measured.ours, key)?);
    let times_better = match better {
        Better::More => Some(ours.median / peer.median),
        Better::Less => Some(peer.median / ours.median),
        Better::Neither => None,
    };
    Some(Row { name, unit, peer, ours, times_better, goal: *goal })
}

fn sample(rounds: &[Measured], key: &str) -> Option<Sample> {
    let all: Vec<f64> = rounds.iter().filter_map(|measured| measured.get(key).copied()).collect();
    (!all.is_empty()).then(|| Sample::of(all))
}
