//! The results as people read them.

use std::fmt::{self, Display};

use super::disk::Fsync;
use super::rows::{Goal, Row};
use crate::bench::{Sample, short};

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
    /// Before and after.
    pub(super) fsync: [&'a Fsync; 2],
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (when, fsync) in ["before", "after"].iter().zip(self.fsync) {
            let Fsync { median_ms, p99_ms } = fsync;
            writeln!(f, "4 KiB written and synced, {when}: median {median_ms:.2} ms, p99 {p99_ms:.2} ms")?;
        }
        writeln!(
            f,
            "{:<42} {:>7} {:>12} {:>10} {:>10} {:>8} {:>14}",
            "", "", "kube + etcd", "hub", "no audit", "better ×", "goal"
        )?;
        for row in self.rows {
            let value = |sample: &Option<Sample>| {
                sample.as_ref().map_or_else(String::new, |sample| short(sample.median))
            };
            let times = row.times_better.map_or_else(String::new, short);
            let goal = match row.goal {
                Goal::None => String::new(),
                Goal::TimesBetter(least) => format!("≥ {least} ×"),
                Goal::AtMost(most) => format!("≤ {most}"),
            };
            let verdict = match row.is_met() {
                Some(true) => " met",
                Some(false) => " missed",
                None => "",
            };
            writeln!(
                f,
                "{:<42} {:>7} {:>12} {:>10} {:>10} {times:>8} {:>14}",
                row.name,
                row.unit,
                value(&row.kube),
                value(&row.hub),
                value(&row.silent),
                goal + verdict
            )?;
        }
        Ok(())
    }
}
