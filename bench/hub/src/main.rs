//! One client for two API servers: how much each does a second, and at what price.
//!
//! `cargo xtask bench hub` runs it against the hub and against kube-apiserver with etcd.

mod cost;
mod latencies;
mod load;
mod server;
mod watchers;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use serde::Serialize;

use cost::Cost;
use server::Server;

/// Loads an API server and says what it did, as JSON.
#[derive(Parser)]
struct Args {
    /// How to reach it
    #[arg(long)]
    kubeconfig: PathBuf,
    /// The processes that make it up
    #[arg(long, value_delimiter = ',', required = true)]
    pids: Vec<u32>,
    /// How many clients at once, one after the other
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    clients: Vec<usize>,
    /// How long each load lasts
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// How many objects the list has
    #[arg(long, default_value_t = 10_000)]
    objects: usize,
    /// How many watch
    #[arg(long, default_value_t = 100)]
    watchers: usize,
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    idle_mib: f64,
    loads: Vec<load::Loaded>,
    full_mib: f64,
    list_ms: f64,
    list_cpu_ms: f64,
    watch_p50_ms: f64,
    watch_p99_ms: f64,
    watching_mib: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(measure(&args))?;
    serde_json::to_writer(std::io::stdout(), &report)?;
    Ok(())
}

async fn measure(args: &Args) -> Result<Report> {
    let server = Server::of_kubeconfig(&args.kubeconfig)?;
    let cost = Cost::of(&args.pids);
    let idle_mib = cost.resident_mib()?;
    let lasting = Duration::from_secs(args.seconds);
    let mut loads = Vec::new();
    for verb in [load::Verb::Create, load::Verb::Patch, load::Verb::Get] {
        for clients in &args.clients {
            loads.push(load::run(&server, &cost, verb, *clients, lasting).await?);
        }
    }
    load::fill(&server, args.objects).await?;
    let full_mib = cost.resident_mib()?;
    let (list_ms, list_cpu_ms) = load::list(&server, &cost, args.objects).await?;
    let latencies = watchers::measure(&server, args.watchers).await?;
    Ok(Report {
        idle_mib,
        loads,
        full_mib,
        list_ms,
        list_cpu_ms,
        watch_p50_ms: latencies.at(0.5),
        watch_p99_ms: latencies.at(0.99),
        watching_mib: cost.resident_mib()?,
    })
}
