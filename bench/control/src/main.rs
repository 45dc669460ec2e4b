//! The sample controller on our loop and on kube-runtime's, and who measures both.
//!
//! `cargo xtask bench control` has each measured on a hub of its own. A contestant is a process, so that its memory and its
//! processor time are its own; both decide with the same functions of `bowline-sample`, and write with the same client.

mod contestants;
mod measure;
mod tally;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Parser;

use contestants::Contestant;
use measure::Plan;
use tally::Tally;

/// Runs the controller of pairs, or measures somebody who does.
#[derive(Parser)]
enum Task {
    /// Be a contestant: answer questions on standard input, and end with it
    Contestant {
        /// Whose loop
        contestant: Contestant,
        /// How to reach the server
        #[arg(long)]
        kubeconfig: PathBuf,
        /// Pairs that there are
        #[arg(long)]
        objects: usize,
        /// Pairs that may be worked at together
        #[arg(long)]
        workers: u16,
    },
    /// Measure a contestant on a fresh hub, and print the results as JSON
    Measure(Plan),
}

#[tokio::main]
async fn main() -> Result<()> {
    match Task::parse() {
        Task::Contestant { contestant, kubeconfig, objects, workers } => {
            let client = bowline_runtime::client(&kubeconfig, None).await?;
            let tally = Arc::new(Tally::of(objects));
            let asked = words::answer(Arc::clone(&tally));
            contestant.run(client, workers, tally, asked).await
        }
        Task::Measure(plan) => {
            let report = measure::all(&plan).await?;
            Ok(serde_json::to_writer(std::io::stdout(), &report)?)
        }
    }
}
