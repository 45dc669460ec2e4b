//! Ratios, goals, and how they are shown; and who is compared with.

use anyhow::Result;

use super::rows::{self, Row};
use super::{Measured, Rounds, peer, table};

fn measured(values: &[(&str, f64)]) -> Measured {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

fn rounds(writes_of_ours: [f64; 3]) -> Rounds {
    let round = |seconds, rate, bytes, writes| {
        measured(&[
            ("converge s", seconds),
            ("converge per_second", rate),
            ("converged bytes", bytes),
            ("rest writes", writes),
            ("cold writes", 0.0),
        ])
    };
    Rounds {
        peer: vec![round(30.0, 2000.0, 1000.0, 0.0), round(20.0, 1000.0, 900.0, 3.0)],
        ours: writes_of_ours.map(|writes| round(25.0, 3000.0, 1900.0, writes)).into(),
    }
}

fn find<'a>(rows: &'a [Row], name: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name)
}

#[test]
fn more_is_better_of_rates_and_less_of_costs() -> Result<()> {
    let rows = rows::all(&rounds([0.0; 3]))?;
    let reached = |name| find(&rows, name).map(|row| (row.times_better, row.is_met()));
    assert_eq!(reached("time to converge"), Some((Some(1.0), Some(true))));
    assert_eq!(reached("reconciles, converging"), Some((Some(2.0), Some(true))));
    assert_eq!(reached("memory an object, converged"), Some((Some(0.5), Some(false))));
    assert_eq!(reached("writes at rest"), Some((None, Some(true))), "what the peer writes is its own affair");
    assert_eq!(reached("edit to both halves mended, p50"), None, "nobody has measured it");
    Ok(())
}

#[test]
fn one_write_at_rest_in_one_round_is_a_failure_and_a_goal_that_is_missed_is_none() -> Result<()> {
    let bearable = |writes| anyhow::Ok(rows::all(&rounds(writes))?.iter().all(Row::is_bearable));
    assert!(bearable([0.0; 3])?, "too much memory is borne");
    assert!(!bearable([0.0, 1.0, 0.0])?);
    Ok(())
}

#[test]
fn writes_at_rest_that_nobody_has_counted_are_not_taken_for_none() {
    let mut rounds = rounds([0.0; 3]);
    for round in &mut rounds.ours {
        round.remove("rest writes");
    }
    let told = rows::all(&rounds).err().map(|error| error.to_string());
    assert_eq!(told.as_deref(), Some("writes at rest were not measured: nobody says \"rest writes\""));
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() -> Result<()> {
    let rows = rows::all(&rounds([0.0, 1.0, 0.0]))?;
    let text = table::Table { rows: &rows, peer: "1.2.3", objects: 200 }.to_string();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "200 pairs kube-runtime 1.2.3 ours better × goal",
        "time to converge s 25.0 25.0 1.00 ≥ 1 × met",
        "reconciles, converging 1/s 1500 3000 2.00 ≥ 1.5 × met",
        "writes at rest 1.50 0.00 0 missed",
        "memory an object, converged bytes 950 1900 0.50 ≥ 1 × missed",
        "writes after a cold start 0.00 0.00 0 met",
    ];
    assert_eq!(words, expected);
    Ok(())
}

#[test]
fn the_peer_is_the_one_that_is_built() -> Result<()> {
    let lock = "[[package]]\nname = \"kube\"\nversion = \"1.0.0\"\n\n\
                [[package]]\nname = \"kube-runtime\"\nversion = \"2.3.4\"\n";
    assert_eq!(peer(lock)?, "2.3.4");
    assert!(peer("version = 4\n").is_err());
    Ok(())
}
