//! `cargo xtask explore`: the controllers at sizes that take too long for every test run.
//!
//! Two instances and two workers, every fault alone and every two faults. The real binary runs, built in release; what
//! it finds is held against what is pinned.

mod pins;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_models::{Entry, Faults, catalogue};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::log::Log;
use crate::workspace::Workspace;
use pins::{Counts, PINS, SYSTEMS, TOO_LARGE};

/// The budget of a run. What needs more is INCOMPLETE.
const MAX_STATES: &str = "20000000";
const MAX_MEMORY: &str = "3000MB";
/// For all runs together. What is left then is not run.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// What to explore.
#[derive(clap::Args)]
pub(crate) struct ExploreArgs {
    /// Explore only every fault alone, or only every two faults
    #[arg(long, value_name = "WHICH", value_enum)]
    only: Option<Which>,
}

/// Which faults go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Which {
    /// Every fault alone
    Singles,
    /// Every two faults, and each twice
    Pairs,
}

impl Which {
    fn of(self, entry: &Entry) -> Vec<Faults> {
        match self {
            Which::Singles => entry.singles(),
            Which::Pairs => entry.pairs(),
        }
    }
}

/// A system at the size at which it is explored.
struct System {
    model: &'static str,
    size: &'static str,
    /// It is explored under every two faults too: of a large one there are too many states.
    pairs: bool,
}

/// What is read of a run's document.
#[derive(Deserialize)]
struct Document {
    distinct: u64,
    generated: u64,
    depth: u32,
    seconds: f64,
    peak_bytes: u64,
    incomplete: Option<String>,
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    verdict: String,
}

/// What a run is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Worth {
    /// As it is pinned.
    Pinned,
    /// Cut off, and why; nothing was violated.
    Incomplete(String),
    /// A violation, or not what is pinned.
    Bad(String),
}

/// Explores everything that was asked for, and fails if something is violated or is not as it is pinned.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &ExploreArgs) -> Result<String> {
    let binary = build(workspace, log)?;
    let end = Instant::now() + PATIENCE;
    let (mut worths, mut left_out) = (Vec::new(), 0);
    let mut runs = Vec::new();
    for system in SYSTEMS {
        runs.extend(runs_of(system, args.only)?.into_iter().map(|faults| (system, faults)));
    }
    // What ends as INCOMPLETE anyway comes last, if there is time.
    runs.sort_by_key(|(system, faults)| is_too_large(system, faults));
    let mut before = "";
    for (system, faults) in runs {
        let is_too_large = is_too_large(system, &faults);
        if Instant::now() >= end {
            left_out += usize::from(!is_too_large);
            continue;
        }
        if before != system.model {
            log.line(format!("{} {}", system.model, system.size));
            before = system.model;
        }
        let document = explore(&binary, system, &faults, end)?;
        let worth = judge(&document, pinned(system, &faults), is_too_large);
        log.line(line(&faults, &document, &worth));
        worths.push(worth);
    }
    sum_up(&worths, left_out)
}

/// The faults under which a system is explored.
fn runs_of(system: &System, only: Option<Which>) -> Result<Vec<String>> {
    let entry = entry(system.model)?;
    let wanted = [Which::Singles, Which::Pairs]
        .into_iter()
        .filter(|which| only.is_none_or(|only| only == *which) && (*which == Which::Singles || system.pairs));
    Ok(wanted.flat_map(|which| which.of(entry)).map(|faults| faults.to_string()).collect())
}

fn build(workspace: &Workspace, log: &mut Log) -> Result<PathBuf> {
    let ran =
        log.run(&mut workspace.cargo(["build", "--release", "--locked", "--quiet", "--package", "bowline"]))?;
    ensure!(ran.success, "bowline does not build");
    Ok(workspace.target_dir().join("release/bowline"))
}

fn entry(model: &str) -> Result<&'static Entry> {
    catalogue().iter().find(|entry| entry.name == model).with_context(|| format!("there is no model {model}"))
}

fn pinned(system: &System, faults: &str) -> Option<Counts> {
    let pin =
        PINS.iter().find(|pin| pin.model == system.model && pin.size == system.size && pin.faults == faults);
    pin.map(|pin| pin.counts)
}

fn is_too_large(system: &System, faults: &str) -> bool {
    TOO_LARGE.contains(&(system.model, faults))
}

/// One run of the binary, which is told to end when time is up: then it says what it found so far.
fn explore(binary: &PathBuf, system: &System, faults: &str, end: Instant) -> Result<Document> {
    let mut command = Command::new(binary);
    command.args(["check", system.model, "--size", system.size, "--faults", faults]);
    command.args([
        "--max-states",
        MAX_STATES,
        "--max-memory",
        MAX_MEMORY,
        "--fingerprint",
        "-o",
        "json",
        "--quiet",
    ]);
    let what = || format!("bowline check {} --size {} --faults {faults}", system.model, system.size);
    let child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run {}", binary.display()))?;
    let pid = Pid::from_raw(child.id().try_into().context("a process id")?);
    let (ended, waits) = mpsc::channel::<()>();
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            let left = end.saturating_duration_since(Instant::now());
            if waits.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                // If it has just ended, there is nobody to tell.
                let _ = kill(pid, Signal::SIGINT);
            }
        });
        let output = child.wait_with_output();
        drop(ended);
        output
    });
    let output = output.with_context(what)?;
    let is_result = matches!(output.status.code(), Some(0 | 1 | 3));
    ensure!(is_result, "{} ended with {}", what(), output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{} printed no document", what()))
}

