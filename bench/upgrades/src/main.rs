//! Upgrades a group of nodes, and sees how long devices are without a master, and what Bowline takes for a node beside the stop and
//! the start of its software.
//!
//! Real nodes are agents and software as processes, with a `bowline up` of their own. Of simulated ones, the agents are in this
//! process: they decide by `pure/upgrades`, have a lease and a watch each, and ask a hub for what real ones ask; their software is a pair
//! of times.

mod agent;
mod diary;
mod group;
mod hub;
mod real;
mod simulated;
mod software;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_bench_meter::Latencies;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    nodes: Nodes,
}

/// Prints the results as JSON.
#[derive(Subcommand)]
enum Nodes {
    /// Real nodes, of the binaries that the environment names
    Real(Size),
    /// Simulated nodes, on a fresh `bowline up`
    Simulated {
        #[command(flatten)]
        size: Size,
        /// How to reach the hub
        #[arg(long)]
        kubeconfig: PathBuf,
        /// The process of `bowline up`
        #[arg(long)]
        up: u32,
    },
}

#[derive(Args)]
struct Size {
    /// How many nodes
    #[arg(long)]
    nodes: usize,
    /// How many devices they are masters of
    #[arg(long)]
    devices: usize,
    /// How long the software of a node takes to stop and to start, together
    #[arg(long)]
    restart_ms: u64,
}

impl Size {
    fn restart(&self) -> Duration {
        Duration::from_millis(self.restart_ms)
    }
}

/// What was measured, each quantity by its name, with its unit at the end.
type Report = BTreeMap<String, f64>;

fn main() -> Result<()> {
    let report = match Cli::parse().nodes {
        Nodes::Real(size) => real::measure(&size)?,
        Nodes::Simulated { size, kubeconfig, up } => {
            runtime()?.block_on(simulated::measure(&size, &kubeconfig, up))?
        }
    };
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// What an upgrade comes to: how long all took, how long each member was in hand, and how long devices had no master.
fn reported(
    size: &Size,
    took: Duration,
    moves: BTreeMap<String, Duration>,
    handovers: &Latencies,
) -> Result<Report> {
    ensure!(moves.len() == size.nodes, "{} of {} nodes were seen to be moved", moves.len(), size.nodes);
    let software = size.restart() * u32::try_from(size.nodes)?;
    let mut added = Latencies::default();
    moves.into_values().for_each(|in_hand| added.add(in_hand.saturating_sub(size.restart())));
    let own_s = took.saturating_sub(software).as_secs_f64();
    let values = [
        ("all s", took.as_secs_f64()),
        ("software s", software.as_secs_f64()),
        ("own s", own_s),
        ("own node_ms", own_s * 1e3 / size.nodes as f64),
        ("own p50_ms", added.at(0.5)),
        ("own p99_ms", added.at(0.99)),
        ("handovers", handovers.count() as f64),
        ("handover p50_ms", handovers.at(0.5)),
        ("handover p99_ms", handovers.at(0.99)),
    ];
    Ok(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
