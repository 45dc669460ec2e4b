//! `cargo xtask bench`: how fast we are, and against whom.
//!
//! Contestants are processes of their own, and take turns. Times are medians; what counts is their ratio, taken
//! in one run on one machine.

mod control;
mod embedded;
mod explorer;
mod hub;
mod identities;
mod measure;
mod placements;
mod sample;
mod updates;
mod upgrades;
mod workqueue;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::log::Log;
use crate::workspace::Workspace;
pub(crate) use measure::{MeasureArgs, run as measure};
use sample::Sample;

/// What to measure.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// The sample controller on our loop against kube-runtime's, on the hub
    Control(control::ControlArgs),
    /// The explorer against stateright and TLC, on the seeds
    Explorer(explorer::ExplorerArgs),
    /// The hub against kube-apiserver and etcd, with the same client and the same durability
    Hub(hub::HubArgs),
    /// Many identities on a strict IAM whose answers take their time, against the sum of these times
    Identities(identities::IdentitiesArgs),
    /// Namespaces that are moved between embedded clusters, against somebody who moves them by hand
    Placements(placements::PlacementsArgs),
    /// Updates of many stacks on embedded clusters, against a client that applies the same objects and nothing else
    Updates(updates::UpdatesArgs),
    /// Groups of nodes that are upgraded: how long devices have no master, and what Bowline takes beside the software
    Upgrades(upgrades::UpgradesArgs),
    /// The work queue against client-go's, with the same keys in the same cycle
    Workqueue(workqueue::WorkqueueArgs),
}

/// How often is measured, and where it is written.
#[derive(clap::Args)]
struct Effort {
    /// Measure less often, for a first look
    #[arg(long)]
    quick: bool,
    /// Write the results here, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Effort {
    fn times(&self, usual: usize, quick: usize) -> usize {
        if self.quick { quick } else { usual }
    }

    /// Writes the results to where they always are, and to where somebody wants them.
    fn write(&self, usual: &Path, written: &impl Serialize) -> Result<()> {
        write(usual, written)?;
        self.json.iter().try_for_each(|path| write(path, written))
    }
}

/// Measures.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, bench: &Bench) -> Result<String> {
    match bench {
        Bench::Control(args) => control::run(workspace, log, args),
        Bench::Explorer(args) => explorer::run(workspace, log, args),
        Bench::Hub(args) => hub::run(workspace, log, args),
        Bench::Identities(args) => identities::run(workspace, log, args),
        Bench::Placements(args) => placements::run(workspace, log, args),
        Bench::Updates(args) => updates::run(workspace, log, args),
        Bench::Upgrades(args) => upgrades::run(workspace, log, args),
        Bench::Workqueue(args) => workqueue::run(workspace, log, args),
    }
}

/// What else the machine does, asked before the build, which is load too.
struct Company {
    /// What kept the machine busy beside us.
    load: Option<f64>,
}

impl Company {
    fn look() -> Company {
        Company { load: load() }
    }

    /// Says to the reader what to believe, if something else runs.
    fn warn(&self, log: &mut Log) {
        if let Some(load) = self.load.filter(|_| self.is_busy()) {
            log.line(format!(
                "something else runs here (load {load}): believe ratios of CPU time, not of wall time"
            ));
        }
    }

    fn is_busy(&self) -> bool {
        self.load.is_some_and(|load| load > 0.5)
    }

    /// The end of a verdict.
    fn doubt(&self) -> &'static str {
        if self.is_busy() { ", but on a busy machine: measure again on a quiet one" } else { "" }
    }
}

/// Processes that wanted to run in the last minute, on average; nobody knows but Linux.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn write(path: &Path, written: &impl Serialize) -> Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    let text = serde_json::to_string_pretty(written).context("cannot write JSON")? + "\n";
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Three digits or more, and no more than are known.
fn short(value: f64) -> String {
    match value.abs() {
        below if below < 10.0 => format!("{value:.2}"),
        below if below < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
