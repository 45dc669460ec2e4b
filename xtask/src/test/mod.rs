//! `cargo xtask test`: every check there is, one stage after the other.

mod report;
mod stages;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use crate::log::Log;
use crate::testenv;
use crate::workspace::Workspace;
use report::Outcome;
use stages::{ON_TESTBED, STAGES, Stage};

/// The names that `--only` takes.
pub(crate) fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

/// The stages and what each of them does.
pub(crate) fn list() -> String {
    let lines: Vec<_> = STAGES.iter().map(|stage| format!("{:<12} {}", stage.name, stage.about)).collect();
    lines.join("\n")
}

/// Runs the chosen stages, or all. A failed stage does not stop those after it: a contributor wants to know
/// all that is wrong, not the first of it. The summary is the last thing that is printed.
pub(crate) fn run(workspace: &Workspace, only: &[String], live: bool) -> ExitCode {
    let is_chosen = |stage: &&Stage| only.is_empty() || only.iter().any(|name| name == stage.name);
    let chosen = STAGES.iter().filter(is_chosen);
    if chosen.clone().any(|stage| ON_TESTBED.contains(&stage.name)) {
        testenv::begin();
    }
    let outcomes: Vec<_> = chosen.map(|stage| run_stage(workspace, stage, live)).collect();
    println!("\n{}", report::summary(&outcomes));
    if outcomes.iter().all(|outcome| outcome.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_stage(workspace: &Workspace, stage: &'static Stage, live: bool) -> Outcome {
    let label = format!("{:<12} ", stage.name);
    if live {
        println!("== {}", stage.name);
    } else {
        print!("{label}");
        // Only a hint of what is being done now: if it cannot be shown, the result line still comes.
        let _ = std::io::stdout().flush();
    }
    let mut log = if live { Log::live() } else { Log::quiet_after(label) };
    let start = Instant::now();
    let result = (stage.run)(workspace, &mut log);
    log.clear_tail();
    let outcome =
        Outcome { name: stage.name, alone: stage.alone, passed: result.is_ok(), time: start.elapsed() };
    let name = if live { stage.name } else { "" };
    match result {
        Ok(detail) => println!("{}", report::line(name, &outcome, &detail)),
        Err(error) => {
            println!("{}", report::line(name, &outcome, ""));
            print!("{}", log.kept());
            println!("{}: {error:#}\n", stage.name);
        }
    }
    outcome
}
