//! What the explorer is to reach. Missing a goal fails nothing: it is said.

use serde::Serialize;

use super::contest::Contestant;
use super::results::{Results, Standing};

/// A goal and what was reached.
#[derive(Serialize)]
pub(super) struct Goal {
    /// What is compared.
    pub(super) name: &'static str,
    /// The bound.
    pub(super) bound: Bound,
    /// For each course what was reached, if it was measured.
    pub(super) reached: Vec<Option<f64>>,
}

/// A bound for a ratio.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Bound {
    /// At least so many times.
    AtLeast(f64),
    /// At most so many times.
    AtMost(f64),
}

impl Goal {
    /// Whether it was reached wherever it was measured.
    pub(super) fn is_met(&self) -> bool {
        self.reached.iter().flatten().all(|ratio| self.bound.is_met_by(*ratio))
    }
}

impl Bound {
    /// Whether a ratio is within it.
    pub(super) fn is_met_by(self, ratio: f64) -> bool {
        match self {
            Bound::AtLeast(least) => ratio >= least,
            Bound::AtMost(most) => ratio <= most,
        }
    }
}

const STATERIGHT_1: Contestant = Contestant::Stateright("0.30.2", "stateright-0-30", 1);
const STATERIGHT_2: Contestant = Contestant::Stateright("0.30.2", "stateright-0-30", 2);
const TLC: Contestant = Contestant::Tlc(1);
const SAFETY: Contestant = Contestant::Ours(1, "exact", "safety");
const ALL: Contestant = Contestant::Ours(1, "exact", "all");

/// A ratio of two quantities on one course.
type Ratio = fn(&Results) -> Option<f64>;

const GOALS: [(&str, Bound, Ratio); 7] = [
    ("times as fast as TLC, 1 thread each", Bound::AtLeast(100.0), |on| {
        Some(wall(on.get(TLC)?) / wall(on.ours(1)?))
    }),
    ("times as fast as stateright 0.30.2, 1 thread each", Bound::AtLeast(1.2), |on| {
        Some(wall(on.get(STATERIGHT_1)?) / wall(on.ours(1)?))
    }),
    ("times as fast with 2 threads as stateright 0.30.2 at its best", Bound::AtLeast(2.0), |on| {
        let best = wall(on.get(STATERIGHT_1)?).min(wall(on.get(STATERIGHT_2)?));
        Some(best / wall(on.ours(2)?))
    }),
    ("times as fast with 2 threads as with 1", Bound::AtLeast(1.7), |on| {
        Some(wall(on.ours(1)?) / wall(on.ours(2)?))
    }),
    ("of stateright 0.30.2's memory, 1 thread each", Bound::AtMost(1.0), |on| {
        Some(memory(on.ours(1)?) / memory(on.get(STATERIGHT_1)?))
    }),
    ("of TLC's memory, 1 thread each", Bound::AtMost(0.05), |on| {
        Some(memory(on.ours(1)?) / memory(on.get(TLC)?))
    }),
    ("of the time for safety, to check liveness too", Bound::AtMost(2.0), |on| {
        Some(wall(on.get(ALL)?) / wall(on.get(SAFETY)?))
    }),
];

fn wall(standing: &Standing) -> f64 {
    standing.wall_s.median
}

fn memory(standing: &Standing) -> f64 {
    standing.peak_bytes.median
}

/// All goals, with what was reached on each course.
pub(super) fn all(results: &[Results]) -> Vec<Goal> {
    let goal = |(name, bound, ratio): (&'static str, Bound, Ratio)| Goal {
        name,
        bound,
        reached: results.iter().map(ratio).collect(),
    };
    GOALS.into_iter().map(goal).collect()
}
