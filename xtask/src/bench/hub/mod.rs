//! The hub against kube-apiserver and etcd: same client, same disk, same durability.

mod contestants;
mod disk;
mod rows;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{Company, Effort, processors};
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::testenv::binaries;
use crate::workspace::{Workspace, captured};
use contestants::{Contestant, Field, Running};
use disk::Fsync;
use rows::Row;

/// How often each starts, on a fresh directory and on a used one.
const STARTS: usize = 5;
/// On how many objects the same is measured, one after the other; with the most of them the hub starts again.
const SIZES: [usize; 3] = [1_000, 10_000, MANY];
const MANY: usize = 100_000;

/// How to measure the hub.
#[derive(clap::Args)]
pub(crate) struct HubArgs {
    #[command(flatten)]
    effort: Effort,
    /// How long each load lasts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(3..))]
    seconds: u64,
    /// Leave kube-apiserver out: nothing is compared, and no goal is judged
    #[arg(long)]
    alone: bool,
}

/// What one measured, each quantity by its name.
type Measured = BTreeMap<String, f64>;

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    rounds: usize,
    seconds: u64,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    fsync_before: &'a Fsync,
    fsync_after: &'a Fsync,
    rows: &'a [Row],
}

/// Measures.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &HubArgs) -> Result<String> {
    let company = Company::look();
    let built = build(workspace, log)?;
    let kube = if args.alone { None } else { Some(binaries(workspace, log)?) };
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a sync has to cost what it costs.
    let scratch = Scratch::within(&bench, "hub")?;
    let field = Field { kube, hub: built.join("bowline"), client: built.join("bowline-bench-hub") };
    let rounds = args.effort.times(3, 1);
    let fsync_before = Fsync::measure(scratch.path())?;
    let measured = measure_all(&field, &scratch, rounds, args.seconds)?;
    let fsync_after = Fsync::measure(scratch.path())?;
    let rows = rows::all(&measured);
    log.line(table::Table { rows: &rows, fsync: [&fsync_before, &fsync_after] });
    let written = Written {
        processors: processors(),
        rounds,
        seconds: args.seconds,
        load_before: company.load,
        fsync_before: &fsync_before,
        fsync_after: &fsync_after,
        rows: &rows,
    };
    let usual = bench.join("hub.json");
    args.effort.write(&usual, &written)?;
    let judged: Vec<bool> = rows.iter().filter_map(Row::is_met).collect();
    let (met, all) = (judged.iter().filter(|met| **met).count(), judged.len());
    Ok(format!("{met} of {all} goals are met{}; results in {}", company.doubt(), usual.display()))
}

/// Builds the hub and its client, in release, and says where they are.
fn build(workspace: &Workspace, log: &mut Log) -> Result<PathBuf> {
    let args =
        ["build", "--release", "--locked", "--quiet", "--package=bowline", "--package=bowline-bench-hub"];
    let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
    ensure!(ran.success, "the hub does not build");
    Ok(workspace.target_dir().join("release"))
}

/// What each measured, in all rounds.
#[derive(Default)]
struct Rounds {
    kube: Vec<Measured>,
    hub: Vec<Measured>,
    silent: Vec<Measured>,
}

impl Rounds {
    fn of(&mut self, contestant: Contestant) -> &mut Vec<Measured> {
        match contestant {
            Contestant::Kube => &mut self.kube,
            Contestant::Hub => &mut self.hub,
            Contestant::Silent => &mut self.silent,
        }
    }
}

/// Contestants take turns, so that a slow minute of the machine is everybody's.
fn measure_all(field: &Field, scratch: &Scratch, rounds: usize, seconds: u64) -> Result<Rounds> {
    let mut measured = Rounds::default();
    for start in 0..STARTS {
        for contestant in field.contestants() {
            eprintln!("start {} of {STARTS}: {}", start + 1, contestant.name());
            let dir = scratch.path().join(format!("{}-start-{start}", contestant.slug()));
            for what in ["start fresh_ms", "start used_ms"] {
                let running = field.start(contestant, &dir)?;
                measured.of(contestant).push([(what.to_owned(), running.ready_ms())].into());
                running.stop()?;
            }
        }
    }
    for round in 0..rounds {
        for contestant in field.contestants() {
            eprintln!("load {} of {rounds}: {}", round + 1, contestant.name());
            let dir = scratch.path().join(format!("{}-load-{round}", contestant.slug()));
            let running = field.start(contestant, &dir)?;
            measured.of(contestant).push(load(field, &running, seconds, &["measure"])?);
        }
    }
    for contestant in field.contestants().into_iter().filter(|one| *one != Contestant::Silent) {
        eprintln!("{SIZES:?} objects: {}", contestant.name());
        let dir = scratch.path().join(format!("{}-many", contestant.slug()));
        let running = field.start(contestant, &dir)?;
        let sizes = SIZES.map(|size| size.to_string()).join(",");
        measured.of(contestant).push(load(field, &running, seconds, &["grow", "--sizes", &sizes])?);
        if contestant == Contestant::Hub {
            measured.hub.extend(restarts(field, &dir, running)?);
        }
    }
    Ok(measured)
}

/// Has the client load who runs.
fn load(field: &Field, running: &Running, seconds: u64, task: &[&str]) -> Result<Measured> {
    let mut client = Command::new(&field.client);
    client.arg("--kubeconfig").arg(running.kubeconfig()).args(task);
    let pids: Vec<String> = running.pids().iter().map(u32::to_string).collect();
    client.arg("--pids").arg(pids.join(",")).arg("--seconds").arg(seconds.to_string());
    serde_json::from_slice(&captured(&mut client)?).context("the client's report is not understood")
}

/// Starts the hub on many objects: after it was stopped, and after it was killed.
fn restarts(field: &Field, dir: &Path, mut running: Running) -> Result<Vec<Measured>> {
    eprintln!("restart of the hub with {MANY} objects");
    let mut measured = Vec::new();
    for _ in 0..3 {
        running.stop()?;
        running = field.start(Contestant::Hub, dir)?;
        measured.push([("restart stopped_ms".to_owned(), running.ready_ms())].into());
        running.kill()?;
        running = field.start(Contestant::Hub, dir)?;
        measured.push([("restart killed_ms".to_owned(), running.ready_ms())].into());
    }
    Ok(measured)
}
