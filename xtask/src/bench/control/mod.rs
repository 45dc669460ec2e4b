//! The sample controller on our loop against kube-runtime's: same decisions, same client, same hub, same company.

mod rows;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::embedded::{Embedded, Role};
use super::{Company, Effort, processors};
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::workspace::{Workspace, captured};
use nix::sys::signal::Signal;
use rows::Row;

/// How to measure the loop.
#[derive(clap::Args)]
pub(crate) struct ControlArgs {
    #[command(flatten)]
    effort: Effort,
    /// How many pairs
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    objects: u32,
    /// How many of them are edited, one after the other
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    edits: u32,
    /// Pairs that each may work at together
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
}

/// What one measured, each quantity by its name.
type Measured = BTreeMap<String, f64>;

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    rounds: usize,
    objects: u32,
    edits: u32,
    workers: u16,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    /// The version of kube-runtime.
    peer: &'a str,
    rows: &'a [Row],
}

/// Measures. Missing a goal fails nothing, but for this: who rests does not write.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &ControlArgs) -> Result<String> {
    let company = Company::look();
    let peer = peer(&std::fs::read_to_string(workspace.root().join("Cargo.lock"))?)?;
    let field = Field::build(workspace, log)?;
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a write costs a sync.
    let scratch = Scratch::within(&bench, "control")?;
    let rounds = args.effort.times(3, 1);
    let measured = field.measure_all(scratch.path(), rounds, args)?;
    let rows = rows::all(&measured)?;
    log.line(table::Table { rows: &rows, peer: &peer, objects: args.objects });
    let written = Written {
        processors: processors(),
        rounds,
        objects: args.objects,
        edits: args.edits,
        workers: args.workers,
        load_before: company.load,
        peer: &peer,
        rows: &rows,
    };
    let usual = bench.join("control.json");
    args.effort.write(&usual, &written)?;
    for row in &rows {
        ensure!(row.is_bearable(), "we write where nothing is to be done: {}", row.name);
    }
    let judged: Vec<bool> = rows.iter().filter_map(Row::is_met).collect();
    let (met, all) = (judged.iter().filter(|met| **met).count(), judged.len());
    Ok(format!("{met} of {all} goals are met{}; results in {}", company.doubt(), usual.display()))
}

/// The version of kube-runtime in a lock file.
fn peer(lock: &str) -> Result<String> {
    let lock: toml::Table = lock.parse().context("the lock file is not understood")?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("it has packages")?;
    let text = |package: &toml::Value, field: &str| Some(package.get(field)?.as_str()?.to_owned());
    let found = packages.iter().find(|package| text(package, "name").as_deref() == Some("kube-runtime"));
    found.and_then(|package| text(package, "version")).context("kube-runtime is not there")
}

/// Somebody who runs the sample controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contestant {
    /// kube-runtime's `Controller`.
    KubeRuntime,
    /// `pure/control` in `crates/runtime`.
    Ours,
}

impl Contestant {
    const ALL: [Contestant; 2] = [Contestant::KubeRuntime, Contestant::Ours];

    /// What it is called on command lines and by people.
    fn name(self) -> &'static str {
        match self {
            Contestant::KubeRuntime => "kube-runtime",
            Contestant::Ours => "ours",
        }
    }
}

/// What each measured, in all rounds.
#[derive(Default)]
struct Rounds {
    peer: Vec<Measured>,
    ours: Vec<Measured>,
}

impl Rounds {
    fn of(&mut self, contestant: Contestant) -> &mut Vec<Measured> {
        match contestant {
            Contestant::KubeRuntime => &mut self.peer,
            Contestant::Ours => &mut self.ours,
        }
    }
}

/// All programs that are needed.
struct Field {
    hub: PathBuf,
    bench: PathBuf,
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
            "--package=bowline-bench-control",
        ];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(workspace.target_dir()))?;
        ensure!(ran.success, "the hub and the contestants do not build");
        let built = workspace.target_dir().join("release");
        Ok(Field { hub: built.join("bowline"), bench: built.join("bowline-bench-control") })
    }

    /// Contestants take turns, each on a fresh hub, so that a slow minute of the machine is everybody's.
    fn measure_all(&self, scratch: &Path, rounds: usize, args: &ControlArgs) -> Result<Rounds> {
        let mut measured = Rounds::default();
        for round in 0..rounds {
            for contestant in Contestant::ALL {
                eprintln!("{} of {rounds}: {}", round + 1, contestant.name());
                let dir = scratch.join(format!("{}-{round}", contestant.name()));
                let hub = Embedded::start(&self.hub, Role::Hub, &dir)?;
                let mut command = Command::new(&self.bench);
                command.args(["measure", contestant.name()]).arg("--kubeconfig").arg(hub.kubeconfig());
                let numbers = [
                    ("--hub", hub.pid()),
                    ("--objects", args.objects),
                    ("--edits", args.edits),
                    ("--workers", u32::from(args.workers)),
                ];
                for (option, number) in numbers {
                    command.arg(option).arg(number.to_string());
                }
                let report = captured(&mut command)?;
                let report = serde_json::from_slice(&report).context("the report is not understood")?;
                measured.of(contestant).push(report);
                hub.end(Signal::SIGTERM)?;
            }
        }
        Ok(measured)
    }
}
