//! What was measured, summed up.

use serde::Serialize;

use super::contest::{CONTESTANTS, Contestant, Course};
use crate::bench::Sample;
use crate::bench::measure::Measured;

/// All that was measured on one course.
#[derive(Serialize)]
pub(super) struct Results {
    /// The model.
    pub(super) model: &'static str,
    /// Its size.
    pub(super) size: &'static str,
    /// Its states.
    pub(super) distinct: u64,
    /// One entry for each contestant that ran.
    pub(super) contestants: Vec<Standing>,
}

/// What one contestant did on one course.
#[derive(Serialize)]
pub(super) struct Standing {
    #[serde(skip)]
    pub(super) contestant: Contestant,
    /// What people call it.
    pub(super) name: String,
    /// Seconds.
    pub(super) wall_s: Sample,
    /// Seconds of all processors.
    pub(super) cpu_s: Sample,
    /// Bytes.
    pub(super) peak_bytes: Sample,
    /// By the median of the wall time.
    pub(super) distinct_per_s: f64,
}

impl Results {
    /// Sums up the runs of a course: for each of [`CONTESTANTS`] its runs, none if it did not take part.
    pub(super) fn of(course: &Course, runs: &[Vec<Measured>]) -> Results {
        let ran = CONTESTANTS.iter().zip(runs).filter(|(_, runs)| !runs.is_empty());
        let standing = |(contestant, runs): (&Contestant, &Vec<Measured>)| {
            let sample = |value: fn(&Measured) -> f64| Sample::of(runs.iter().map(value).collect());
            let wall_s = sample(|run| run.wall_s);
            Standing {
                contestant: *contestant,
                name: contestant.name(),
                distinct_per_s: course.distinct as f64 / wall_s.median,
                wall_s,
                cpu_s: sample(|run| run.cpu_s),
                peak_bytes: sample(|run| run.peak_bytes as f64),
            }
        };
        let Course { model, size, distinct } = *course;
        Results { model, size, distinct, contestants: ran.map(standing).collect() }
    }

    /// What a contestant did, if it took part.
    pub(super) fn get(&self, contestant: Contestant) -> Option<&Standing> {
        self.contestants.iter().find(|standing| standing.contestant == contestant)
    }

    /// Ours, doing what all do with that many threads.
    pub(super) fn ours(&self, threads: u8) -> Option<&Standing> {
        self.get(Contestant::Ours(threads, "exact", "one"))
    }
}
