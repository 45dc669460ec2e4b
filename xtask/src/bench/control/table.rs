//! The results as people read them.

use std::fmt::{self, Display};

use super::rows::{Goal, Row};
use crate::bench::short;

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
    /// The version of kube-runtime.
    pub(super) peer: &'a str,
    pub(super) objects: u32,
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pairs, peer) = (format!("{} pairs", self.objects), format!("kube-runtime {}", self.peer));
        writeln!(f, "{pairs:<32} {:>7} {peer:>19} {:>10} {:>8} {:>15}", "", "ours", "better ×", "goal")?;
        for row in self.rows {
            let times = row.times_better.map_or_else(String::new, short);
            let goal = match row.goal {
                Goal::None => String::new(),
                Goal::TimesBetter(least) => format!("≥ {least} ×"),
                Goal::Nothing => "0".to_owned(),
            };
            let verdict = match row.is_met() {
                Some(true) => " met",
                Some(false) => " missed",
                None => "",
            };
            writeln!(
                f,
                "{:<32} {:>7} {:>19} {:>10} {times:>8} {:>15}",
                row.name,
                row.unit,
                short(row.peer.median),
                short(row.ours.median),
                goal + verdict
            )?;
        }
        Ok(())
    }
}
