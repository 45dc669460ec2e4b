//! What is compared, and what ours is to reach. Missing a goal fails nothing: it is said.

use serde::Serialize;

use super::contest::{Contestant, Course};
use super::{Measured, Runs};
use crate::bench::Sample;

/// How many times as fast ours is to be.
pub(super) const GOAL: f64 = 5.0;

/// One quantity of all.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: String,
    /// In what it is measured.
    pub(super) unit: &'static str,
    pub(super) client_go: Sample,
    pub(super) ours: Against,
    /// Where there are workers, who may be threads.
    pub(super) shared: Option<Against>,
    /// How many times better both of ours are to be, if somebody has said.
    pub(super) goal: Option<f64>,
}

/// What one of ours reached.
#[derive(Serialize)]
pub(super) struct Against {
    pub(super) sample: Sample,
    /// How many times better it is than client-go.
    pub(super) times_better: f64,
}

impl Row {
    /// For each of ours whether the goal is met, if there is one.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = bool> {
        let ours = [Some(&self.ours), self.shared.as_ref()].into_iter().flatten();
        ours.filter_map(|ours| self.is_met_by(ours))
    }

    /// Whether one of ours meets the goal, if there is one.
    pub(super) fn is_met_by(&self, ours: &Against) -> Option<bool> {
        self.goal.map(|least| ours.times_better >= least)
    }
}

/// A quantity: its name, its unit, whether more of it is better, and the goal.
type Quantity = (&'static str, &'static str, bool, Option<f64>);

const SPEED: [Quantity; 2] =
    [("per_second", "1/s", true, Some(GOAL)), ("cpu_ns", "CPU ns", false, Some(GOAL))];
const MEMORY: [Quantity; 1] = [("bytes_per_key", "bytes", false, None)];

/// All rows, in the order of the table.
pub(super) fn all(runs: &Runs) -> Vec<Row> {
    let quantities = |course| match course {
        Course::Cycle { .. } | Course::Later => &SPEED[..],
        Course::WaitingMemory | Course::LaterMemory => &MEMORY,
    };
    let rows = Course::all()
        .into_iter()
        .flat_map(|course| quantities(course).iter().filter_map(move |quantity| row(runs, course, quantity)));
    rows.collect()
}

fn row(runs: &Runs, course: Course, (key, unit, more_is_better, goal): &Quantity) -> Option<Row> {
    let sample = |contestant| {
        let run = runs.iter().find(|(on, by, _)| (*on, *by) == (course, contestant));
        run.and_then(|(_, _, measured)| sample(measured, key))
    };
    let client_go = sample(Contestant::ClientGo)?;
    let against = |sample: Sample| {
        let ratio = sample.median / client_go.median;
        let times_better = if *more_is_better { ratio } else { 1.0 / ratio };
        Against { sample, times_better }
    };
    let (ours, shared) = (sample(Contestant::Ours).map(against)?, sample(Contestant::Shared).map(against));
    Some(Row { name: course.name(), unit, client_go, ours, shared, goal: *goal })
}

fn sample(measured: &[Measured], key: &str) -> Option<Sample> {
    let all: Vec<f64> = measured.iter().filter_map(|measured| measured.get(key).copied()).collect();
    (!all.is_empty()).then(|| Sample::of(all))
}
