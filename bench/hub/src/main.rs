//! One client for two API servers: how much each does a second, and at what price.
//!
//! `cargo xtask bench hub` runs it against the hub and against kube-apiserver with etcd.

mod growth;
mod load;
mod ordinary;
mod report;
mod server;
mod watchers;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_bench_meter::Cost;
use clap::Parser;

use load::Verb;
use report::Report;
use server::Server;

/// How long a server may rest before its memory is looked at: what is done once after the start is done.
const REST: Duration = Duration::from_secs(3);

/// Loads an API server and says what it did.
#[derive(Parser)]
struct Args {
    /// How to reach it
    #[arg(long)]
    kubeconfig: PathBuf,
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Make objects, as fast as it goes
    Fill {
        /// How many
        objects: usize,
    },
    /// One load alone, and print its results as JSON: for who looks at the server meanwhile
    Load {
        /// What is done
        verb: Verb,
        /// By how many clients
        clients: usize,
        /// For how long
        seconds: u64,
        /// The processes that make the server up
        #[arg(long, value_delimiter = ',', required = true)]
        pids: Vec<u32>,
    },
    /// Measure a fresh server, and print the results as JSON
    Measure(Plan),
    /// The same on more and more objects of a fresh server, and print the results as JSON
    Grow {
        /// How many objects, one after the other
        #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
        sizes: Vec<usize>,
        /// How long each load lasts
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(3..))]
        seconds: u64,
        /// The processes that make the server up
        #[arg(long, value_delimiter = ',', required = true)]
        pids: Vec<u32>,
    },
}

#[derive(clap::Args)]
struct Plan {
    /// The processes that make it up
    #[arg(long, value_delimiter = ',', required = true)]
    pids: Vec<u32>,
    /// How many clients at once, one after the other
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    clients: Vec<usize>,
    /// How long each load lasts; the kernel counts processor time in hundredths of a second
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(3..))]
    seconds: u64,
    /// How many objects the list has
    #[arg(long, default_value_t = 10_000)]
    objects: usize,
    /// How many watch, one after the other
    #[arg(long, value_delimiter = ',', default_value = "100,1000")]
    watchers: Vec<usize>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let server = Server::of_kubeconfig(&args.kubeconfig)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(perform(&server, args.task))?;
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}

async fn perform(server: &Server, task: Task) -> Result<Report> {
    let mut report = Report::default();
    match task {
        Task::Fill { objects } => load::fill(server, objects).await?,
        Task::Load { verb, clients, seconds, pids } => {
            let lasting = Duration::from_secs(seconds);
            load::run(server, &Cost::of(&pids), (verb, clients, lasting), &mut report).await?;
        }
        Task::Measure(plan) => measure(server, &plan, &mut report).await?,
        Task::Grow { sizes, seconds, pids } => {
            let lasting = Duration::from_secs(seconds);
            growth::measure(server, &Cost::of(&pids), (&sizes, lasting), &mut report).await?;
        }
    }
    Ok(report)
}

async fn measure(server: &Server, plan: &Plan, report: &mut Report) -> Result<()> {
    let cost = Cost::of(&plan.pids);
    let lasting = Duration::from_secs(plan.seconds);
    tokio::time::sleep(REST).await;
    report.put("idle mib", cost.resident_kib()? / 1024.0);
    load::fill(server, plan.objects).await?;
    tokio::time::sleep(REST).await;
    report.put("full mib", cost.resident_kib()? / 1024.0);
    ensure!(load::count(server).await? == plan.objects, "there are not {} objects", plan.objects);
    load::list(server, &cost, lasting, report).await?;
    for watchers in &plan.watchers {
        watchers::measure(server, &cost, *watchers, report).await?;
    }
    for verb in Verb::ALL {
        for clients in &plan.clients {
            load::run(server, &cost, (verb, *clients, lasting), report).await?;
        }
    }
    report.put("loaded mib", cost.resident_kib()? / 1024.0);
    ordinary::measure(server, &cost, lasting, report).await
}
