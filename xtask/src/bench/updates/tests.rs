//! Goals, growth, and how they are shown.

use super::rows::{self, Row};
use super::{Fleet, Measured, Rounds, table};

const FLEET: Fleet = Fleet { stacks: 100, clusters: 5, objects: 10, alone: 3 };

fn measured(values: &[(&str, f64)]) -> Measured {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

fn rounds(cpu: f64, writes: [f64; 2], largest: f64) -> Rounds {
    let round = |writes| {
        measured(&[
            ("all cpu_s", cpu),
            ("rest writes", writes),
            ("of 10 ms", 9.0),
            ("of 100 ms", 30.0),
            ("of 1000 ms", largest),
        ])
    };
    Rounds { bare: vec![measured(&[("all cpu_s", 0.5)])], ours: writes.map(round).into() }
}

fn find<'a>(rows: &'a [Row], name: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name)
}

#[test]
fn the_goal_for_processor_time_grows_with_what_is_to_be_done() {
    let reached =
        |cpu| find(&rows::all(&rounds(cpu, [0.0; 2], 300.0), FLEET), "all are there").map(Row::is_met);
    assert_eq!(reached(1.2), Some(Some(true)));
    assert_eq!(reached(1.3), Some(Some(false)));
}

#[test]
fn what_takes_ten_times_as_long_for_ten_times_as_much_is_linear() {
    let reached = |largest| {
        let rows = rows::all(&rounds(1.0, [0.0; 2], largest), FLEET);
        find(&rows, "time grows with objects").map(|row| (row.ours.median, row.is_met()))
    };
    assert_eq!(reached(300.0), Some((1.0, Some(true))));
    assert_eq!(reached(3000.0), Some((2.0, Some(false))));
    let none = Rounds { bare: Vec::new(), ours: vec![measured(&[("all s", 1.0)])] };
    assert!(find(&rows::all(&none, FLEET), "time grows with objects").is_none(), "nobody has measured it");
}

#[test]
fn one_write_at_rest_in_one_round_is_a_failure_and_a_goal_that_is_missed_is_none() {
    let bearable = |writes| rows::all(&rounds(99.0, writes, 3000.0), FLEET).iter().all(Row::is_bearable);
    assert!(bearable([0.0; 2]));
    assert!(!bearable([0.0, 1.0]));
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() {
    let rows = rows::all(&rounds(1.0, [0.0, 1.0], 300.0), FLEET);
    let text = table::Table { rows: &rows, fleet: FLEET }.to_string();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "100 stacks of 10 objects on 5 clusters",
        "bare client ours times goal",
        "all are there CPU s 0.50 1.00 2.00 ≤ 1.20 met",
        "writes at rest 0.50 0 missed",
        "one alone, of 10 objects ms 9.00",
        "one alone, of 100 objects ms 30.0",
        "one alone, of 1000 objects ms 300",
        "time grows with objects power 1.00 ≤ 1.10 met",
    ];
    assert_eq!(words, expected);
}
