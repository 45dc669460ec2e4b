//! Many identities on a strict IAM whose answers take their time, against the sum of these times.

mod rows;
mod stage;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{Company, Effort, processors};
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::workspace::Workspace;
use rows::Row;
use stage::Stage;

/// How long AWS takes to answer a call, in the two columns.
const LATENCIES_MS: [u32; 2] = [0, 50];

/// How to measure identities.
#[derive(clap::Args)]
pub(crate) struct IdentitiesArgs {
    #[command(flatten)]
    effort: Effort,
    /// How many identities; 1,000, or with --quick 100
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    identities: Option<u32>,
    /// How many calls of AWS may be under way at once
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=256))]
    at_once: u32,
}

/// How much there is.
#[derive(Clone, Copy, Serialize)]
struct Load {
    identities: u32,
    at_once: u32,
}

/// What one run measured, each quantity by its name.
type Measured = BTreeMap<String, f64>;

/// What was measured with each latency, in all rounds.
type Rounds = [Vec<Measured>; 2];

/// All results, as they are written to a file.
#[derive(Serialize)]
struct Written<'a> {
    processors: usize,
    rounds: usize,
    load: Load,
    /// What kept the machine busy beside us.
    load_before: Option<f64>,
    rows: &'a [Row],
}

/// Measures. Missing a goal fails nothing, but for this: who rests does not write.
pub(super) fn run(workspace: &Workspace, log: &mut Log, args: &IdentitiesArgs) -> Result<String> {
    let company = Company::look();
    let stage = Stage::build(workspace, log)?;
    company.warn(log);
    let bench = workspace.target_dir().join("bench");
    std::fs::create_dir_all(&bench).with_context(|| format!("cannot create {}", bench.display()))?;
    // Not where temporary files go, which may be memory: a write costs a sync.
    let scratch = Scratch::within(&bench, "identities")?;
    let rounds = args.effort.times(3, 1);
    let usual = if args.effort.quick { 100 } else { 1_000 };
    let load = Load { identities: args.identities.unwrap_or(usual), at_once: args.at_once };
    let mut measured = Rounds::default();
    for round in 0..rounds {
        for (latency_ms, all) in LATENCIES_MS.into_iter().zip(&mut measured) {
            eprintln!("{} of {rounds}: {latency_ms} ms", round + 1);
            let dir = scratch.path().join(format!("{latency_ms}-{round}"));
            all.push(stage.measure(&dir, latency_ms, load)?);
        }
    }
    let rows = rows::all(&measured, load);
    log.line(table::Table { rows: &rows, load });
    let written = Written { processors: processors(), rounds, load, load_before: company.load, rows: &rows };
    let usual = bench.join("identities.json");
    args.effort.write(&usual, &written)?;
    ensure!(
        rows.iter().any(|row| row.goal == rows::Goal::Nothing),
        "nobody has counted the writes at rest, which must be none"
    );
    for row in &rows {
        ensure!(row.is_bearable(), "we write where nothing is to be done: {}", row.name);
    }
    let judged: Vec<bool> = rows.iter().filter_map(Row::is_met).collect();
    let (met, all) = (judged.iter().filter(|met| **met).count(), judged.len());
    Ok(format!("{met} of {all} goals are met{}; results in {}", company.doubt(), usual.display()))
}
