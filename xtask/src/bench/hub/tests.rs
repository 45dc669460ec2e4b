//! Ratios, goals, and how they are shown.

use super::disk::Fsync;
use super::rows::{self, Row};
use super::{Measured, Rounds, table};

fn measured(values: &[(&str, f64)]) -> Measured {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

fn rounds() -> Rounds {
    Rounds {
        kube: vec![
            measured(&[("idle mib", 300.0), ("create 64 per_second", 1000.0), ("create 64 cpu_us", 1200.0)]),
            measured(&[("idle mib", 200.0), ("create 64 per_second", 1500.0), ("create 64 cpu_us", 1200.0)]),
        ],
        hub: vec![
            measured(&[("idle mib", 30.0), ("create 64 per_second", 5000.0), ("create 64 cpu_us", 120.0)]),
            measured(&[("restart stopped_ms", 400.0)]),
        ],
        silent: vec![measured(&[("idle mib", 25.0)])],
    }
}

fn find<'a>(rows: &'a [Row], name: &str, unit: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.unit == unit)
}

#[test]
fn more_is_better_of_rates_and_less_of_costs() {
    let rows = rows::all(&rounds());
    let reached = |name, unit| find(&rows, name, unit).map(|row| (row.times_better, row.is_met()));
    assert_eq!(reached("creates, 64 clients", "1/s"), Some((Some(4.0), Some(true))));
    assert_eq!(reached("creates, 64 clients", "CPU µs"), Some((Some(10.0), Some(true))));
    assert_eq!(reached("memory, idle", "MiB"), Some((Some(250.0 / 30.0), Some(false))));
    assert_eq!(reached("restart with 100,000 objects, stopped", "ms"), Some((None, Some(true))));
    assert_eq!(reached("gets, 1 client", "1/s"), Some((None, None)));
}

#[test]
fn the_table_says_what_is_met_and_what_is_missed() {
    let rows = rows::all(&rounds());
    let fsync = Fsync { median_ms: 0.5, p99_ms: 2.0 };
    let text = table::Table { rows: &rows, fsync: [&fsync, &fsync] }.to_string();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert!(line("memory, idle").ends_with("250       30.0       25.0     8.33  ≥ 10 × missed"), "{text}");
    assert!(line("restart with 100,000 objects, stopped").ends_with("≤ 1000 met"), "{text}");
    assert!(text.contains("before: median 0.50 ms, p99 2.00 ms"), "{text}");
}
