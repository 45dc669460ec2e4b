//! Who takes part, and in what.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::bench::measure::{Measured, measure};
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::referee::tlc::{Run, Tlc};
use crate::referee::{output, specs};
use crate::workspace::Workspace;

/// A model at a size, and how many states it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// The model.
    pub(super) model: &'static str,
    /// The size, as `bowline check --size` takes it.
    pub(super) size: &'static str,
    /// What everybody must find.
    pub(super) distinct: u64,
}

/// The seeds, at sizes that take the fastest about a second and TLC minutes.
pub(super) const COURSES: [Course; 4] = [
    Course { model: "seed/update-cluster", size: "requests=4,workers=8", distinct: 1_111_594 },
    Course {
        model: "seed/complete-issu",
        size: "nodes=5,devices=1,versions=3,partition-size=3",
        distinct: 291_033,
    },
    Course { model: "seed/irsa", size: "workers=6", distinct: 386_594 },
    Course { model: "seed/kcp-storage", size: "clusters=12", distinct: 692_224 },
];

/// Somebody who explores a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contestant {
    /// Our explorer: threads, what it keeps, what it checks.
    Ours(u8, &'static str, &'static str),
    /// stateright: version, program, threads.
    Stateright(&'static str, &'static str, u8),
    /// TLC: workers.
    Tlc(u8),
}

/// Everybody. All check one claim that is always true (TLC nothing), unless they say otherwise.
pub(super) const CONTESTANTS: [Contestant; 11] = [
    Contestant::Ours(1, "exact", "one"),
    Contestant::Ours(2, "exact", "one"),
    Contestant::Ours(1, "fingerprint", "one"),
    Contestant::Ours(1, "exact", "safety"),
    Contestant::Ours(1, "exact", "all"),
    Contestant::Stateright("0.30.2", "stateright-0-30", 1),
    Contestant::Stateright("0.30.2", "stateright-0-30", 2),
    Contestant::Stateright("0.31.0", "stateright-0-31", 1),
    Contestant::Stateright("0.31.0", "stateright-0-31", 2),
    Contestant::Tlc(1),
    Contestant::Tlc(2),
];

impl Contestant {
    /// How many threads it has.
    pub(super) fn threads(self) -> u8 {
        match self {
            Contestant::Ours(threads, ..)
            | Contestant::Stateright(.., threads)
            | Contestant::Tlc(threads) => threads,
        }
    }

    /// What people call it.
    pub(super) fn name(self) -> String {
        let threads = if self.threads() == 1 { "1 thread" } else { "2 threads" };
        match self {
            Contestant::Ours(_, "exact", "one") => format!("ours, {threads}"),
            Contestant::Ours(_, storage, "one") => format!("ours, {threads}, {storage}"),
            Contestant::Ours(_, _, check) => format!("ours, {threads}, {check} properties"),
            Contestant::Stateright(version, ..) => format!("stateright {version}, {threads}"),
            Contestant::Tlc(_) => format!("TLC 2.15, {threads}"),
        }
    }
}

/// Everything that is needed to have somebody run.
pub(super) struct Stadium {
    ours: PathBuf,
    peers: PathBuf,
    tlc: Option<(Tlc, PathBuf)>,
    scratch: Scratch,
}

impl Stadium {
    /// Builds the contestants, in release.
    pub(super) fn build(
        workspace: &Workspace,
        log: &mut Log,
        tlc: Option<(Tlc, PathBuf)>,
    ) -> Result<Stadium> {
        let target = workspace.target_dir();
        let mut build = |args: &[&str], target: &Path| {
            let mut command = workspace.cargo(["build", "--release", "--locked", "--quiet", "--target-dir"]);
            let ran = log.run(command.arg(target).args(args))?;
            ensure!(ran.success, "the contestants do not build");
            Ok(target.join("release"))
        };
        Ok(Stadium {
            ours: build(&["--package", "bowline-bench"], &target)?.join("bowline-bench"),
            peers: build(&["--manifest-path", "bench/peers/Cargo.toml"], &target.join("peers"))?,
            tlc,
            scratch: Scratch::new("bench")?,
        })
    }

    /// Whether it takes part.
    pub(super) fn has(&self, contestant: Contestant) -> bool {
        self.tlc.is_some() || !matches!(contestant, Contestant::Tlc(_))
    }

    /// Has a contestant run a course, and sees that it found all states.
    pub(super) fn run(&self, course: &Course, contestant: Contestant) -> Result<Measured> {
        let Course { model, size, distinct } = *course;
        let what = || format!("{} on {model} {size}", contestant.name());
        let threads = &*contestant.threads().to_string();
        let (measured, found) = match contestant {
            Contestant::Ours(_, storage, check) => {
                counted(Command::new(&self.ours).args([model, size, threads, storage, check]))
            }
            Contestant::Stateright(_, program, _) => {
                counted(Command::new(self.peers.join(program)).args([model, size, threads]))
            }
            Contestant::Tlc(workers) => self.run_tlc(course, workers),
        }
        .with_context(what)?;
        ensure!(found == distinct, "{} found {found} distinct states, not {distinct}", what());
        Ok(measured)
    }

    fn run_tlc(&self, course: &Course, workers: u8) -> Result<(Measured, u64)> {
        let (tlc, specs) = self.tlc.as_ref().context("TLC does not take part")?;
        let dir = self.scratch.path().join("tlc");
        specs::lay(specs, &dir, course.model, course.size, specs::Task::Count)?;
        // Its heap is what Java takes by itself: a quarter of the machine at most. The collector is the one
        // that TLC asks for.
        let command = tlc.command(&Run {
            dir: &dir,
            module: specs::MODULE,
            jvm: &["-XX:+UseParallelGC".into()],
            workers: workers.into(),
            deadlock: false,
            patience: Duration::MAX,
        });
        let measured = measure(&command)?;
        let outcome = output::parse(&measured.stdout, measured.code)?;
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        Ok((measured, outcome.counts.context("TLC counted nothing")?.distinct))
    }
}

fn counted(command: &mut Command) -> Result<(Measured, u64)> {
    let measured = measure(command)?;
    let found = measured.stdout.trim().parse();
    let found = found.with_context(|| format!("`{}` is no number of states", measured.stdout.trim()))?;
    Ok((measured, found))
}
