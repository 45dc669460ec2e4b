//! The results as people read them.

use std::fmt::{self, Display};

use super::rows::{Goal, Row};
use super::{LATENCIES_MS, Load};
use crate::bench::short;

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
    pub(super) load: Load,
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Load { identities, at_once } = self.load;
        writeln!(f, "{identities} identities, {at_once} calls of AWS at once, each of which takes")?;
        let [fast, slow] = LATENCIES_MS.map(|latency_ms| format!("{latency_ms} ms"));
        writeln!(f, "{:<34} {:>10} {fast:>9} {slow:>9} {:>15}", "", "", "goal")?;
        for row in self.rows {
            let [fast, slow] = row
                .by_latency
                .each_ref()
                .map(|sample| sample.as_ref().map_or_else(String::new, |sample| short(sample.median)));
            let goal = match row.goal {
                Goal::None => String::new(),
                Goal::AtMost(most) => format!("≤ {}", short(most)),
                Goal::AtLeast(least) => format!("≥ {}", short(least)),
                Goal::Nothing => "0".to_owned(),
            };
            let verdict = match row.is_met() {
                Some(true) => " met",
                Some(false) => " missed",
                None => "",
            };
            writeln!(f, "{:<34} {:>10} {fast:>9} {slow:>9} {:>15}", row.name, row.unit, goal + verdict)?;
        }
        Ok(())
    }
}
