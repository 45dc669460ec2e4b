//! What has become of each stage, told when the last of its jobs has ended.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::lanes::{self, Ended, Found, Job};
use super::report::{self, Outcome};
use super::stages::Stage;

/// All stages that have been begun.
pub(super) struct Board {
    live: bool,
    stages: Mutex<BTreeMap<&'static str, Progress>>,
}

/// How far a stage is.
#[derive(Default)]
struct Progress {
    /// Jobs that have not ended.
    left: usize,
    ended: Vec<Ended>,
}

impl Board {
    /// Nothing has been begun. If it is live, what jobs print is shown as it comes.
    pub(super) fn new(live: bool) -> Self {
        Self { live, stages: Mutex::default() }
    }

    /// Runs jobs, and tells of every stage that ends with them.
    pub(super) fn run(&self, jobs: Vec<Job<'_>>) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        for job in &jobs {
            stages.entry(job.stage).or_default().left += 1;
        }
        drop(stages);
        let ended = |ended| self.take(ended);
        if self.live { lanes::show(jobs, &ended) } else { lanes::run(jobs, &ended) }
    }

    /// What has become of these stages.
    pub(super) fn outcomes(self, stages: &[&Stage]) -> Vec<Outcome> {
        let ended = self.stages.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcome = |stage: &&Stage| Some(outcome(stage.name, stage.alone, &ended.get(stage.name)?.ended));
        stages.iter().filter_map(outcome).collect()
    }

    fn take(&self, job: Ended) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(progress) = stages.get_mut(job.stage) else { return };
        progress.left -= 1;
        let name = job.stage;
        progress.ended.push(job);
        if progress.left == 0 {
            // Still locked: what two stages say does not mix.
            tell(name, &progress.ended);
        }
    }
}

fn outcome(name: &'static str, alone: &'static str, jobs: &[Ended]) -> Outcome {
    let began = jobs.iter().map(|job| job.began).min();
    let ended = jobs.iter().map(|job| job.began + job.time).max();
    let time = ended.zip(began).map_or(Duration::ZERO, |(ended, began)| ended - began);
    let ran_nothing = tests(jobs) == Some(0);
    Outcome { name, alone, passed: jobs.iter().all(|job| job.result.is_ok()) && !ran_nothing, time }
}

/// The tests that passed, if it is a stage that runs some.
fn tests(jobs: &[Ended]) -> Option<usize> {
    let counts = jobs.iter().filter_map(|job| match &job.result {
        Ok(Found::Tests(count)) => Some(*count),
        _ => None,
    });
    counts.reduce(|all, one| all + one)
}

fn tell(name: &'static str, jobs: &[Ended]) {
    // Kept until all is said, also from those who only show what they do.
    let mut stdout = std::io::stdout().lock();
    jobs.iter().for_each(|job| job.log.clear_tail());
    let outcome = outcome(name, "", jobs);
    let text = format!("{}\n{}", report::line(name, &outcome, &detail(jobs)), complaints(name, jobs));
    // Nobody reads any more (`| head`): the checks go on, their exit code still counts.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// How much was checked, and what took long.
fn detail(jobs: &[Ended]) -> String {
    let words = jobs.iter().filter_map(|job| match &job.result {
        Ok(Found::Words(words)) => Some(words.clone()),
        _ => None,
    });
    let words: Vec<_> = words.collect();
    let Some(count) = tests(jobs) else { return words.join("; ") };
    let mut times: Vec<_> = jobs.iter().map(|job| (job.time.as_secs(), &job.name)).collect();
    times.sort_by(|a, b| b.cmp(a));
    let long = times.iter().take_while(|(seconds, _)| *seconds >= LONG).take(3);
    let long: Vec<_> = long.map(|(seconds, name)| format!("{name} {seconds} s")).collect();
    let long = if long.is_empty() { String::new() } else { format!("; longest: {}", long.join(", ")) };
    format!("{count} tests{long}")
}

/// Seconds after which a program is worth naming.
const LONG: u64 = 10;

/// All that failed jobs have printed, each with why it failed.
fn complaints(name: &str, jobs: &[Ended]) -> String {
    let mut text = String::new();
    for job in jobs {
        let Err(error) = &job.result else { continue };
        let of = if job.name.is_empty() { name.to_owned() } else { format!("{name}: {}", job.name) };
        text += &format!("{}{of}: {error:#}\n\n", job.log.kept());
    }
    if tests(jobs) == Some(0) {
        text += &format!("{name}: no test ran\n\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use anyhow::{Result, anyhow};

    use super::*;
    use crate::log::Log;

    fn ended(name: &str, result: Result<Found>, seconds: u64, printed: &str) -> Ended {
        let mut log = Log::quiet();
        log.line(printed);
        let time = Duration::from_secs(seconds);
        Ended { stage: "hub", name: name.to_owned(), result, log, began: Instant::now(), time }
    }

    #[test]
    fn tests_are_summed_over_jobs_and_what_took_long_is_named() {
        let jobs = [
            ended("e2e/hub crash", Ok(Found::Tests(3)), 12, ""),
            ended("e2e/hub audit", Ok(Found::Tests(4)), 2, ""),
            ended("e2e/soak short", Ok(Found::Tests(1)), 30, ""),
        ];
        assert_eq!(detail(&jobs), "8 tests; longest: e2e/soak short 30 s, e2e/hub crash 12 s");
        let outcome = outcome("hub", "", &jobs);
        assert!(outcome.passed && outcome.time >= Duration::from_secs(30), "{:?}", outcome.time);
        assert_eq!(complaints("hub", &jobs), "");
    }

    #[test]
    fn a_failed_job_fails_its_stage_and_all_that_it_printed_is_told() {
        let jobs = [
            ended("e2e/hub crash", Ok(Found::Tests(3)), 1, "all is well"),
            ended("e2e/hub audit", Err(anyhow!("tests failed")), 1, "assertion failed"),
        ];
        assert!(!outcome("hub", "", &jobs).passed);
        assert_eq!(complaints("hub", &jobs), "assertion failed\nhub: e2e/hub audit: tests failed\n\n");
    }

    #[test]
    fn a_run_of_nothing_is_a_failure() {
        let jobs = [ended("e2e/hub crash", Ok(Found::Tests(0)), 1, "running 0 tests")];
        assert!(!outcome("hub", "", &jobs).passed);
        assert_eq!(complaints("hub", &jobs), "hub: no test ran\n\n");
        // Some stages run no tests, and say so in words.
        let jobs = [ended("", Ok(Found::Words("15 rules".into())), 1, "")];
        assert!(outcome("tidy", "", &jobs).passed && detail(&jobs) == "15 rules");
    }

    #[test]
    fn a_stage_is_told_of_when_all_of_its_jobs_have_ended() {
        let board = Board::new(false);
        board.run(vec![Job {
            stage: "fmt",
            name: String::new(),
            lane: lanes::Lane::First,
            run: Box::new(|_| Ok(Found::Words(String::new()))),
        }]);
        let stages = super::super::stages::chosen(&["fmt".to_owned()]);
        let outcomes = board.outcomes(&stages);
        assert!(outcomes.len() == 1 && outcomes[0].name == "fmt" && outcomes[0].passed);
    }
}
