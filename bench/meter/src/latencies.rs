//! How long things took.

use std::time::Duration;

/// Durations, to be asked for their quantiles.
#[derive(Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// One more.
    pub fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// All of the others, too.
    pub fn extend(&mut self, other: Latencies) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The quantile, in milliseconds; 0 if there is nothing.
    pub fn at(&self, quantile: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index into a list"
        )]
        let index = ((sorted.len() as f64) * quantile) as usize;
        let took = sorted.get(index.min(sorted.len().saturating_sub(1)));
        took.map_or(0.0, |took| took.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_durations() {
        let mut latencies = Latencies::default();
        assert!(latencies.at(0.5).abs() < f64::EPSILON);
        for ms in [3, 1, 2, 100] {
            latencies.add(Duration::from_millis(ms));
        }
        assert!((latencies.at(0.5) - 3.0).abs() < 1e-9 && (latencies.at(0.99) - 100.0).abs() < 1e-9);
    }
}
