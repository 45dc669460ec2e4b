//! The small controller as a process: `bowline-e2e-sample KUBECONFIG [JOURNAL] [--term SECONDS] [--exclusive NAME]`. It
//! installs its kinds, and drains on SIGTERM. With a term it acts only while it leads; with a name, as one who is exclusive.

use std::path::Path;

use anyhow::Context;
use bowline_control::Millis;
use bowline_control::lease::{Epoch, Settings};
use bowline_runtime::{Election, Identity, Metrics};
use futures::FutureExt;
use tokio::signal::unix::{SignalKind, signal};

/// The lease, and where it is.
const NAMESPACE: &str = "bowline-system";
const LEASE: &str = "pairs";

/// What is asked for.
#[derive(Default)]
struct Wish {
    kubeconfig: Option<String>,
    journal: Option<String>,
    /// In seconds.
    term: Option<u64>,
    exclusive: Option<String>,
}

impl Wish {
    fn read(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Wish> {
        let mut wish = Wish::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--term" => wish.term = Some(arguments.next().context("how many seconds?")?.parse()?),
                "--exclusive" => wish.exclusive = Some(arguments.next().context("which name?")?),
                _ if wish.kubeconfig.is_none() => wish.kubeconfig = Some(argument),
                _ if wish.journal.is_none() => wish.journal = Some(argument),
                _ => anyhow::bail!("what is {argument}?"),
            }
        }
        Ok(wish)
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let wish = Wish::read(std::env::args().skip(1))?;
    let kubeconfig = wish.kubeconfig.context("which kubeconfig?")?;
    let journal = wish.journal.as_deref().map(Path::new);
    let client = bowline_runtime::client(Path::new(&kubeconfig), None).await?;
    bowline_runtime::install(&client, &bowline_e2e_sample::crds()).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let stop = async move {
        terminate.recv().await;
    };
    let stop = stop.boxed().shared();
    let metrics = Metrics::new();
    let Some(term) = wish.term else {
        bowline_e2e_sample::run(client, 8, journal, metrics, stop).await?;
        return Ok(());
    };
    bowline_runtime::establish(&client, NAMESPACE, LEASE).await?;
    let election = Election {
        client: client.clone(),
        namespace: NAMESPACE.into(),
        name: LEASE.into(),
        identity: wish.exclusive.map_or_else(|| Identity::Run("sample".into()), Identity::Exclusive),
        settings: Settings::for_term(Millis(term.saturating_mul(1000)))?,
        floor: Epoch::default(),
        metrics: metrics.clone(),
    };
    let (leader, election) = bowline_runtime::elect(election, stop.clone());
    let driven = bowline_e2e_sample::run_led(client, Some(leader), 8, journal, metrics, stop);
    let (driven, ()) = tokio::join!(driven, election);
    driven?;
    Ok(())
}
