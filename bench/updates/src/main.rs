//! Submits an update to each of many stacks, and sees what that costs the `bowline up` that applies them; or applies the same
//! objects to the same clusters without Bowline's controllers.
//!
//! `cargo xtask bench updates` has each measured on an `up` of its own.

mod bare;
mod check;
mod content;
mod crowd;
mod fleet;
mod ours;
mod rest;
mod submit;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use bowline_bench_meter::Cost;
use clap::{Parser, ValueEnum};

use fleet::Fleet;

/// Measures somebody who puts objects onto embedded clusters, on a fresh `bowline up`, and prints the results as JSON.
#[derive(Parser)]
struct Plan {
    /// Who
    contestant: Contestant,
    /// How to reach the hub
    #[arg(long)]
    kubeconfig: PathBuf,
    /// The process of `bowline up`
    #[arg(long)]
    up: u32,
    /// How many stacks
    #[arg(long)]
    stacks: usize,
    /// How many clusters they are on
    #[arg(long)]
    clusters: usize,
    /// How many objects each has
    #[arg(long)]
    objects: usize,
    /// How many updates are submitted alone, one after the other
    #[arg(long)]
    alone: usize,
    /// How large a stack is that is submitted alone, to see how time grows; each ten times the one before
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<usize>,
}

/// Who puts objects onto clusters.
#[derive(Clone, Copy, ValueEnum)]
enum Contestant {
    /// A client that applies them, and nothing else.
    Bare,
    /// Updates.
    Ours,
}

/// What was measured, each quantity by its name, with its unit at the end.
type Report = BTreeMap<String, f64>;

#[tokio::main]
async fn main() -> Result<()> {
    let plan = Plan::parse();
    let hub = bowline_runtime::client(&plan.kubeconfig, None).await?;
    let up = Cost::of(&[plan.up]);
    let fleet = Fleet::start(hub, plan.clusters).await?;
    let report = match plan.contestant {
        Contestant::Bare => bare::measure(&plan, &fleet, &up).await?,
        Contestant::Ours => ours::measure(&plan, &fleet, &up).await?,
    };
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}
