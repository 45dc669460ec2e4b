//! Who takes part, and in what.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Measured;
use crate::log::Log;
use crate::testenv::Go;
use crate::workspace::{Workspace, captured};

/// Keys, where there are many.
const MANY: usize = 100_000;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// Every key is taken, done and added again.
    Cycle { keys: usize, workers: usize },
    /// Every key comes later; when its time is over it is taken and done.
    Later,
    /// What is held for a key that waits.
    WaitingMemory,
    /// What is held for a key that comes later.
    LaterMemory,
}

impl Course {
    /// All, in the order of the table.
    pub(super) fn all() -> Vec<Course> {
        let cycle = |keys| [1, 2, 8].map(|workers| Course::Cycle { keys, workers });
        let rest = [Course::Later, Course::WaitingMemory, Course::LaterMemory];
        [1, MANY].into_iter().flat_map(cycle).chain(rest).collect()
    }

    /// What people call it.
    pub(super) fn name(self) -> String {
        match self {
            Course::Cycle { keys, workers } => {
                let keys = if keys == 1 { "1 key" } else { "100,000 keys" };
                let s = if workers == 1 { "" } else { "s" };
                format!("add, get, done: {keys}, {workers} worker{s}")
            }
            Course::Later => "add later, get, done: 100,000 keys".to_owned(),
            Course::WaitingMemory => "a key that waits".to_owned(),
            Course::LaterMemory => "a key that comes later".to_owned(),
        }
    }

    /// What all contestants are told. They do the same number of operations, whatever that takes them.
    fn words(self) -> Vec<String> {
        let words = |name: &str, numbers: &[usize]| {
            std::iter::once(name.to_owned()).chain(numbers.iter().map(ToString::to_string)).collect()
        };
        match self {
            Course::Cycle { keys, workers } => words("cycle", &[keys, workers, 2_000_000]),
            Course::Later => words("later", &[MANY, 10]),
            Course::WaitingMemory => words("waiting-memory", &[MANY]),
            Course::LaterMemory => words("later-memory", &[MANY]),
        }
    }
}

/// Somebody who has a work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contestant {
    /// client-go, with a goroutine for each worker.
    ClientGo,
    /// Ours as our loop has it: one thread, and a key in flight for each worker.
    Ours,
    /// Ours behind a lock, with a thread for each worker.
    Shared,
}

impl Contestant {
    /// All.
    pub(super) const ALL: [Contestant; 3] = [Contestant::ClientGo, Contestant::Ours, Contestant::Shared];

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Contestant::ClientGo => "client-go",
            Contestant::Ours => "ours",
            Contestant::Shared => "ours, shared by threads",
        }
    }

    /// Whether it takes part. Only where there are workers does it matter that they are threads.
    pub(super) fn runs(self, course: Course) -> bool {
        self != Contestant::Shared || matches!(course, Course::Cycle { .. })
    }
}

/// Everything that is needed to have somebody run.
pub(super) struct Stadium {
    ours: PathBuf,
    client_go: PathBuf,
    /// Like `v0.34.4`.
    pub(super) peer_version: String,
}

impl Stadium {
    /// Builds the contestants.
    pub(super) fn build(workspace: &Workspace, log: &mut Log) -> Result<Stadium> {
        let target = workspace.target_dir();
        let args = ["build", "--release", "--locked", "--quiet", "--package=bowline-bench-workqueue"];
        let ran = log.run(workspace.cargo(args).arg("--target-dir").arg(&target))?;
        ensure!(ran.success, "our work queue does not build");
        let go = Go::find(log)?;
        let dir = workspace.root().join("bench/peers/client-go");
        let client_go = target.join("peers/client-go");
        let ran = Log::quiet()
            .run(go.command(&dir).args(["build", "-mod=readonly", "-o"]).arg(&client_go).arg("."))?;
        ensure!(ran.success, "client-go's work queue does not build; Go says:\n{}", ran.output.trim_end());
        let mut version = go.command(&dir);
        version.args(["list", "-mod=readonly", "-m", "-f", "{{.Version}}", "k8s.io/client-go"]);
        Ok(Stadium {
            ours: target.join("release/bowline-bench-workqueue"),
            client_go,
            peer_version: String::from_utf8(captured(&mut version)?)?.trim().to_owned(),
        })
    }

    /// Has a contestant run a course. It fails by itself if a key was lost.
    pub(super) fn run(&self, contestant: Contestant, course: Course) -> Result<Measured> {
        let mut command = match contestant {
            Contestant::ClientGo => Command::new(&self.client_go),
            Contestant::Ours | Contestant::Shared => Command::new(&self.ours),
        };
        command.args(course.words());
        if contestant == Contestant::Shared {
            command.arg("--shared");
        }
        serde_json::from_slice(&captured(&mut command)?)
            .with_context(|| format!("what {command:?} says is not understood"))
    }
}
