//! Builds and runs single tests of the copy.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::scratch::Scratch;
use crate::cargo_json::{Message, Target, messages};
use crate::workspace::{captured, cargo};

/// How long one test may take. Without its fix a search may go on for ever, and take all memory with it.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// A test program.
#[derive(Clone)]
pub(super) struct Program {
    path: PathBuf,
    /// Which target of the package it is.
    pub(super) target: Target,
}

/// One test.
#[derive(Clone)]
pub(super) struct Test {
    /// Its full path in the program.
    pub(super) name: String,
    /// The program.
    pub(super) program: Program,
}

/// The result of compiling.
pub(super) enum Build {
    /// The test programs.
    Ready(Vec<Program>),
    /// What the compiler said.
    Broken(String),
}

/// The result of running a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It ran and passed.
    Passed,
    /// It ran and failed; a crash (an overflowed stack, say) is a failure too.
    Failed,
    /// It is not there, or ignored.
    NotRun,
    /// It had not ended within the limit, and was killed.
    Endless,
}

/// Compiles the tests: of one target, or of all. (Not those in documentation: they have no names.)
pub(super) fn build(scratch: &Scratch, only: Option<&Target>) -> Result<Build> {
    let mut command = Command::new(cargo());
    command.current_dir(&scratch.root).env("CARGO_TARGET_DIR", &scratch.target);
    // One line changes between two builds, also where nothing else is built twice.
    command.env("CARGO_INCREMENTAL", "1");
    command.args([
        "test",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
        "--package",
        scratch.package,
    ]);
    match only {
        Some(target) if target.kind.iter().any(|kind| kind == "test") => {
            command.args(["--test", &target.name])
        }
        Some(_) => command.arg("--lib"),
        None => command.arg("--tests"),
    };
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        return Ok(Build::Broken(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let programs = messages(&output.stdout)?.into_iter().filter_map(|message| match message {
        Message::Built(artifact) => Some(Program { path: artifact.executable?, target: artifact.target }),
        _ => None,
    });
    Ok(Build::Ready(programs.collect()))
}

/// All tests in these programs.
pub(super) fn tests(programs: &[Program]) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for program in programs {
        let listed = captured(Command::new(&program.path).args(["--list", "--format", "terse"]))?;
        let listed = String::from_utf8_lossy(&listed);
        let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
        tests.extend(names.map(|name| Test { name: name.to_owned(), program: program.clone() }));
    }
    Ok(tests)
}

/// Runs one test, by itself.
pub(super) fn run(scratch: &Scratch, test: &Test) -> Result<Verdict> {
    // To a file: a pipe that nobody empties would stop a talkative test.
    let output = scratch.target.join("output.txt");
    let file =
        std::fs::File::create(&output).with_context(|| format!("cannot write {}", output.display()))?;
    let mut command = Command::new(&test.program.path);
    command.args([&test.name, "--exact", "--test-threads", "1"]);
    command.current_dir(scratch.crate_dir()).env("CARGO_MANIFEST_DIR", scratch.crate_dir());
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(file);
    let status = within_limit(&mut command, LIMIT)?;
    Ok(status.map_or(Verdict::Endless, |status| verdict(status, &read(&output))))
}

fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Waits for a program to end; None if it did not, and was killed.
fn within_limit(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().context("cannot wait for a test")? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().and_then(|()| child.wait()).context("cannot end a test")?;
    Ok(None)
}

fn verdict(status: ExitStatus, output: &str) -> Verdict {
    if !output.contains("running 1 test") || output.contains(" 1 ignored;") {
        Verdict::NotRun
    } else if status.success() {
        Verdict::Passed
    } else {
        Verdict::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_killed() -> Result<()> {
        assert_eq!(within_limit(Command::new("sleep").arg("60"), Duration::from_millis(50))?, None);
        assert!(within_limit(Command::new("false").stdin(Stdio::null()), Duration::from_secs(10))?.is_some());
        Ok(())
    }
}
