//! Goals, growth, and how they are shown.

use super::rows::{self, Row};
use super::{Measured, Rounds, table};

fn run(all_s: f64, p99_ms: f64, writes: f64) -> Measured {
    let values = [("all s", all_s), ("own p99_ms", p99_ms), ("rest hub_writes", writes)];
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn rounds(all_s: [f64; 3], p99_ms: [f64; 3], writes: f64) -> Rounds {
    [0, 1, 2].map(|index| vec![run(all_s[index], p99_ms[index], writes)])
}

fn met(rows: &[Row], name: &str) -> Option<bool> {
    rows.iter().find(|row| row.name == name).and_then(Row::is_met)
}

#[test]
fn a_goal_is_met_if_it_is_with_every_number_of_namespaces() {
    let judged = |p99_ms| met(&rows::all(&rounds([1.0; 3], p99_ms, 0.0)), "Bowline's own of that, p99");
    assert_eq!(judged([10.0, 20.0, 100.0]), Some(true));
    assert_eq!(judged([101.0, 20.0, 10.0]), Some(false));
}

#[test]
fn time_that_grows_as_namespaces_do_is_linear() {
    let grows = "the time for all grows with them";
    let judged = |many| met(&rows::all(&rounds([0.3, 3.0, many], [1.0; 3], 0.0)), grows);
    assert_eq!((judged(30.0), judged(37.0), judged(60.0)), (Some(true), Some(true), Some(false)));
    let small: Rounds = [vec![run(1.0, 1.0, 0.0)], Vec::new(), Vec::new()];
    assert_eq!(met(&rows::all(&small), grows), None, "nobody has seen it grow");
}

#[test]
fn one_write_at_rest_is_a_failure_and_a_goal_that_is_missed_is_none() {
    let bearable = |writes| rows::all(&rounds([1.0; 3], [999.0; 3], writes)).iter().all(Row::is_bearable);
    assert!(bearable(0.0) && !bearable(1.0));
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() {
    let rows = rows::all(&rounds([0.3, 3.0, 60.0], [10.0, 20.0, 200.0], 0.0));
    let text = table::Table { rows: &rows }.to_string();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "1 100 1000 goal",
        "Bowline's own of that, p99 ms 10.0 20.0 200 ≤ 100 missed",
        "all at once s 0.30 3.00 60.0",
        "writes on the hub at rest 0.00 0.00 0.00 0 met",
        "the time for all grows with them power 1.30 ≤ 1.10 missed",
    ];
    assert_eq!(words, expected);
}
