//! Makes many identities on a `bowline up`, before a strict IAM whose answers take their time, and sees how long that takes and what it
//! costs.
//!
//! `cargo xtask bench identities` starts the `up` when it has been told where the IAM is. The IAM is a process of its own, which is
//! this program again, so that what it costs is not taken for ours.

mod crowd;
mod iam;
mod many;
mod process;
mod rest;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use bowline_bench_meter::Cost;
use clap::{Parser, Subcommand};
use kube::Client;
use serde::Deserialize;
use serde_json::Value;

use crate::crowd::Crowd;
use crate::many::Many;
use crate::process::Iam;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an IAM until nobody asks any more: questions by lines of standard input
    Iam {
        /// How long each answer takes
        #[arg(long)]
        latency_ms: u64,
    },
    /// Say where the IAM is, read which `up` it is by a line of standard input, measure, and say what was measured
    Measure(Plan),
}

#[derive(clap::Args)]
struct Plan {
    /// How long each answer of AWS takes
    #[arg(long)]
    latency_ms: u64,
    /// How many identities
    #[arg(long)]
    identities: usize,
}

/// The `bowline up` that is measured.
#[derive(Deserialize)]
struct Up {
    kubeconfig: PathBuf,
    pid: u32,
}

/// What was measured, each quantity by its name, with its unit at the end.
type Report = BTreeMap<String, f64>;

#[tokio::main]
async fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Iam { latency_ms } => iam::run(latency_ms).await,
        Command::Measure(plan) => measure(&plan).await,
    }
}

async fn measure(plan: &Plan) -> Result<()> {
    let mut iam = Iam::start(plan.latency_ms).await?;
    println!("{}", serde_json::to_string(iam.endpoint())?);
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let up: Up = serde_json::from_str(&line).context("it is not said which `up` it is")?;
    let hub = bowline_runtime::client(&up.kubeconfig, None).await?;
    // AWS believes the hub's tokens, so that roles can be tried.
    iam.believe(keys(&hub).await?).await?;
    let crowd = Crowd::watch(hub.clone());
    let mut many = Many { plan, hub, up: Cost::of(&[up.pid]), iam, crowd, report: Report::new() };
    many.make().await?;
    many.rest().await?;
    println!("{}", serde_json::to_string(&many.report)?);
    Ok(())
}

/// The keys that the hub signs tokens by.
async fn keys(hub: &Client) -> Result<Value> {
    let request = http::Request::get("/openid/v1/jwks").body(Vec::new())?;
    Ok(hub.request(request).await?)
}
