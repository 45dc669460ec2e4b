//! One run of the work queue, to be measured by `cargo xtask bench workqueue`.
//!
//! `bench/peers/client-go` does the same with client-go's: same keys, same order, same cycle, same words on the command
//! line and in what is printed.

mod alone;
mod cost;
mod keys;
mod shared;

use anyhow::Result;
use clap::Parser;

/// Runs a work queue, and prints what that cost as JSON.
#[derive(Parser)]
enum Task {
    /// All keys wait; each is taken, done, and added again
    Cycle {
        /// How many keys
        keys: usize,
        /// Taken at a time
        workers: usize,
        /// How many cycles, by all workers together
        cycles: usize,
        /// A thread for each worker, and a lock; otherwise there is one thread, and keys in flight
        #[arg(long)]
        shared: bool,
    },
    /// All keys come later; then their time is over, and each is taken and done
    Later {
        /// How many keys
        keys: usize,
        /// How often
        rounds: usize,
    },
    /// What the queue holds for a key that waits
    WaitingMemory {
        /// How many keys
        keys: usize,
    },
    /// What the queue holds for a key that comes later
    LaterMemory {
        /// How many keys
        keys: usize,
    },
}

fn main() -> Result<()> {
    let report = match Task::parse() {
        Task::Cycle { keys, workers, cycles, shared: true } => shared::cycle(keys, workers, cycles),
        Task::Cycle { keys, workers, cycles, shared: false } => alone::cycle(keys, workers, cycles),
        Task::Later { keys, rounds } => alone::later(keys, rounds),
        Task::WaitingMemory { keys } => alone::waiting_memory(keys),
        Task::LaterMemory { keys } => alone::later_memory(keys),
    }?;
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}
