//! A syncer as a process.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::bowline;
use bowline_e2e_up::until;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A syncer. It is killed when this is dropped.
#[derive(Debug)]
pub struct Syncer {
    target: String,
    hub: PathBuf,
    cluster: PathBuf,
    log: PathBuf,
    lease: String,
    child: Option<Child>,
}

impl Syncer {
    /// Starts it. What it says goes to a file.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(target: &str, hub: &Path, cluster: &Path, lease: &str, log: PathBuf) -> Result<Syncer> {
        let mut syncer = Syncer {
            target: target.to_owned(),
            hub: hub.to_owned(),
            cluster: cluster.to_owned(),
            log,
            lease: lease.to_owned(),
            child: None,
        };
        syncer.live()?;
        Ok(syncer)
    }

    /// Starts it again.
    ///
    /// # Errors
    /// If it cannot be started, or runs.
    pub fn live(&mut self) -> Result<()> {
        ensure!(self.child.is_none(), "it runs");
        let said = File::options().create(true).append(true).open(&self.log)?;
        let child = Command::new(bowline())
            .args(["agent", "syncer", "--target", &self.target, "--lease", &self.lease, "--kubeconfig"])
            .arg(&self.hub)
            .arg("--target-kubeconfig")
            .arg(&self.cluster)
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said)
            .spawn()?;
        self.child = Some(child);
        Ok(())
    }

    /// What it has said, over all its lives.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// `kill -9`.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().context("it does not run")?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Sends a signal to it.
    ///
    /// # Errors
    /// If it does not run.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let child = self.child.as_ref().context("it does not run")?;
        Ok(kill(Pid::from_raw(i32::try_from(child.id())?), signal)?)
    }

    /// Waits for its end, and tells its exit code.
    ///
    /// # Errors
    /// If it does not run, or does not end.
    pub fn wait(&mut self) -> Result<Option<i32>> {
        let child = self.child.as_mut().context("it does not run")?;
        let mut ended = None;
        until("the syncer ends", || {
            ended = child.try_wait()?;
            Ok(if ended.is_some() { Ok(()) } else { Err("it runs".to_owned()) })
        })?;
        self.child = None;
        Ok(ended.and_then(|ended| ended.code()))
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() || std::env::var_os("BOWLINE_TALKS").is_some() {
            eprintln!("--- the syncer of {} said:\n{}", self.target, self.said());
        }
    }
}
