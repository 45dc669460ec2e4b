//! Moves namespaces between embedded clusters, one after the other and all at once, and sees how long that takes, what is written for it,
//! and how soon a change on the hub is in the cluster; and does by hand, without Bowline, what a move does.
//!
//! The hub is a `bowline up`, the clusters are in another one, and all syncers are in this process.

mod bare;
mod content;
mod crowd;
mod fleet;
mod moves;
mod rest;
mod spread;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use bowline_bench_meter::Cost;
use clap::Parser;

use crowd::Crowd;
use fleet::Fleet;

/// Measures placements on a fresh `bowline up`, and prints the results as JSON.
#[derive(Parser)]
struct Plan {
    /// How to reach the hub
    #[arg(long)]
    hub: PathBuf,
    /// Its process
    #[arg(long)]
    hub_pid: u32,
    /// How to reach the `bowline up` that the clusters are in
    #[arg(long)]
    sites: PathBuf,
    /// Its process
    #[arg(long)]
    sites_pid: u32,
    /// How many namespaces
    #[arg(long)]
    namespaces: usize,
    /// How many clusters they are on
    #[arg(long)]
    clusters: usize,
    /// How many are moved alone, one after the other
    #[arg(long)]
    alone: usize,
    /// How many changes are made alone, one after the other
    #[arg(long)]
    changes: usize,
}

/// What was measured, each quantity by its name, with its unit at the end.
type Report = BTreeMap<String, f64>;

/// The processes that are measured.
struct Processes {
    hub: Cost,
    sites: Cost,
    /// All syncers, and who measures.
    syncers: Cost,
}

#[tokio::main]
async fn main() -> Result<()> {
    let plan = Plan::parse();
    let processes = Processes {
        hub: Cost::of(&[plan.hub_pid]),
        sites: Cost::of(&[plan.sites_pid]),
        syncers: Cost::of(&[std::process::id()]),
    };
    let hub = bowline_runtime::client(&plan.hub, None).await?;
    let sites = bowline_runtime::client(&plan.sites, None).await?;
    let fleet = Fleet::start(hub, sites, plan.clusters).await?;
    let mut report = Report::new();
    bare::measure(&plan, &fleet, &mut report).await?;
    let mut ended = fleet.join().await?;
    let crowd = Crowd::watch(&fleet);
    let measured = async {
        let mut places = moves::place(&plan, &fleet, &crowd, &mut report).await?;
        rest::measure(&fleet, &processes, &mut report).await?;
        moves::alone(&plan, &fleet, &crowd, &mut places, &mut report).await?;
        spread::measure(&plan, &fleet, &crowd, &mut report).await?;
        moves::at_once(&fleet, &crowd, &mut places, &processes, &mut report).await
    };
    tokio::select! {
        measured = measured => measured?,
        Some(ended) = ended.recv() => {
            ended?;
            bail!("a syncer has ended")
        }
    }
    for (name, cost) in
        [("hub", &processes.hub), ("sites", &processes.sites), ("syncers", &processes.syncers)]
    {
        report.insert(format!("{name} peak mib"), cost.peak_kib()? / 1024.0);
    }
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}
