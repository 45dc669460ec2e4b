//! The small controller of `bowline-sample` on real servers: its kinds, what its objects look like as JSON, and those who
//! make halves ready.

mod kinds;
mod runner;
mod wire;

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use bowline_control::{Controller, Settings};
use bowline_runtime::{Address, Driven, Driver, Journal, Leader, Metrics, NoOutside, drive};
use bowline_sample::{Object, Pairs};
use kube::Client;

pub use kinds::{Half, HalfSpec, HalfStatus, Pair, PairSpec, PairStatus, crds};
pub use runner::make_ready;
pub use wire::{FINALIZER, PairWire, Text, phase_of, words_of};

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
    run_as(Pairs::<Text>::default(), client, leader, workers, journal, metrics, stop).await
}

/// The same with a controller of pairs that is another one than `bowline-sample`'s, or is around that.
///
/// # Errors
/// As there.
pub async fn run_as<C>(
    controller: C,
    client: Client,
    leader: Option<Leader>,
    workers: usize,
    journal: Option<&Path>,
    metrics: Metrics,
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<Driven>
where
    C: Controller<Key = Address, Object = Object<Text>, Call = Infallible, Reply = Infallible> + Send,
    C::Memory: Send,
    C::Step: Send,
{
    let journal = journal.map(Journal::open).transpose()?.map(Arc::new);
    let driver = Driver {
        name: "pairs",
        controller,
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
