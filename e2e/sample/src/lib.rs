//! The small controller of `bowline-sample` on real servers: its kinds, what its objects look like as JSON, and those who
//! make halves ready.

mod kinds;
mod runner;
mod wire;

use std::path::Path;
use std::sync::Arc;

use bowline_control::Settings;
use bowline_runtime::{Driven, Driver, Journal, Leader, Metrics, NoOutside, drive};
use bowline_sample::Pairs;
use kube::Client;

pub use kinds::{Half, HalfSpec, HalfStatus, Pair, PairSpec, PairStatus, crds};
pub use runner::make_ready;
pub use wire::{FINALIZER, PairWire, Text};

/// Drives the controller of pairs until `stop`.
///
/// # Errors
/// If there is to be a journal, and it cannot be opened.
pub async fn run(
    client: Client,
    workers: usize,
    journal: Option<&Path>,
    metrics: Metrics,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<Driven> {
    run_led(client, None, workers, journal, metrics, stop).await
}

/// The same, while it leads.
///
/// # Errors
/// As there.
pub async fn run_led(
    client: Client,
    leader: Option<Leader>,
    workers: usize,
    journal: Option<&Path>,
    metrics: Metrics,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<Driven> {
    let journal = journal.map(Journal::open).transpose()?.map(Arc::new);
    let driver = Driver {
        name: "pairs",
        controller: Pairs::<Text>::default(),
        wire: PairWire,
        outside: NoOutside,
        client,
        settings: Settings::default(),
        workers,
        leader,
        journal,
        metrics,
    };
    Ok(drive(driver, stop).await)
}
