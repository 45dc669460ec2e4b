//! The results as people read them.

use std::fmt::{self, Display};

use super::Fleet;
use super::rows::{Goal, Row};
use crate::bench::short;

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
    pub(super) fleet: Fleet,
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fleet { stacks, clusters, objects, .. } = self.fleet;
        writeln!(f, "{stacks} stacks of {objects} objects on {clusters} clusters")?;
        writeln!(
            f,
            "{:<34} {:>7} {:>12} {:>10} {:>8} {:>15}",
            "", "", "bare client", "ours", "times", "goal"
        )?;
        for row in self.rows {
            let bare = row.bare.as_ref().map_or_else(String::new, |bare| short(bare.median));
            let times = row.times.map_or_else(String::new, short);
            let goal = match row.goal {
                Goal::None => String::new(),
                Goal::AtMost(most) => format!("≤ {}", short(most)),
                Goal::Nothing => "0".to_owned(),
            };
            let verdict = match row.is_met() {
                Some(true) => " met",
                Some(false) => " missed",
                None => "",
            };
            writeln!(
                f,
                "{:<34} {:>7} {bare:>12} {:>10} {times:>8} {:>15}",
                row.name,
                row.unit,
                short(row.ours.median),
                goal + verdict
            )?;
        }
        Ok(())
    }
}
