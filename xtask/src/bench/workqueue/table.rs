//! The results as people read them.

use std::fmt::{self, Display};

use super::rows::{Against, Row};
use crate::bench::{Sample, short};

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
    /// The version of client-go.
    pub(super) peer: &'a str,
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peer = format!("client-go {}", self.peer);
        writeln!(
            f,
            "{:<42} {:>6} {peer:>17} {:>10} {:>15} {:>10} {:>15} {:>6}",
            "", "", "ours", "better ×", "shared", "better ×", "goal"
        )?;
        for row in self.rows {
            let (ours, times) = shown(row, Some(&row.ours));
            let (shared, shared_times) = shown(row, row.shared.as_ref());
            let goal = row.goal.map_or_else(String::new, |least| format!("≥ {least} ×"));
            writeln!(
                f,
                "{:<42} {:>6} {:>17} {ours:>10} {times:>15} {shared:>10} {shared_times:>15} {goal:>6}",
                row.name,
                row.unit,
                median(&row.client_go),
            )?;
        }
        Ok(())
    }
}

/// What one of ours reached, and whether that is enough.
fn shown(row: &Row, ours: Option<&Against>) -> (String, String) {
    let Some(ours) = ours else { return <_>::default() };
    let verdict = match row.is_met_by(ours) {
        Some(true) => " met",
        Some(false) => " missed",
        None => "",
    };
    (median(&ours.sample), short(ours.times_better) + verdict)
}

fn median(sample: &Sample) -> String {
    match sample.median {
        thousands if thousands >= 1e5 => format!("{:.0} k", thousands / 1e3),
        median => short(median),
    }
}
