//! The controller of pairs, by two loops.

mod objects;
mod peer;

use std::sync::Arc;

use anyhow::Result;
use bowline_runtime::Metrics;
use kube::Client;
use tokio::sync::oneshot;

use crate::tally::{Counted, Tally};

/// Whose loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Contestant {
    /// kube-runtime's `Controller`, on stores of reflectors
    KubeRuntime,
    /// That of `bowline-control`, in the shell of `bowline-runtime`
    Ours,
}

impl Contestant {
    /// Runs until `stop`.
    pub(crate) async fn run(
        self,
        client: Client,
        workers: u16,
        tally: Arc<Tally>,
        stop: oneshot::Receiver<()>,
    ) -> Result<()> {
        let counted = Counted::by(tally);
        let stop = async {
            // Who asked is gone: that is an end, too.
            let _ = stop.await;
        };
        match self {
            Contestant::Ours => {
                let (workers, metrics) = (usize::from(workers), Metrics::new());
                bowline_e2e_sample::run_as(counted, client, None, workers, None, metrics, stop).await?;
            }
            Contestant::KubeRuntime => peer::run(counted, client, workers, stop).await,
        }
        Ok(())
    }
}
