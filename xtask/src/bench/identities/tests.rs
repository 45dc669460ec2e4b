//! The limit, goals, and how they are shown.

use super::rows::{self, Row};
use super::{Load, Measured, Rounds, table};

const LOAD: Load = Load { identities: 1_000, at_once: 20 };

fn run(all_s: f64, writes: f64) -> Measured {
    let values = [("all s", all_s), ("calls", 6.0), ("rest aws_writes", writes)];
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn rounds(all_s: f64, writes: [f64; 2]) -> Rounds {
    [vec![run(2.0, writes[0])], vec![run(all_s, writes[1])]]
}

fn met(rows: &[Row], unit: &str) -> Option<bool> {
    rows.iter().find(|row| row.unit == unit).and_then(Row::is_met)
}

#[test]
fn the_limit_is_what_the_calls_take_by_how_many_are_under_way() {
    // 6,000 calls of 50 ms, 20 at once, are 15 s.
    let judged = |all_s| met(&rows::all(&rounds(all_s, [0.0; 2]), LOAD), "times that");
    assert_eq!((judged(16.4), judged(16.6)), (Some(true), Some(false)));
    // Twenty times as fast as 12 minutes are 36 s.
    let judged = |all_s| met(&rows::all(&rounds(all_s, [0.0; 2]), LOAD), "times");
    assert_eq!((judged(35.9), judged(36.1)), (Some(true), Some(false)));
}

#[test]
fn one_write_at_rest_is_a_failure_and_a_goal_that_is_missed_is_none() {
    let bearable = |writes| rows::all(&rounds(99.0, writes), LOAD).iter().all(Row::is_bearable);
    assert!(bearable([0.0; 2]));
    assert!(!bearable([1.0, 0.0]) && !bearable([0.0, 1.0]));
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() {
    let rows = rows::all(&rounds(18.0, [0.0, 1.0]), LOAD);
    let text = table::Table { rows: &rows, load: LOAD }.to_string();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "1000 identities, 20 calls of AWS at once, each of which takes",
        "0 ms 50 ms goal",
        "all are ready s 2.00 18.0",
        "what AWS takes for its calls s 15.0",
        "all are ready times that 1.20 ≤ 1.10 missed",
        "faster than iam-manager times 360 40.0 ≥ 20.0 met",
        "calls of AWS, an identity 6.00 6.00",
        "writes to AWS at rest 0.00 1.00 0 missed",
    ];
    assert_eq!(words, expected);
}
