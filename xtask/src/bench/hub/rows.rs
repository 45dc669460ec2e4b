//! What is compared, and what the hub is to reach. Missing a goal fails nothing: it is said.

use serde::Serialize;

use super::{Measured, Rounds, SIZES};
use crate::bench::Sample;

/// One quantity of both.
#[derive(Serialize)]
pub(super) struct Row {
    /// What it is.
    pub(super) name: String,
    /// In what it is measured.
    pub(super) unit: &'static str,
    /// Nothing if kube-apiserver did not take part, or not in this.
    pub(super) kube: Option<Sample>,
    pub(super) hub: Option<Sample>,
    /// The hub without its audit log.
    pub(super) silent: Option<Sample>,
    /// How many times better the hub is.
    pub(super) times_better: Option<f64>,
    pub(super) goal: Goal,
}

/// What the hub is to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// Nobody has said.
    None,
    /// So many times better than kube-apiserver.
    TimesBetter(f64),
    /// At most so much.
    AtMost(f64),
}

impl Row {
    /// Whether the goal is met, if there is one and it was measured.
    pub(super) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::TimesBetter(least) => self.times_better.map(|times| times >= least),
            Goal::AtMost(most) => self.hub.as_ref().map(|hub| hub.median <= most),
        }
    }
}

/// Which of two values is better.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    More,
    Less,
}

/// All rows, in the order of the table.
pub(super) fn all(measured: &Rounds) -> Vec<Row> {
    use Better::{Less, More};
    use Goal::{AtMost, TimesBetter};
    let row = |name: &str, unit, key: &str, better, goal| row(measured, (name, unit, key), better, goal);
    let mut rows = vec![
        row("start on a fresh directory", "ms", "start fresh_ms", Less, TimesBetter(50.0)),
        row("start on a used directory", "ms", "start used_ms", Less, TimesBetter(50.0)),
        row("memory, idle", "MiB", "idle mib", Less, TimesBetter(10.0)),
        row("memory, 10,000 objects", "MiB", "full mib", Less, TimesBetter(10.0)),
        row("memory, after all loads", "MiB", "loaded mib", Less, Goal::None),
    ];
    for (verb, name) in [("create", "creates"), ("patch", "patches"), ("get", "gets")] {
        for clients in [1, 16, 64] {
            let s = if clients == 1 { "" } else { "s" };
            let (rate, cpu) = match (verb, clients) {
                ("create", 64) => (4.0, 6.0),
                ("create", _) => (3.0, 6.0),
                _ => (3.0, 3.0),
            };
            let key = |what: &str| format!("{verb} {clients} {what}");
            let name = format!("{name}, {clients} client{s}");
            rows.push(row(&name, "1/s", &key("per_second"), More, TimesBetter(rate)));
            rows.push(row(&name, "CPU µs", &key("cpu_us"), Less, TimesBetter(cpu)));
        }
    }
    rows.extend([
        row("list of 10,000", "ms", "list p50_ms", Less, TimesBetter(3.0)),
        row("list of 10,000", "CPU ms", "list cpu_ms", Less, TimesBetter(3.0)),
        row("write to the last of 100 watchers, p50", "ms", "watch 100 p50_ms", Less, TimesBetter(3.0)),
        row("write to the last of 100 watchers, p99", "ms", "watch 100 p99_ms", Less, TimesBetter(3.0)),
        row("write to the last of 1,000, p50", "ms", "watch 1000 p50_ms", Less, Goal::None),
        row("write to the last of 1,000, p99", "ms", "watch 1000 p99_ms", Less, Goal::None),
        row("an event to one of 1,000", "CPU µs", "watch 1000 cpu_us", Less, Goal::None),
        row("memory, a watcher of 1,000", "KiB", "watch 1000 kib", Less, Goal::None),
        row("restart with 100,000 objects, stopped", "ms", "restart stopped_ms", Less, AtMost(1000.0)),
        row("restart with 100,000 objects, killed", "ms", "restart killed_ms", Less, AtMost(1000.0)),
    ]);
    rows.extend(turns(measured));
    rows.extend(growth(measured));
    rows
}

/// Users who wait their turn, and the same when they are let through: what the fair queue costs.
fn turns(measured: &Rounds) -> Vec<Row> {
    let mut rows = Vec::new();
    for (verb, name) in [("create", "creates"), ("get", "gets")] {
        for turn in ["queued", "exempt"] {
            let name = format!("{name}, 16 ordinary clients, {turn}");
            let key = |what: &str| format!("{turn} {verb} 16 {what}");
            rows.push(row(measured, (&name, "1/s", &key("per_second")), Better::More, Goal::None));
            rows.push(row(measured, (&name, "CPU µs", &key("cpu_us")), Better::Less, Goal::None));
        }
    }
    rows
}

/// What grows with the objects, and what does not.
fn growth(measured: &Rounds) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, unit, key) in [
        ("memory", "MiB", "mib"),
        ("a list", "ms", "list p50_ms"),
        ("a list", "CPU ms", "list cpu_ms"),
        ("gets, 16 clients", "CPU µs", "get 16 cpu_us"),
        ("patches, 16 clients", "CPU µs", "patch 16 cpu_us"),
        ("to the last of 100 watchers, p50", "ms", "watch 100 p50_ms"),
    ] {
        for size in SIZES {
            let (name, key) = (format!("{size} objects: {name}"), format!("at {size} {key}"));
            rows.push(row(measured, (&name, unit, &key), Better::Less, Goal::None));
        }
    }
    rows
}

fn row(measured: &Rounds, (name, unit, key): (&str, &'static str, &str), better: Better, goal: Goal) -> Row {
    let (kube, hub) = (sample(&measured.kube, key), sample(&measured.hub, key));
    let times_better = kube.as_ref().zip(hub.as_ref()).map(|(kube, hub)| match better {
        Better::More => hub.median / kube.median,
        Better::Less => kube.median / hub.median,
    });
    let silent = sample(&measured.silent, key);
    Row { name: name.to_owned(), unit, kube, hub, silent, times_better, goal }
}

fn sample(rounds: &[Measured], key: &str) -> Option<Sample> {
    let all: Vec<f64> = rounds.iter().filter_map(|measured| measured.get(key).copied()).collect();
    (!all.is_empty()).then(|| Sample::of(all))
}
