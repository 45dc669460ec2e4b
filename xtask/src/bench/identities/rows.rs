//! What is measured, and what is to be reached.

use serde::Serialize;

use super::{LATENCIES_MS, Load, Measured, Rounds};
use crate::bench::Sample;

/// One quantity, by the latency of AWS's answers.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: &'static str,
    /// In what it is measured.
    pub(super) unit: &'static str,
    /// With each latency; nothing where it means nothing.
    pub(super) by_latency: [Option<Sample>; 2],
    pub(super) goal: Goal,
}

/// What is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// Nobody has said.
    None,
    /// At most so much, with the longer latency.
    AtMost(f64),
    /// At least so much, with the longer latency.
    AtLeast(f64),
    /// None at all, in any round: more is a failure.
    Nothing,
}

impl Row {
    /// Whether the goal is met, if there is one.
    pub(super) fn is_met(&self) -> Option<bool> {
        let [_, slow] = &self.by_latency;
        let slow = slow.as_ref().map(|slow| slow.median);
        match self.goal {
            Goal::None => None,
            Goal::AtMost(most) => slow.map(|slow| slow <= most),
            Goal::AtLeast(least) => slow.map(|slow| slow >= least),
            Goal::Nothing => {
                let mut all = self.by_latency.iter().flatten().flat_map(|sample| &sample.all);
                Some(all.all(|value| *value == 0.0))
            }
        }
    }

    /// Whether nothing is wrong that fails the run.
    pub(super) fn is_bearable(&self) -> bool {
        self.goal != Goal::Nothing || self.is_met() == Some(true)
    }
}

/// So much longer than AWS alone takes.
const OVERHEAD: f64 = 1.1;
/// Seconds that keikoproj/iam-manager takes for a role: 1,000 in 12 minutes, with 10 workers (its issue 114).
const IAM_MANAGER_S: f64 = 720.0 / 1_000.0;
const TIMES: f64 = 20.0;

/// A quantity of one run with this latency.
type Quantity = Box<dyn Fn(&Measured, f64) -> Option<f64>>;

/// All, in the order of the table.
pub(super) fn all(rounds: &Rounds, load: Load) -> Vec<Row> {
    use Goal::{AtLeast, AtMost, None, Nothing};
    let (identities, at_once) = (f64::from(load.identities), f64::from(load.at_once));
    let limit_s = move |run: &Measured, latency_ms: f64| {
        let calls = run.get("calls")? * identities;
        (latency_ms > 0.0).then_some(calls * latency_ms / 1e3 / at_once)
    };
    let plain = |key: &'static str| -> Quantity { Box::new(move |run, _| run.get(key).copied()) };
    let over = move |run: &Measured, latency_ms: f64| Some(run.get("all s")? / limit_s(run, latency_ms)?);
    let times = move |run: &Measured, _: f64| Some(IAM_MANAGER_S * identities / run.get("all s")?);
    let rows: [(&str, &str, Quantity, Goal); 17] = [
        ("all are ready", "s", plain("all s"), None),
        ("what AWS takes for its calls", "s", Box::new(limit_s), None),
        ("all are ready", "times that", Box::new(over), AtMost(OVERHEAD)),
        ("faster than iam-manager", "times", Box::new(times), AtLeast(TIMES)),
        ("all are made", "s", plain("make s"), None),
        ("`up`", "CPU s", plain("up cpu_s"), None),
        ("the IAM", "CPU s", plain("iam cpu_s"), None),
        ("who makes them", "CPU s", plain("client cpu_s"), None),
        ("calls of AWS, an identity", "", plain("calls"), None),
        ("of these writes", "", plain("calls that write"), None),
        ("calls under way, at most", "", plain("most at once"), None),
        ("requests to the hub, an identity", "", plain("hub requests"), None),
        ("writes on the hub, an identity", "", plain("hub writes"), None),
        ("memory at most", "MiB", plain("peak mib"), None),
        ("writes to the hub at rest", "", plain("rest hub_writes"), Nothing),
        ("writes to AWS at rest", "", plain("rest aws_writes"), Nothing),
        ("calls of a look, an identity", "", plain("look calls"), None),
    ];
    rows.into_iter().filter_map(|(name, unit, of, goal)| row(rounds, name, unit, &of, goal)).collect()
}

fn row(rounds: &Rounds, name: &'static str, unit: &'static str, of: &Quantity, goal: Goal) -> Option<Row> {
    let by_latency = [0, 1].map(|index| {
        let latency_ms = f64::from(LATENCIES_MS[index]);
        let all: Vec<f64> = rounds[index].iter().filter_map(|run| of(run, latency_ms)).collect();
        (!all.is_empty()).then(|| Sample::of(all))
    });
    by_latency.iter().any(Option::is_some).then_some(Row { name, unit, by_latency, goal })
}
