//! What one process costs.
//!
//! The kernel sums up the children of a process; so each contestant is the only child of a small process of
//! its own, which is this program again: `xtask measure -- COMMAND`.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

/// The command to measure.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// What a command cost, and what it said.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Measured {
    /// Seconds from its start to its end.
    pub(super) wall_s: f64,
    /// Seconds of all processors, in it and in the kernel for it.
    pub(super) cpu_s: f64,
    /// The most memory that it held at a time.
    pub(super) peak_bytes: u64,
    /// Its exit code.
    pub(super) code: Option<i32>,
    /// Its standard output.
    pub(super) stdout: String,
    stderr: String,
}

/// Runs the command, and prints what it cost as JSON.
pub(crate) fn run(args: &MeasureArgs) -> Result<()> {
    let (program, arguments) = args.command.split_first().context("no command to measure")?;
    let started = Instant::now();
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let wall_s = started.elapsed().as_secs_f64();
    let output = output.with_context(|| format!("cannot run {}", program.display()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the kernel does not say what a child used")?;
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let measured = Measured {
        wall_s,
        cpu_s: seconds(usage.user_time()) + seconds(usage.system_time()),
        peak_bytes: u64::try_from(usage.max_rss()).unwrap_or(0) * unit,
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    let mut stdout = std::io::stdout().lock();
    serde_json::to_writer(&mut stdout, &measured).context("cannot print")?;
    stdout.flush().context("cannot print")
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

/// Has a command measured. It must succeed.
pub(super) fn measure(command: &Command) -> Result<Measured> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut helper = Command::new(own);
    helper.arg("measure").arg("--").arg(command.get_program()).args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        helper.current_dir(dir);
    }
    let output = helper.output().with_context(|| format!("cannot measure {command:?}"))?;
    ensure!(
        output.status.success(),
        "cannot measure {command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    let measured: Measured =
        serde_json::from_slice(&output.stdout).context("the measure is not understood")?;
    ensure!(
        measured.code == Some(0),
        "{command:?} failed:\n{}{}",
        measured.stdout,
        measured.stderr.trim_end()
    );
    Ok(measured)
}
