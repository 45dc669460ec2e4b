//! The explorer against other model checkers, which must find the same number of states.

mod contest;
mod goals;
mod results;
mod table;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::{Company, Effort, processors};
use crate::log::Log;
use crate::referee::specs;
use crate::referee::tlc::Tlc;
use crate::workspace::Workspace;
use contest::{CONTESTANTS, COURSES, Contestant, Course, Stadium};
use results::Results;

/// How to measure the explorer.
#[derive(clap::Args)]
pub(crate) struct ExplorerArgs {
    #[command(flatten)]
    effort: Effort,
    /// Leave TLC out, which takes most of the time
    #[arg(long)]
    skip_tlc: bool,
    /// Only this seed; may be given several times
    #[arg(long, value_name = "SEED", value_parser = COURSES.map(|course| course.model))]
    only: Vec<String>,
    /// Where the seeds' specifications for TLC are, if not in ../shared/specs
    #[arg(long, value_name = "DIR", conflicts_with = "skip_tlc")]
    specs: Option<PathBuf>,
}

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    repetitions: usize,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    courses: &'a [Results],
    goals: &'a [goals::Goal],
}

/// Measures.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &ExplorerArgs) -> Result<String> {
    let company = Company::look();
    let tlc = tlc(workspace, log, args)?;
    let stadium = Stadium::build(workspace, log, tlc)?;
    company.warn(log);
    let repetitions = args.effort.times(5, 3);
    let chosen = |course: &&Course| args.only.is_empty() || args.only.iter().any(|only| only == course.model);
    let courses: Vec<Course> = COURSES.iter().filter(chosen).copied().collect();
    let results = measure_all(&stadium, &courses, repetitions)?;
    let goals = goals::all(&results);
    results.iter().for_each(|results| log.line(results));
    log.line(table::Goals(&results, &goals));
    let written = Written {
        processors: processors(),
        repetitions,
        load_before: company.load,
        courses: &results,
        goals: &goals,
    };
    let usual = workspace.target_dir().join("bench/explorer.json");
    args.effort.write(&usual, &written)?;
    let measured = goals.iter().filter(|goal| goal.reached.iter().all(Option::is_some));
    let met = measured.clone().filter(|goal| goal.is_met()).count();
    let (measured, all) = (measured.count(), goals.len());
    // Goals are of wall time, and TLC runs in one minute only: a busy one decides for or against it.
    let (doubt, results) = (company.doubt(), usual.display());
    Ok(format!("{met} of {measured} goals are met everywhere ({all} in all){doubt}; results in {results}"))
}

/// TLC and where its specifications are, if both are wanted and there.
fn tlc(workspace: &Workspace, log: &mut Log, args: &ExplorerArgs) -> Result<Option<(Tlc, PathBuf)>> {
    if args.skip_tlc {
        return Ok(None);
    }
    let Some(specs) = specs::directory(workspace, args.specs.as_deref())? else {
        log.line("TLC is left out: the seeds' specifications are not in ../shared/specs; --specs says where");
        return Ok(None);
    };
    Ok(Some((Tlc::get()?, specs)))
}

/// Contestants take turns, so that a slow minute of the machine is everybody's.
fn measure_all(stadium: &Stadium, courses: &[Course], repetitions: usize) -> Result<Vec<Results>> {
    let nobody = || CONTESTANTS.iter().map(|_| Vec::new()).collect::<Vec<_>>();
    let mut runs: Vec<_> = courses.iter().map(|_| nobody()).collect();
    for repetition in 0..repetitions {
        for (course, runs) in courses.iter().zip(&mut runs) {
            eprintln!("{} of {repetitions}: {} {}", repetition + 1, course.model, course.size);
            for (contestant, runs) in CONTESTANTS.iter().zip(runs) {
                let is_slow = matches!(contestant, Contestant::Tlc(_));
                if stadium.has(*contestant) && !(is_slow && repetition > 0) {
                    runs.push(stadium.run(course, *contestant)?);
                }
            }
        }
    }
    Ok(courses.iter().zip(&runs).map(|(course, runs)| Results::of(course, runs)).collect())
}
