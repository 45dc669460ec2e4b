//! How many models of each kind had which verdict: a referee that sees one side only tests nothing.

use std::fmt::{self, Display};

use anyhow::{Result, ensure};
use bowline_explorer::{Kind, Verdict};

use super::draw::KINDS;

/// Each kind is to have each verdict this often, in a run of the usual length.
const LEAST: usize = 5;

/// Counts of verdicts.
#[derive(Default)]
pub(super) struct Tally {
    /// For each of [`KINDS`]: how many hold (or are reached), how many do not.
    counts: [[usize; 2]; KINDS.len()],
    /// The sum of distinct states.
    states: u64,
}

impl Tally {
    /// Counts a verdict on a model with that many states.
    pub(super) fn count(&mut self, kind: Kind, verdict: Verdict, states: u64) {
        let positive = matches!(verdict, Verdict::Holds | Verdict::Reached);
        if let Some(index) = KINDS.iter().position(|known| *known == kind) {
            self.counts[index][usize::from(!positive)] += 1;
            self.states += states;
        }
    }

    /// Fails if a verdict is rare. A run of few models cannot have enough of everything: less is then enough.
    pub(super) fn is_healthy(&self) -> Result<()> {
        let total: usize = self.counts.iter().flatten().sum();
        let least = LEAST.min(total / (KINDS.len() * 4));
        for (kind, counts) in KINDS.iter().zip(self.counts) {
            for (count, verdict) in counts.iter().zip(words(*kind)) {
                ensure!(
                    *count >= least,
                    "only {count} of {total} models have a {kind} claim that is {verdict}, of at least {least}: \
                     a referee that sees one side tests nothing; tune the generator (xtask/src/referee/draw.rs)"
                );
            }
        }
        Ok(())
    }
}

fn words(kind: Kind) -> [&'static str; 2] {
    if kind == Kind::Sometimes { ["reached", "unreached"] } else { ["holds", "violated"] }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<18} {:>6} {:>9}", "kind", "holds", "violated")?;
        let mut sums = [0; 2];
        for (kind, counts) in KINDS.iter().zip(self.counts) {
            let note = if *kind == Kind::Sometimes { "  (reached, unreached)" } else { "" };
            writeln!(f, "{:<18} {:>6} {:>9}{note}", kind.as_str(), counts[0], counts[1])?;
            sums = [sums[0] + counts[0], sums[1] + counts[1]];
        }
        writeln!(f, "{:<18} {:>6} {:>9}", "all", sums[0], sums[1])?;
        write!(f, "{} distinct states in all", self.states)
    }
}
