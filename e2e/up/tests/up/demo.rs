//! `bowline demo`: it shows all four systems, and leaves nothing behind, also if it is ended in the middle.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Scratch, bowline};
use bowline_e2e_up::until;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The demo, in this directory.
fn start(directory: &Path, arguments: &[&str]) -> Result<Child> {
    let mut command = Command::new(bowline());
    command
        .arg("demo")
        .args(arguments)
        .current_dir(directory)
        .env("TMPDIR", directory)
        .env_remove("KUBECONFIG");
    Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
}

/// Processes that have to do with this directory: by their command lines, their environments, or where they run.
fn processes_of(directory: &Path) -> Result<Vec<String>> {
    let name = directory.to_str().context("a name")?;
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let process = entry?.path();
        // One may end meanwhile, and not all that lies there is a process.
        let read = |file: &str| {
            fs::read(process.join(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let runs_in = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory));
        let Ok(line) = read("cmdline") else { continue };
        if runs_in || line.contains(name) || read("environ").is_ok_and(|environ| environ.contains(name)) {
            found.push(format!("{}: {}", process.display(), line.replace('\0', " ")));
        }
    }
    Ok(found)
}

/// Whether nothing of it is left.
fn nothing_is_left(directory: &Path) -> Result<()> {
    let left: Vec<_> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    ensure!(left.is_empty(), "files are left: {left:?}");
    // A process that was told to end takes a moment to be gone.
    until("all processes have ended", || {
        let left = processes_of(directory)?;
        Ok(if left.is_empty() { Ok(()) } else { Err(format!("{left:#?}")) })
    })
}

#[test]
fn all_four_systems_are_shown_and_nothing_is_left() -> Result<()> {
    let scratch = Scratch::new("demo")?;
    let directory = scratch.join("").canonicalize()?;
    let output = start(&directory, &["--fast"])?.wait_with_output()?;
    let (said, noted) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{said}\n{noted}");
    for expected in [
        "$ bowline cluster add west --embedded",
        "$ bowline update submit ./shop-broken --cluster toy --wait",
        "RolledBack",
        "exit code 1",
        "$ kill -9 %1",
        "$ bowline upgrade preflight tour --to v2 --crashes 1",
        "$ bowline upgrade commit tour",
        "$ bowline place move shop --to west --wait",
        "shop Granted: on west, in epoch ",
        "east, in epoch 1: from ",
        "s3-reader  stalled",
        "UsableByAtMostOne",
        "That was Bowline.",
    ] {
        ensure!(said.contains(expected), "{expected:?} is not in {said}\n{noted}");
    }
    ensure!(!said.contains("Enter goes on"), "nobody is there to press it: {said}");
    nothing_is_left(&directory)
}

#[test]
fn who_ends_it_in_the_middle_of_an_upgrade_finds_nothing_left() -> Result<()> {
    let scratch = Scratch::new("demo-ended")?;
    let directory = scratch.join("").canonicalize()?;
    let mut demo = start(&directory, &["--fast"])?;
    let mut said = BufReader::new(demo.stdout.take().context("it is piped")?);
    let mut all = String::new();
    while !all.contains("$ bowline upgrade start") {
        ensure!(said.read_line(&mut all)? > 0, "it ended before: {all}");
    }
    kill(Pid::from_raw(i32::try_from(demo.id())?), Signal::SIGTERM)?;
    // What it says on is read: it would wait for somebody who does.
    said.read_to_string(&mut all)?;
    let output = demo.wait_with_output()?;
    let noted = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(3) && noted.contains("the demo ends here"), "{all}\n{noted}");
    nothing_is_left(&directory)
}
