//! Ratios, goals, and how they are shown; and who is compared with.

use anyhow::{Context, Result};

use super::contest::{Contestant, Course};
use super::rows::{self, Row};
use super::{Measured, Runs, table};
use crate::workspace::Workspace;

fn measured(per_second: f64, cpu_ns: f64) -> Measured {
    [("per_second".to_owned(), per_second), ("cpu_ns".to_owned(), cpu_ns)].into()
}

fn rows() -> Vec<Row> {
    let course = Course::Cycle { keys: 1, workers: 2 };
    let client_go = vec![measured(1e6, 300.0), measured(4e6, 200.0), measured(2e6, 400.0)];
    let memory = |bytes: f64| vec![[("bytes_per_key".to_owned(), bytes)].into()];
    let runs: Runs = vec![
        (course, Contestant::ClientGo, client_go),
        (course, Contestant::Ours, vec![measured(12e6, 50.0)]),
        (course, Contestant::Shared, vec![measured(5e6, 200.0)]),
        (Course::WaitingMemory, Contestant::ClientGo, memory(60.0)),
        (Course::WaitingMemory, Contestant::Ours, memory(30.0)),
        (Course::Later, Contestant::Ours, vec![measured(1.0, 1.0)]),
    ];
    rows::all(&runs)
}

#[test]
fn more_is_better_of_rates_and_less_of_costs() {
    let rows = rows();
    let reached: Vec<_> = rows
        .iter()
        .map(|row| (row.unit, row.ours.times_better, row.shared.as_ref().map(|shared| shared.times_better)))
        .collect();
    assert_eq!(reached, [("1/s", 6.0, Some(2.5)), ("CPU ns", 6.0, Some(1.5)), ("bytes", 2.0, None)]);
    let verdicts: Vec<bool> = rows.iter().flat_map(Row::verdicts).collect();
    assert_eq!(verdicts, [true, false, true, false], "nobody has said how much memory");
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() {
    let text = table::Table { rows: &rows(), peer: "v0.1.2" }.to_string();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "client-go v0.1.2 ours better × shared better × goal",
        "add, get, done: 1 key, 2 workers 1/s 2000 k 12000 k 6.00 met 5000 k 2.50 missed ≥ 5 ×",
        "add, get, done: 1 key, 2 workers CPU ns 300 50.0 6.00 met 200 1.50 missed ≥ 5 ×",
        "a key that waits bytes 60.0 30.0 2.00",
    ];
    assert_eq!(words, expected);
}

/// The version that a module requires of client-go.
fn client_go(go_mod: &str) -> Result<String> {
    let path = Workspace::locate()?.root().join(go_mod);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut words = text.split_whitespace().skip_while(|word| *word != "k8s.io/client-go");
    Ok(words.nth(1).context("client-go is required")?.to_owned())
}

#[test]
fn the_peer_is_of_the_kubernetes_that_the_test_bed_has() -> Result<()> {
    let peer = client_go("bench/peers/client-go/go.mod")?;
    assert_eq!(peer, client_go("testbed/kube/go.mod")?);
    assert!(peer.starts_with("v0."), "{peer}");
    Ok(())
}