fn judge(document: &Document, pinned: Option<Counts>, is_too_large: bool) -> Worth {
    let is_bad = |property: &&Property| matches!(&*property.verdict, "violated" | "unreached");
    if let Some(property) = document.properties.iter().find(is_bad) {
        return Worth::Bad(format!("{} is {}", property.name, property.verdict));
    }
    let counts = (document.distinct, document.generated, document.depth);
    match (&document.incomplete, pinned) {
        (Some(why), _) if why == "panicked" => Worth::Bad("the model panicked".into()),
        (Some(why), None) if is_too_large => Worth::Incomplete(why.clone()),
        (Some(why), None) => {
            Worth::Bad(format!("INCOMPLETE ({why}), and nobody has said that it is too large"))
        }
        (Some(why), Some(_)) => Worth::Bad(format!("INCOMPLETE ({why}), and it is pinned as complete")),
        (None, Some(pinned)) if pinned != counts => Worth::Bad(format!(
            "{} distinct, {} generated, depth {} are pinned",
            pinned.0, pinned.1, pinned.2
        )),
        (None, Some(_)) => Worth::Pinned,
        (None, None) => Worth::Bad("nothing is pinned of it".into()),
    }
}

fn line(faults: &str, document: &Document, worth: &Worth) -> String {
    let Document { distinct, generated, depth, seconds, peak_bytes, .. } = document;
    let worth = match worth {
        Worth::Pinned => "as pinned".into(),
        Worth::Incomplete(why) => format!("INCOMPLETE ({why})"),
        Worth::Bad(why) => format!("NOT AS IT SHOULD BE: {why}"),
    };
    let memory = peak_bytes / 1_000_000;
    format!(
        "  {faults:30} {distinct:>10} {generated:>11} {depth:>4} {seconds:>7.1} s {memory:>5} MB  {worth}"
    )
}

fn sum_up(worths: &[Worth], left_out: usize) -> Result<String> {
    let count = |is: fn(&Worth) -> bool| worths.iter().filter(|worth| is(worth)).count();
    let bad = count(|worth| matches!(worth, Worth::Bad(_)));
    let cut_off = count(|worth| matches!(worth, Worth::Incomplete(_)));
    let all = format!(
        "{} runs: {} as pinned, {cut_off} INCOMPLETE, {bad} not as they should be, {left_out} not run",
        worths.len(),
        count(|worth| matches!(worth, Worth::Pinned))
    );
    ensure!(bad == 0 && left_out == 0, "{all}");
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(verdict: &str, incomplete: Option<&str>) -> Document {
        let properties = vec![Property { name: "Converges".into(), verdict: verdict.into() }];
        let incomplete = incomplete.map(Into::into);
        Document {
            distinct: 7,
            generated: 9,
            depth: 3,
            seconds: 0.5,
            peak_bytes: 4_000_000,
            incomplete,
            properties,
        }
    }

    #[test]
    fn a_run_is_held_against_what_is_pinned() {
        let holds = document("holds", None);
        assert_eq!(judge(&holds, Some((7, 9, 3)), false), Worth::Pinned);
        assert_eq!(judge(&holds, None, false), Worth::Bad("nothing is pinned of it".into()));
        let differs = Worth::Bad("8 distinct, 9 generated, depth 3 are pinned".into());
        assert_eq!(judge(&holds, Some((8, 9, 3)), false), differs);
        let violated = document("violated", Some("max-states"));
        assert_eq!(judge(&violated, None, true), Worth::Bad("Converges is violated".into()));
        let cut_off = document("unknown", Some("max-states"));
        assert_eq!(judge(&cut_off, None, true), Worth::Incomplete("max-states".into()));
        assert!(matches!(judge(&cut_off, None, false), Worth::Bad(_)), "nobody has said so");
        assert!(matches!(judge(&cut_off, Some((7, 9, 3)), true), Worth::Bad(_)));
        assert!(matches!(judge(&document("unknown", Some("panicked")), None, true), Worth::Bad(_)));
    }

    #[test]
    fn what_was_not_run_and_what_is_bad_fails() {
        assert!(sum_up(&[Worth::Pinned, Worth::Incomplete("max-states".into())], 0).is_ok());
        assert!(sum_up(&[Worth::Pinned], 1).is_err());
        assert!(sum_up(&[Worth::Pinned, Worth::Bad("no".into())], 0).is_err());
    }

    #[test]
    fn every_run_is_pinned_or_too_large() -> Result<()> {
        for system in SYSTEMS {
            for faults in runs_of(system, None)? {
                let is_pinned = pinned(system, &faults).is_some();
                assert!(is_pinned != is_too_large(system, &faults), "{} {faults}", system.model);
            }
        }
        Ok(())
    }

    #[test]
    fn a_pin_is_of_a_run_that_there_is_and_stands_once() -> Result<()> {
        for system in SYSTEMS {
            entry(system.model)?.size(system.size)?;
        }
        for (place, pin) in PINS.iter().enumerate() {
            let entry = entry(pin.model)?;
            let system = SYSTEMS.iter().any(|system| system.model == pin.model && system.size == pin.size);
            let mut runs = entry.singles().into_iter().chain(entry.pairs());
            assert!(system && runs.any(|faults| faults.to_string() == pin.faults), "{pin:?}");
            let same = |other: &pins::Pin| {
                (other.model, other.size, other.faults) == (pin.model, pin.size, pin.faults)
            };
            assert!(!PINS[..place].iter().any(same), "{pin:?} stands twice");
            assert!(!TOO_LARGE.contains(&(pin.model, pin.faults)), "{pin:?} is not too large");
        }
        for (model, faults) in TOO_LARGE {
            let entry = entry(model)?;
            let mut runs = entry.singles().into_iter().chain(entry.pairs());
            assert!(runs.any(|run| run.to_string() == *faults), "{model} {faults}");
        }
        Ok(())
    }
}
