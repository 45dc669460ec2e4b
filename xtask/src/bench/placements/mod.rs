//! Namespaces that are moved between embedded clusters: what a move takes beside what the clusters take for it.

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

/// How many namespaces there are, in the columns.
const SIZES: [u32; 3] = [1, 100, 1_000];
/// Changes on the hub, of which it is seen how soon they are in the cluster.
const CHANGES: u32 = 200;

/// How to measure placements.
#[derive(clap::Args)]
pub(crate) struct PlacementsArgs {
    #[command(flatten)]
    effort: Effort,
    /// No more namespaces than so many; 1,000, or with --quick 100
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    namespaces: Option<u32>,
    /// On how many clusters
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=100))]
    clusters: u32,
    /// How many namespaces are moved alone, one after the other
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    alone: u32,
}

/// What one run measured, each quantity by its name.
type Measured = BTreeMap<String, f64>;

/// What was measured of each size, in all rounds.
type Rounds = [Vec<Measured>; SIZES.len()];

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    rounds: usize,
    clusters: u32,
    alone: u32,
    sizes: [u32; SIZES.len()],
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    rows: &'a [Row],
}

/// Measures. Missing a goal fails nothing, but for this: who rests does not write.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &PlacementsArgs) -> Result<String> {
    let company = Company::look();
    let field = Field::build(workspace, log)?;
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a write costs a sync.
    let scratch = Scratch::within(&bench, "placements")?;
    let rounds = args.effort.times(3, 1);
    let most = args.namespaces.unwrap_or(if args.effort.quick { 100 } else { 1_000 });
    let mut measured = Rounds::default();
    for round in 0..rounds {
        for (size, all) in SIZES.iter().zip(&mut measured).filter(|(size, _)| **size <= most) {
            eprintln!("{} of {rounds}: {size} namespaces", round + 1);
            let dir = scratch.path().join(format!("{size}-{round}"));
            all.push(field.measure(&dir, *size, args)?);
        }
    }
    let rows = rows::all(&measured);
    log.line(table::Table { rows: &rows });
    let (clusters, alone) = (args.clusters, args.alone);
    let processors = processors();
    let load_before = company.load;
    let written = Written { processors, rounds, clusters, alone, sizes: SIZES, load_before, rows: &rows };
    let usual = bench.join("placements.json");
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
            "--package=bowline-bench-placements",
        ];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
        ensure!(ran.success, "`bowline` and the syncers do not build");
        let built = workspace.target_dir().join("release");
        Ok(Field { up: built.join("bowline"), client: built.join("bowline-bench-placements") })
    }

    /// One run on a fresh hub, and fresh clusters in another `up`.
    fn measure(&self, dir: &Path, namespaces: u32, args: &PlacementsArgs) -> Result<Measured> {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let hub = Embedded::start(&self.up, Role::Up, &dir.join("hub"))?;
        let sites = Embedded::start(&self.up, Role::Up, &dir.join("sites"))?;
        let mut command = Command::new(&self.client);
        command.arg("--hub").arg(hub.kubeconfig()).arg("--sites").arg(sites.kubeconfig());
        let numbers = [
            ("--hub-pid", hub.pid()),
            ("--sites-pid", sites.pid()),
            ("--namespaces", namespaces),
            ("--clusters", args.clusters),
            ("--alone", args.alone),
            ("--changes", CHANGES),
        ];
        for (option, number) in numbers {
            command.arg(option).arg(number.to_string());
        }
        let measured = captured(&mut command)?;
        hub.end(Signal::SIGTERM)?;
        sites.end(Signal::SIGTERM)?;
        serde_json::from_slice(&measured).context("the report is not understood")
    }
}
