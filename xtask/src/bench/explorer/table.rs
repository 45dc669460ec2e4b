//! The results as people read them.

use std::fmt::{self, Display};

use bowline_explorer::grouped;

use super::goals::{Bound, Goal};
use super::results::Results;

impl Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}: {} states", self.model, self.size, grouped(self.distinct))?;
        writeln!(
            f,
            "{:<34} {:>9} {:>9} {:>9} {:>9} {:>12} {:>8} {:>8} {:>8}",
            "", "wall s", "(min)", "CPU s", "peak MiB", "states/s", "wall ×", "CPU ×", "memory ×"
        )?;
        for standing in &self.contestants {
            let (wall, cpu, peak) = (&standing.wall_s, &standing.cpu_s, &standing.peak_bytes);
            write!(
                f,
                "{:<34} {:>9.3} {:>9.3} {:>9.3} {:>9.1} {:>12}",
                standing.name,
                wall.median,
                wall.min,
                cpu.median,
                peak.median / 1024.0 / 1024.0,
                grouped(standing.distinct_per_s.round() as u64)
            )?;
            // How many times what ours takes with as many threads.
            if let Some(ours) = self.ours(standing.contestant.threads()) {
                let ratios = [
                    wall.median / ours.wall_s.median,
                    cpu.median / ours.cpu_s.median,
                    peak.median / ours.peak_bytes.median,
                ];
                for ratio in ratios {
                    write!(f, " {ratio:>8.2}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The table of goals, a column for each course.
pub(super) struct Goals<'a>(pub(super) &'a [Results], pub(super) &'a [Goal]);

impl Display for Goals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<62} {:>7}", "goals for ours", "goal")?;
        for results in self.0 {
            write!(f, " {:>15}", results.model.trim_start_matches("seed/"))?;
        }
        writeln!(f)?;
        for goal in self.1 {
            let bound = match goal.bound {
                Bound::AtLeast(least) => format!("≥ {least}"),
                Bound::AtMost(most) => format!("≤ {most}"),
            };
            write!(f, "{:<62} {bound:>7}", goal.name)?;
            for reached in &goal.reached {
                let cell = match reached {
                    None => "not measured".into(),
                    Some(ratio) if goal.bound.is_met_by(*ratio) => format!("{ratio:.2}"),
                    Some(ratio) => format!("{ratio:.2} missed"),
                };
                write!(f, " {cell:>15}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
