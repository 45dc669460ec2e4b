//! Groups of nodes that are upgraded: how long devices have no master, and what Bowline takes for a node beside its software.

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
use crate::testenv;
use crate::workspace::{Workspace, captured};
use rows::Row;

/// A group that is upgraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Size {
    nodes: u32,
    devices: u32,
    /// How long the software of a node takes to stop and to start, together.
    restart_ms: u32,
    /// Agents and software are processes; else agents are in one, and there is no software.
    real: bool,
}

/// The groups, in the columns. Software of many nodes takes no time: it would be ten minutes of waiting, and changes nothing.
const SIZES: [Size; 4] = [
    Size { nodes: 3, devices: 30, restart_ms: 2_000, real: true },
    Size { nodes: 30, devices: 30, restart_ms: 2_000, real: true },
    Size { nodes: 30, devices: 30, restart_ms: 0, real: false },
    Size { nodes: 300, devices: 300, restart_ms: 0, real: false },
];

impl Size {
    fn name(&self) -> String {
        let how = if self.real { "real" } else { "sim." };
        format!("{} {how}", self.nodes)
    }
}

/// Names the software to whoever starts it.
const KV: &str = "BOWLINE_KV";

/// How to measure upgrades.
#[derive(clap::Args)]
pub(crate) struct UpgradesArgs {
    #[command(flatten)]
    effort: Effort,
    /// Groups of no more nodes than so many; 300, or with --quick 30
    #[arg(long, value_parser = clap::value_parser!(u32).range(3..))]
    nodes: Option<u32>,
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
    sizes: [Size; SIZES.len()],
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    rows: &'a [Row],
}

/// Measures. Missing a goal fails nothing, but for this: who rests does not write.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &UpgradesArgs) -> Result<String> {
    let company = Company::look();
    let field = Field::build(workspace, log)?;
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a write costs a sync.
    let scratch = Scratch::within(&bench, "upgrades")?;
    let rounds = args.effort.times(3, 1);
    let most = args.nodes.unwrap_or(if args.effort.quick { 30 } else { 300 });
    let mut measured = Rounds::default();
    for round in 0..rounds {
        for (size, all) in SIZES.iter().zip(&mut measured).filter(|(size, _)| size.nodes <= most) {
            eprintln!("{} of {rounds}: {} nodes", round + 1, size.name());
            let dir = scratch.path().join(format!("{}-{}-{round}", size.nodes, size.real));
            all.push(if size.real { field.real(&dir, *size) } else { field.simulated(&dir, *size) }?);
        }
    }
    let rows = rows::all(&measured);
    log.line(table::Table { rows: &rows });
    let written =
        Written { processors: processors(), rounds, sizes: SIZES, load_before: company.load, rows: &rows };
    let usual = bench.join("upgrades.json");
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
    kv: PathBuf,
    client: PathBuf,
    /// kubectl is among them, by which it is seen when real nodes are at work.
    kubernetes: PathBuf,
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
            "--package=bowline-e2e-kv",
            "--package=bowline-bench-upgrades",
        ];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
        ensure!(ran.success, "`bowline`, the software and the agents do not build");
        let built = workspace.target_dir().join("release");
        Ok(Field {
            up: built.join("bowline"),
            kv: built.join("kv"),
            client: built.join("bowline-bench-upgrades"),
            kubernetes: testenv::binaries(workspace, log)?,
        })
    }

    /// One upgrade of real nodes, which have an `up` of their own.
    fn real(&self, dir: &Path, size: Size) -> Result<Measured> {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let mut command = self.command("real", size);
        command.env(bowline_e2e_hub::BINARY, &self.up).env(KV, &self.kv);
        // All that they write is there.
        command.env(bowline_realkube::BINARIES, &self.kubernetes).env("TMPDIR", dir);
        read(&mut command)
    }

    /// One upgrade of simulated nodes, on a fresh `up`.
    fn simulated(&self, dir: &Path, size: Size) -> Result<Measured> {
        let up = Embedded::start(&self.up, Role::Up, dir)?;
        let mut command = self.command("simulated", size);
        command.arg("--kubeconfig").arg(up.kubeconfig()).arg("--up").arg(up.pid().to_string());
        let measured = read(&mut command)?;
        up.end(Signal::SIGTERM)?;
        Ok(measured)
    }

    fn command(&self, how: &str, size: Size) -> Command {
        let mut command = Command::new(&self.client);
        command.arg(how);
        let numbers =
            [("--nodes", size.nodes), ("--devices", size.devices), ("--restart-ms", size.restart_ms)];
        for (option, number) in numbers {
            command.arg(option).arg(number.to_string());
        }
        command
    }
}

fn read(command: &mut Command) -> Result<Measured> {
    serde_json::from_slice(&captured(command)?).context("the report is not understood")
}
