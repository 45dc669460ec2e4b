//! The results as people read them.

use std::fmt::{self, Display};

use super::SIZES;
use super::rows::{Goal, Row};
use crate::bench::short;

pub(super) struct Table<'a> {
    pub(super) rows: &'a [Row],
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = SIZES.map(|size| size.to_string());
        write!(f, "{:<34} {:>8}", "", "")?;
        sizes.iter().try_for_each(|size| write!(f, " {size:>10}"))?;
        writeln!(f, " {:>15}", "goal")?;
        for row in self.rows {
            write!(f, "{:<34} {:>8}", row.name, row.unit)?;
            for sample in &row.by_size {
                let value = sample.as_ref().map_or_else(String::new, |sample| short(sample.median));
                write!(f, " {value:>10}")?;
            }
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
            writeln!(f, " {:>15}", goal + verdict)?;
        }
        Ok(())
    }
}
