//! The work queue against client-go's: same keys, same order, same cycle.

mod contest;
mod rows;
mod table;
#[cfg(test)]
mod tests;

use anyhow::Result;
use serde::Serialize;

use super::{Company, Effort, processors};
use crate::log::Log;
use crate::workspace::Workspace;
use contest::{Contestant, Course, Stadium};
use rows::Row;

/// How to measure the work queue.
#[derive(clap::Args)]
pub(crate) struct WorkqueueArgs {
    #[command(flatten)]
    effort: Effort,
}

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    repetitions: usize,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    /// The version of client-go.
    peer: &'a str,
    rows: &'a [Row],
}

/// Measures.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &WorkqueueArgs) -> Result<String> {
    let company = Company::look();
    let stadium = Stadium::build(workspace, log)?;
    company.warn(log);
    let repetitions = args.effort.times(5, 3);
    let rows = rows::all(&measure_all(&stadium, repetitions)?);
    log.line(table::Table { rows: &rows, peer: &stadium.peer_version });
    let written = Written {
        processors: processors(),
        repetitions,
        load_before: company.load,
        peer: &stadium.peer_version,
        rows: &rows,
    };
    let usual = workspace.target_dir().join("bench/workqueue.json");
    args.effort.write(&usual, &written)?;
    let judged: Vec<bool> = rows.iter().flat_map(Row::verdicts).collect();
    let (met, all) = (judged.iter().filter(|met| **met).count(), judged.len());
    Ok(format!("{met} of {all} goals are met{}; results in {}", company.doubt(), usual.display()))
}

/// What one contestant measured on one course, each quantity by its name.
type Measured = std::collections::BTreeMap<String, f64>;

/// What was measured: by whom, on what, all repetitions.
type Runs = Vec<(Course, Contestant, Vec<Measured>)>;

/// Contestants take turns, so that a slow minute of the machine is everybody's.
fn measure_all(stadium: &Stadium, repetitions: usize) -> Result<Runs> {
    let pairs = Course::all().into_iter().flat_map(|course| {
        let contestants = Contestant::ALL.into_iter().filter(move |contestant| contestant.runs(course));
        contestants.map(move |contestant| (course, contestant, Vec::new()))
    });
    let mut runs: Runs = pairs.collect();
    for repetition in 0..repetitions {
        for (course, contestant, measured) in &mut runs {
            eprintln!("{} of {repetitions}: {}, {}", repetition + 1, course.name(), contestant.name());
            measured.push(stadium.run(*contestant, *course)?);
        }
    }
    Ok(runs)
}
