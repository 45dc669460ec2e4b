//! `cargo xtask referee`: our explorer and the real TLC judge the same random models.
//!
//! TLC is a program of others that many eyes have read for twenty years. Where both agree on hundreds of
//! models of all kinds, our explorer means by "holds" what TLA+ means.

mod compare;
mod court;
mod dice;
mod draw;
pub(crate) mod output;
mod program;
pub(crate) mod scratch;
mod seeds;
mod shrink;
pub(crate) mod specs;
mod subject;
mod tally;
#[cfg(test)]
mod tests;
mod tla;
pub(crate) mod tlc;
mod verdicts;
mod witness;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::log::Log;
use crate::workspace::Workspace;
use court::Court;
use tally::Tally;
use tlc::Tlc;

const MODELS: u64 = 300;
/// In every test run fewer do: one is a second of TLC.
const MODELS_IN_STAGE: u64 = 100;
const SEED: u64 = 1;

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct RefereeArgs {
    /// How many random models
    #[arg(long, value_name = "N", default_value_t = MODELS, value_parser = clap::value_parser!(u64).range(1..))]
    models: u64,
    /// Which random models: another seed, other models
    #[arg(long, value_name = "N", default_value_t = SEED)]
    seed: u64,
    /// Only the random model with this number
    #[arg(long, value_name = "I", conflicts_with = "models")]
    only: Option<u64>,
    /// Compare our models of the four seeds with their TLA+ specifications, too: states and verdicts
    #[arg(long)]
    seeds: bool,
    /// Where the seeds' specifications are, if not in ../shared/specs
    #[arg(long, value_name = "DIR", requires = "seeds")]
    specs: Option<PathBuf>,
}

/// What `cargo xtask test` compares: also the seeds, if their specifications are there.
pub(crate) fn stage(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let seeds = specs::directory(workspace, None)?.is_some();
    let agreed = run(
        workspace,
        log,
        &RefereeArgs { models: MODELS_IN_STAGE, seed: SEED, only: None, seeds, specs: None },
    )?;
    let skipped =
        if seeds { "" } else { "; without the seeds' specifications, which are not in ../shared/specs" };
    Ok(agreed + skipped)
}

/// Compares, and fails on the first disagreement.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &RefereeArgs) -> Result<String> {
    let started = Instant::now();
    let tlc = Tlc::get()?;
    let court = Court::open(&tlc)?;
    let mut seeds = String::new();
    if args.seeds {
        let specs = specs::directory(workspace, args.specs.as_deref())?;
        let specs =
            specs.context("the seeds' specifications are not in ../shared/specs; --specs says where")?;
        let sizes = seeds::run(&tlc, &specs, log)?;
        log.line(format!("the seeds have the same states ({} s)", started.elapsed().as_secs()));
        let verdicts = verdicts::run(&court, &specs)?;
        log.line(format!("{verdicts} verdicts on the seeds: both agree ({} s)", started.elapsed().as_secs()));
        seeds = format!(", {sizes} sizes of the seeds and {verdicts} verdicts on them");
    }
    let agreed = random_models(workspace, log, args, &court)?;
    Ok(format!("{agreed}{seeds} ({} s)", started.elapsed().as_secs()))
}

fn random_models(
    workspace: &Workspace,
    log: &mut Log,
    args: &RefereeArgs,
    court: &Court<'_>,
) -> Result<String> {
    let seed = args.seed;
    let numbers = args.only.map_or(0..args.models, |only| only..only.saturating_add(1));
    let total = numbers.end - numbers.start;
    let mut tally = Tally::default();
    let mut done = 0;
    let disagreement = court.hear_all(seed, numbers, |case| {
        if let Some(ours) = &case.ours {
            tally.count(ours.judged.kind, ours.judged.verdict, ours.report.distinct);
        }
        done += 1;
        if done % 25 == 0 {
            log.line(format!("{done} of {total} models agree"));
        }
    })?;
    if let Some((number, case)) = disagreement {
        let dir = workspace.target_dir().join("referee").join(format!("seed-{seed}-model-{number}"));
        court.keep(&dir, &case)?;
        bail!(
            "our explorer and TLC disagree on model {number} of seed {seed}: {}\n\
             the model, both answers, and the smallest model like it are in {}\n\
             again: cargo xtask referee --seed {seed} --only {number}",
            case.differences.join("; "),
            dir.display(),
        );
    }
    log.line(&tally);
    tally.is_healthy()?;
    Ok(format!("both agree on {done} of {total} random models (seed {seed})"))
}
