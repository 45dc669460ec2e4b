//! `cargo xtask differential`: the same requests to the real kube-apiserver and to another server.

mod other;
mod print;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use bowline_differential::{Difference, Purpose, Script, Transcript, compare, read_all, run as run_script};
use bowline_realkube::{Client, Options, RealKube};
use serde_json::Value;

use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::testenv::binaries;
use crate::workspace::Workspace;
use other::Other;

const SCRIPTS: &str = "e2e/differential/scripts";
/// The scripts that are run before all others, alone: until controllers work, and while nothing has been defined.
const FIRST: &[&str] = &[WARM_UP, "discovery"];
const WARM_UP: &str = "warm-up";
/// Scripts that are run at the same time on each server.
const AT_A_TIME: usize = 3;
const TABLE: &str = "docs/differences.md";

/// What to compare.
#[derive(clap::Args, Default)]
pub(crate) struct DifferentialArgs {
    /// The other server; without it, our hub, built as tests are, and with controllers of its own
    #[arg(long, value_name = "KUBECONFIG")]
    against: Option<PathBuf>,
    /// Compare the real server with a second real one, from which nothing may differ: are the scripts sound?
    #[arg(long = "self", conflicts_with = "against")]
    itself: bool,
    /// Only this script; may be given several times
    #[arg(long, value_name = "SCRIPT")]
    only: Vec<String>,
    /// Print what the real server answers, too
    #[arg(long)]
    show: bool,
}

/// What `cargo xtask test` runs: the hub answers as the real server does, and an answer that was changed is found.
pub(crate) fn stage(workspace: &Workspace, log: &mut Log) -> Result<String> {
    run(workspace, log, &DifferentialArgs::default())
}

/// Runs all scripts on both, and fails on the first difference that is not on purpose.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &DifferentialArgs) -> Result<String> {
    let mut scripts = read_all(&workspace.root().join(SCRIPTS))?;
    let unknown = args.only.iter().find(|name| scripts.iter().all(|script| script.name != **name));
    if let Some(name) = unknown {
        bail!("there is no script {name} in {SCRIPTS}");
    }
    let is_chosen = |name: &String| args.only.is_empty() || args.only.contains(name);
    scripts.retain(|script| script.name == WARM_UP || is_chosen(&script.name));
    scripts.sort_by_key(|script| FIRST.iter().position(|name| script.name == *name).unwrap_or(FIRST.len()));
    let binaries = binaries(workspace, log)?;
    let scratch = Scratch::new("differential")?;
    let options = Options { controllers: true, quick: true, ..Options::default() };
    let real = RealKube::start_with(&binaries, &scratch.path().join("real"), &options)?;
    let other = Other::start(workspace, args, &binaries, &options, scratch.path())?;
    let begun = Instant::now();
    let (first, second) = both(&scripts, real.client(), other.client())?;
    let seconds = begun.elapsed().as_secs();
    if args.show {
        show(log, &first);
    }
    sound(&first)?;
    let purpose =
        if other.is_real() { Purpose::default() } else { Purpose::read(&workspace.root().join(TABLE))? };
    let requests: usize = scripts.iter().map(Script::requests).sum();
    let verdict = judge(log, &purpose, compare(&first, &second), args.only.is_empty())?;
    tampered(&first)?;
    Ok(format!("{requests} requests in {} scripts: {verdict} ({seconds} s)", scripts.len()))
}

fn both(scripts: &[Script], first: &Client, second: &Client) -> Result<(Vec<Transcript>, Vec<Transcript>)> {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| all(scripts, second));
        let first = all(scripts, first)?;
        let second = other.join().ok().context("a thread panicked")??;
        Ok((first, second))
    })
}

/// Runs all scripts on one server. They have nothing to do with each other and spend their time on waiting, so
/// several are run at a time; but the first are run first.
fn all(scripts: &[Script], client: &Client) -> Result<Vec<Transcript>> {
    let (first, rest) =
        scripts.split_at(scripts.partition_point(|script| FIRST.contains(&script.name.as_str())));
    let mut transcripts =
        first.iter().map(|script| run_script(script, client)).collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let worker = || -> Result<Vec<(usize, Transcript)>> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(script) = rest.get(index) else { return Ok(done) };
            done.push((index, run_script(script, client)?));
        }
    };
    let mut done = Vec::new();
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            done.extend(worker.join().ok().context("a thread panicked")??);
        }
        Ok(())
    })?;
    done.sort_by_key(|(index, _)| *index);
    transcripts.extend(done.into_iter().map(|(_, transcript)| transcript));
    Ok(transcripts)
}

/// A script that waits for what never comes on the real server is wrong, and compares nothing.
fn sound(transcripts: &[Transcript]) -> Result<()> {
    for transcript in transcripts {
        for answer in &transcript.answers {
            for fault in ["never", "not kept", "broken"] {
                let Some(what) = answer.said.get(fault) else { continue };
                bail!(
                    "{}: on the real server: {fault}: {what}: {}\n{:#}",
                    transcript.script,
                    answer.request,
                    answer.said
                );
            }
        }
    }
    Ok(())
}

fn judge(log: &mut Log, purpose: &Purpose, differences: Vec<Difference>, all: bool) -> Result<String> {
    let (wanted, others, stale) = purpose.sort(differences);
    print::differences(log, &others);
    // Of some of the scripts, it is not known what lines are still about.
    let stale = if all { stale } else { Vec::new() };
    for entry in &stale {
        log.line(format!("{TABLE}: {} {} {}: this no longer differs", entry.script, entry.step, entry.place));
    }
    ensure!(
        others.is_empty() && stale.is_empty(),
        "{} differences that are not in {TABLE}, {} on purpose, {} lines about nothing",
        others.len(),
        wanted.len(),
        stale.len()
    );
    Ok(format!("equal, but for {} differences on purpose", wanted.len()))
}

/// Sees that a changed answer is found: each one in turn, by another status.
fn tampered(transcripts: &[Transcript]) -> Result<()> {
    for transcript in transcripts {
        for answer in 0..transcript.answers.len() {
            let mut changed = transcript.clone();
            changed.answers[answer].said["status"] = Value::from(599);
            let found = compare(std::slice::from_ref(transcript), &[changed]);
            ensure!(
                found.len() == 1,
                "a changed answer was not found: {}",
                transcript.answers[answer].request
            );
        }
    }
    Ok(())
}

fn show(log: &mut Log, transcripts: &[Transcript]) {
    for transcript in transcripts {
        for answer in &transcript.answers {
            log.line(format!("{}: {}\n{:#}", transcript.script, answer.request, answer.said));
        }
    }
}
