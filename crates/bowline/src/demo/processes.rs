//! Processes of the demo: commands that it waits for, and what runs beside them until it ends.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

/// How long something may take to end that was told to, before it is killed.
const ENDS: Duration = Duration::from_secs(20);

/// This program, as the demo starts it.
pub(super) struct Program {
    /// Where it is.
    path: PathBuf,
    /// In which directory it runs.
    directory: PathBuf,
}

impl Program {
    pub(super) fn new(directory: &Path) -> anyhow::Result<Program> {
        let path = std::env::current_exe().context("cannot tell where this program is")?;
        Ok(Program { path, directory: directory.to_owned() })
    }

    /// A command line of it, which ends with the demo. What is in the directory is what it finds by itself.
    pub(super) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.args(line.split(' ')).current_dir(&self.directory).env_remove("KUBECONFIG");
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Starts what runs until it is told to end. What it says goes into a file.
    pub(super) fn start(&self, name: &str, line: &str) -> anyhow::Result<Running> {
        let log = self.directory.join(format!("{name}.log"));
        let file = File::options().create(true).append(true).open(&log);
        let file = file.with_context(|| format!("cannot write {}", log.display()))?;
        let both = file.try_clone().context("cannot write a log")?;
        let mut command = self.command(line);
        // Ctrl-C is for the demo: it ends the others in order.
        command.stdout(file).stderr(both).process_group(0);
        let child = command.spawn().with_context(|| format!("cannot start bowline {line}"))?;
        Ok(Running { name: name.to_owned(), log, child })
    }
}

/// Something that runs beside.
pub(super) struct Running {
    name: String,
    log: PathBuf,
    child: Child,
}

impl Running {
    /// Fails if it has ended, with what it said last.
    pub(super) fn runs(&mut self) -> anyhow::Result<()> {
        let ended = self.child.try_wait().context("cannot tell whether a process runs")?;
        match ended {
            None => Ok(()),
            Some(status) => Err(anyhow::anyhow!("{} ended ({status}): {}", self.name, self.last_words())),
        }
    }

    /// SIGKILL, as by a power cut.
    pub(super) async fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill().await.with_context(|| format!("cannot kill {}", self.name))
    }

    /// Tells it to end, and waits for that; what does not end is killed.
    pub(super) async fn end(mut self) -> anyhow::Result<()> {
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid {
            // It may have ended meanwhile.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if self.ends_within(ENDS).await { Ok(()) } else { self.kill().await }
    }

    /// Waits for it, and says whether it has ended.
    pub(super) async fn ends_within(&mut self, time: Duration) -> bool {
        let ended: Result<std::io::Result<ExitStatus>, _> =
            tokio::time::timeout(time, self.child.wait()).await;
        ended.is_ok_and(|ended| ended.is_ok())
    }

    fn last_words(&self) -> String {
        const LINES: usize = 5;
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}
