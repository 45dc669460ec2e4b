//! `cargo xtask test`: every check there is. What is quick to say no comes first, then all tests are built at once, and then
//! what waits is run beside what computes.

mod board;
mod lanes;
mod programs;
mod report;
mod stages;

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::log::Log;
use crate::testenv;
use crate::workspace::Workspace;
use board::Board;
use lanes::{Found, Job, Lane};
use stages::{ON_TESTBED, STAGES};

/// The names that `--only` takes.
pub(crate) fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

/// The stages and what each of them does.
pub(crate) fn list() -> String {
    let lines: Vec<_> = STAGES.iter().map(|stage| format!("{:<12} {}", stage.name, stage.about)).collect();
    lines.join("\n")
}

/// Runs the chosen stages, or all. A failed stage does not stop the others: a contributor wants to know all that is
/// wrong, not the first of it. The summary is the last thing that is printed.
pub(crate) fn run(workspace: &Workspace, only: &[String], live: bool) -> ExitCode {
    let start = Instant::now();
    let chosen = stages::chosen(only);
    if chosen.iter().any(|stage| ON_TESTBED.contains(&stage.name)) {
        testenv::begin();
    }
    let board = Board::new(live);
    // Which tests there are is known when they are built.
    let built = Mutex::new(None);
    let tasks = chosen.iter().filter_map(|stage| stages::task(stage, workspace));
    let (mut first, tasks): (Vec<_>, Vec<_>) = tasks.partition(|job| job.lane == Lane::First);
    if let Some(stage) = stages::builds(&chosen) {
        let run = Box::new(|log: &mut Log| {
            let programs = programs::build(workspace, log, stages::tests_of(&chosen).as_deref())?;
            let count = programs.len();
            *built.lock().unwrap_or_else(PoisonError::into_inner) = Some(programs);
            Ok(Found::Words(format!("{count} programs")))
        });
        first.push(Job { stage, name: String::new(), lane: Lane::First, run });
    }
    board.run(first);
    let built = built.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Of those that compute the models' tests come last: they keep all cores busy, and the others do not.
    let (mut jobs, waiting): (Vec<_>, Vec<_>) = tasks.into_iter().partition(|job| job.lane == Lane::Computes);
    jobs.extend(stages::tests(&chosen, workspace, built.as_deref()));
    jobs.extend(waiting);
    board.run(jobs);
    let outcomes = board.outcomes(&chosen);
    println!("\n{}", report::summary(&outcomes, start.elapsed()));
    if outcomes.iter().all(|outcome| outcome.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
