//! Updates of many stacks on embedded clusters, and what the same objects cost without them.

mod rows;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use serde::Serialize;

use super::embedded::{Embedded, Role};
use super::{Company, Effort, processors};
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::workspace::{Workspace, captured};
use rows::Row;

/// The sizes of stacks by which it is seen how time grows.
const SIZES: [u32; 3] = [10, 100, 1_000];

/// How to measure updates.
#[derive(clap::Args)]
pub(crate) struct UpdatesArgs {
    #[command(flatten)]
    effort: Effort,
    /// How many stacks; 1,000, or with --quick 100
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    stacks: Option<u32>,
    /// How many clusters they are on; 50, or with --quick 5
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    clusters: Option<u32>,
    /// How many objects each has
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    objects: u32,
}

/// How much there is.
#[derive(Clone, Copy, Serialize)]
struct Fleet {
    stacks: u32,
    clusters: u32,
    objects: u32,
    /// Updates that are submitted one after the other.
    alone: u32,
}

impl UpdatesArgs {
    fn fleet(&self) -> Fleet {
        let usual = |usual, quick| if self.effort.quick { quick } else { usual };
        Fleet {
            stacks: self.stacks.unwrap_or(usual(1_000, 100)),
            clusters: self.clusters.unwrap_or(usual(50, 5)),
            objects: self.objects,
            alone: usual(100, 30),
        }
    }
}

/// What one measured, each quantity by its name.
type Measured = BTreeMap<String, f64>;

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    rounds: usize,
    fleet: Fleet,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    rows: &'a [Row],
}

/// Measures. Missing a goal fails nothing, but for this: who rests does not write.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &UpdatesArgs) -> Result<String> {
    let company = Company::look();
    let field = Field::build(workspace, log)?;
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a write costs a sync.
    let scratch = Scratch::within(&bench, "updates")?;
    let (rounds, fleet) = (args.effort.times(3, 1), args.fleet());
    let measured = field.measure_all(scratch.path(), rounds, fleet)?;
    let rows = rows::all(&measured, fleet);
    log.line(table::Table { rows: &rows, fleet });
    let written = Written { processors: processors(), rounds, fleet, load_before: company.load, rows: &rows };
    let usual = bench.join("updates.json");
    args.effort.write(&usual, &written)?;
    let is_counted = rows.iter().any(|row| row.goal == rows::Goal::Nothing);
    ensure!(is_counted, "nobody has counted the writes at rest, which must be none");
    for row in &rows {
        ensure!(row.is_bearable(), "we write where nothing is to be done: {}", row.name);
    }
    let judged: Vec<bool> = rows.iter().filter_map(Row::is_met).collect();
    let (met, all) = (judged.iter().filter(|met| **met).count(), judged.len());
    Ok(format!("{met} of {all} goals are met{}; results in {}", company.doubt(), usual.display()))
}

/// Who puts objects onto clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contestant {
    /// A client that applies them, and nothing else.
    Bare,
    /// Updates.
    Ours,
}

impl Contestant {
    const ALL: [Contestant; 2] = [Contestant::Bare, Contestant::Ours];

    /// What it is called on command lines and by people.
    fn name(self) -> &'static str {
        match self {
            Contestant::Bare => "bare",
            Contestant::Ours => "ours",
        }
    }
}

/// What each measured, in all rounds.
#[derive(Default)]
struct Rounds {
    bare: Vec<Measured>,
    ours: Vec<Measured>,
}

impl Rounds {
    fn of(&mut self, contestant: Contestant) -> &mut Vec<Measured> {
        match contestant {
            Contestant::Bare => &mut self.bare,
            Contestant::Ours => &mut self.ours,
        }
    }
}

/// All programs that are needed.
struct Field {
    up: PathBuf,
    client: PathBuf,
}

impl Field {
    /// Builds them, in release.
    fn build(workspace: &Workspace, log: &mut Log) -> Result<Field> {
        let args = [
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--package=bowline",
            "--package=bowline-bench-updates",
        ];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
        ensure!(ran.success, "`bowline up` and its client do not build");
        let built = workspace.target_dir().join("release");
        Ok(Field { up: built.join("bowline"), client: built.join("bowline-bench-updates") })
    }

    /// Contestants take turns, each on a fresh `up`, so that a slow minute of the machine is everybody's.
    fn measure_all(&self, scratch: &Path, rounds: usize, fleet: Fleet) -> Result<Rounds> {
        let mut measured = Rounds::default();
        for round in 0..rounds {
            for contestant in Contestant::ALL {
                eprintln!("{} of {rounds}: {}", round + 1, contestant.name());
                let dir = scratch.join(format!("{}-{round}", contestant.name()));
                let up = Embedded::start(&self.up, Role::Up, &dir)?;
                let mut command = Command::new(&self.client);
                command.arg(contestant.name()).arg("--kubeconfig").arg(up.kubeconfig());
                let numbers = [
                    ("--up", up.pid()),
                    ("--stacks", fleet.stacks),
                    ("--clusters", fleet.clusters),
                    ("--objects", fleet.objects),
                    ("--alone", fleet.alone),
                ];
                for (option, number) in numbers {
                    command.arg(option).arg(number.to_string());
                }
                command.arg("--sizes").arg(SIZES.map(|size| size.to_string()).join(","));
                let report = captured(&mut command)?;
                let report = serde_json::from_slice(&report).context("the report is not understood")?;
                measured.of(contestant).push(report);
                up.end(Signal::SIGTERM)?;
            }
        }
        Ok(measured)
    }
}
