//! Who runs when: jobs that wait, beside jobs that compute.
//!
//! A machine with few cores is idle while tests wait, for leases and for what becomes healthy; and it is slow to answer while
//! others compute. So what waits is run two at a time, and beside it what computes, one after the other and with less of a
//! claim to the processor: whoever is woken gets it at once, and no test sees a slow machine because of a compiler.

use std::collections::VecDeque;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::log::Log;

/// Beside what a job may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Before all others, alone: it is quick, or the others need it.
    First,
    /// It waits most of the time, and it would notice that others keep it from the processor.
    Waits,
    /// It computes, and does not mind how long that takes.
    Computes,
}

/// Jobs that wait, at a time. Each is several tests at once, and some of these start a whole Kubernetes.
const WAITING: usize = 2;

/// How a job is done.
type Run<'a> = dyn FnOnce(&mut Log) -> Result<Found> + Send + 'a;

/// A part of a stage that runs by itself.
pub(super) struct Job<'a> {
    /// The stage.
    pub(super) stage: &'static str,
    /// What it is called, among the jobs of its stage.
    pub(super) name: String,
    /// Beside what it runs.
    pub(super) lane: Lane,
    /// Does it.
    pub(super) run: Box<Run<'a>>,
}

/// How much a job has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// So many tests passed.
    Tests(usize),
    /// In words.
    Words(String),
}

/// A job that has ended.
pub(super) struct Ended {
    /// Its stage.
    pub(super) stage: &'static str,
    /// Its name.
    pub(super) name: String,
    /// What it found; an error is a failure.
    pub(super) result: Result<Found>,
    /// What it printed.
    pub(super) log: Log,
    /// When it began.
    pub(super) began: Instant,
    /// How long it took.
    pub(super) time: Duration,
}

/// Runs all jobs, in their order within each lane, and says of each that it has ended.
pub(super) fn run(jobs: Vec<Job<'_>>, ended: &(dyn Fn(Ended) + Sync)) {
    let (first, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.lane == Lane::First);
    one_by_one(first, ended);
    let (waits, computes): (VecDeque<_>, VecDeque<_>) =
        others.into_iter().partition(|job| job.lane == Lane::Waits);
    let (waits, computes) = (Mutex::new(waits), Mutex::new(computes));
    std::thread::scope(|scope| {
        for _ in 0..WAITING {
            scope.spawn(|| drain(&waits, ended));
        }
        scope.spawn(|| {
            stand_back();
            drain(&computes, ended);
        });
    });
}

/// Runs all jobs one after the other, each with its output shown as it comes.
pub(super) fn show(jobs: Vec<Job<'_>>, ended: &dyn Fn(Ended)) {
    for job in jobs {
        println!("== {} {}", job.stage, job.name);
        ended(perform(job, Log::live()));
    }
}

fn one_by_one(jobs: Vec<Job<'_>>, ended: &(dyn Fn(Ended) + Sync)) {
    drain(&Mutex::new(jobs.into()), ended);
}

fn drain(jobs: &Mutex<VecDeque<Job<'_>>>, ended: &(dyn Fn(Ended) + Sync)) {
    loop {
        // Not held while the job runs: the others take from it.
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(job) = next else { return };
        let log = Log::quiet_after(format!("{:<12} ", job.stage));
        ended(perform(job, log));
    }
}

fn perform(job: Job<'_>, mut log: Log) -> Ended {
    let Job { stage, name, run, .. } = job;
    let began = Instant::now();
    let result = run(&mut log);
    Ended { stage, name, result, log, began, time: began.elapsed() }
}

/// Gives this thread, and all that it starts, less of a claim to the processor than others have.
fn stand_back() {
    // A courtesy: where it cannot be, all have the same claim.
    let Ok(thread) = std::fs::read_link("/proc/thread-self") else { return };
    let Some(thread) = thread.file_name() else { return };
    let mut renice = Command::new("renice");
    renice.args(["-n", "15", "-p"]).arg(thread);
    let _ = renice.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use anyhow::bail;

    use super::*;

    fn job<'a>(name: &str, lane: Lane, run: impl FnOnce(&mut Log) -> Result<Found> + Send + 'a) -> Job<'a> {
        Job { stage: "test", name: name.to_owned(), lane, run: Box::new(run) }
    }

    fn names(jobs: Vec<Job<'_>>) -> Vec<(String, bool)> {
        let seen = Mutex::new(Vec::new());
        run(jobs, &|ended| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).push((ended.name, ended.result.is_ok()));
        });
        seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn all_run_and_a_failure_stops_nobody() {
        let ok = |_: &mut Log| Ok(Found::Tests(1));
        let jobs = vec![
            job("waits", Lane::Waits, ok),
            job("fails", Lane::First, |_| bail!("it is wrong")),
            job("computes", Lane::Computes, ok),
            job("first", Lane::First, ok),
        ];
        let mut names = names(jobs);
        assert_eq!(names[..2], [("fails".into(), false), ("first".into(), true)]);
        names[2..].sort();
        assert_eq!(names[2..], [("computes".into(), true), ("waits".into(), true)]);
    }

    /// Two that wait and one that computes need each other to end.
    #[test]
    fn two_that_wait_run_beside_one_that_computes() {
        let (to_first, first) = channel();
        let (to_second, second) = channel();
        let (to_third, third) = channel();
        let patience = Duration::from_secs(60);
        let meet = move |from: std::sync::mpsc::Receiver<()>, to: std::sync::mpsc::Sender<()>| {
            move |_: &mut Log| {
                to.send(())?;
                from.recv_timeout(patience)?;
                Ok(Found::Tests(1))
            }
        };
        let jobs = vec![
            job("a", Lane::Waits, meet(first, to_second)),
            job("b", Lane::Waits, meet(second, to_third)),
            job("c", Lane::Computes, meet(third, to_first)),
        ];
        assert!(names(jobs).iter().all(|(_, passed)| *passed));
    }

    #[test]
    fn jobs_of_a_lane_begin_in_their_order() {
        let begun = Mutex::new(Vec::new());
        let note = |name: &'static str| {
            let begun = &begun;
            job(name, Lane::Computes, move |_| {
                begun.lock().unwrap_or_else(PoisonError::into_inner).push(name);
                Ok(Found::Words(String::new()))
            })
        };
        run(vec![note("a"), note("b"), note("c")], &|_| ());
        assert_eq!(begun.into_inner().unwrap_or_else(PoisonError::into_inner), ["a", "b", "c"]);
    }
}
