//! `bowline up`: the hub and the controllers in one process.

mod embedded;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use bowline_api::updates::Cluster;
use bowline_apiserver::{Config, Guest, Server};
use bowline_controllers::{Cloud, Setup, System};
use bowline_runtime::{Identity, InstallError, Journal, Metrics};
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::embedded::{Embedded, client};
use crate::exit::Exit;
use crate::output;
use crate::service::{self, Signals};

/// What the controllers may do.
pub(crate) struct Means {
    pub(crate) updates_at_once: NonZeroUsize,
    /// The directory of the programs that fence targets, if there are any.
    pub(crate) fence_hooks: Option<PathBuf>,
}

/// Runs hub and controllers until somebody wants them to end.
pub(crate) fn run(config: Config, means: Means, cloud: Option<Cloud>) -> anyhow::Result<Exit> {
    service::block_on(async {
        // Who is told that it listens may end it at once.
        let mut signals = Signals::new()?;
        let metrics = Metrics::new();
        let guest = Arc::new(Controllers { metrics: metrics.clone() });
        let data = config.data.clone();
        let config = Config { guest: Some(guest), ..config };
        let starting = async {
            let server = service::start(config).await?;
            Hub::start(server, &data, metrics, means, cloud.as_ref()).await
        };
        let hub = tokio::select! {
            hub = starting => hub?,
            ended = signals.next() => return Ok(service::ended_early(ended)),
        };
        hub.greet();
        hub.until(&mut signals).await
    })
}

/// The controllers, as the hub sees them.
#[derive(Debug)]
struct Controllers {
    metrics: Metrics,
}

impl Guest for Controllers {
    fn name(&self) -> &'static str {
        "controllers"
    }

    fn metrics(&self, out: &mut String) {
        // Text that is written to memory does not fail.
        let _ = self.metrics.write(out);
    }

    fn ready(&self) -> Result<(), String> {
        self.metrics.ready()
    }
}

/// Who this process is to other controllers of this hub.
const ME: &str = "up";

/// A hub whose controllers run.
struct Hub {
    server: Server,
    /// Who leads the controllers of this hub, if it is somebody else.
    other: Option<String>,
    journal: PathBuf,
    embedded: Arc<Embedded>,
    stop: watch::Sender<bool>,
    controllers: JoinHandle<Result<(), InstallError>>,
}

impl Hub {
    async fn start(
        server: Server,
        data: &Path,
        metrics: Metrics,
        means: Means,
        cloud: Option<&Cloud>,
    ) -> anyhow::Result<Hub> {
        let client = client(&server);
        let cloud = service::connect(cloud, &client).await?;
        bowline_runtime::install(&client, &bowline_api::crds()).await?;
        let roles = bowline_api::cluster_roles();
        bowline_runtime::apply(&client, &roles).await?;
        let journal = data.join("journal.jsonl");
        // Others are told where it is, wherever they are.
        let data = std::path::absolute(data).context("cannot tell where the data is")?;
        let embedded = Arc::new(Embedded::new(data.join("clusters")));
        let clusters: Api<Cluster> = Api::all(client.clone());
        let clusters =
            clusters.list_metadata(&ListParams::default()).await.context("cannot list clusters")?;
        let there = clusters.items.iter().filter_map(ResourceExt::uid).collect();
        embedded.sweep(&there);
        let held = bowline_controllers::held(&client).await.context("cannot tell who leads")?;
        let other = held.map(|held| held.holder).filter(|holder| holder != ME);
        let setup = Setup {
            client,
            embed: Some(Arc::clone(&embedded) as _),
            // The lock on the hub's file lets nobody else be this, and what this process asked of the hub ends with it.
            identity: Identity::Exclusive(ME.into()),
            journal: Some(Arc::new(Journal::open(&journal).map_err(|error| anyhow!("{error}"))?)),
            metrics,
            roles,
            updates_at_once: means.updates_at_once,
            cloud,
            fence_hooks: means.fence_hooks,
        };
        let (stop, stopped) = watch::channel(false);
        let controllers = tokio::spawn(bowline_controllers::run(setup, &System::ALL, stopped));
        Ok(Hub { server, other, journal, embedded, stop, controllers })
    }

    fn greet(&self) {
        let bowline = std::env::args().next().unwrap_or("bowline".into());
        let systems = service::listed(&System::ALL);
        let controllers = match &self.other {
            None => format!("Its controllers run: {systems}."),
            Some(other) => format!(
                "Its controllers ({systems}) wait: {other} leads. Is it another `bowline controllers` on this hub? End it; \
                 /readyz says when they run."
            ),
        };
        output::note(&format!(
            "Bowline listens on {url}. {controllers}\n\n  \
             export KUBECONFIG={kubeconfig}\n  \
             {bowline} cluster add toy --embedded    # a cluster to try things on\n  \
             kubectl get clusters\n\n\
             Counts are at {url}/metrics, decisions in {journal}. Ctrl-C ends it.\n",
            url = self.server.url(),
            kubeconfig = self.server.kubeconfig().display(),
            journal = self.journal.display(),
        ));
    }

    /// Runs until it is told to end, and ends in order; if it is told again, at once.
    async fn until(mut self, signals: &mut Signals) -> anyhow::Result<Exit> {
        tokio::select! {
            ended = signals.next() => {
                output::note(&format!("{ended}: what is under way ends; once more, and it ends at once."));
            }
            ended = &mut self.controllers => {
                return Err(service::ended(ended));
            }
        }
        let ending = async move {
            self.stop.send_replace(true);
            // Those that panicked have ended, too.
            let _ = self.controllers.await;
            self.embedded.stop_all().await;
            self.server.stop().await;
        };
        tokio::select! {
            () = ending => {}
            again = signals.next() => service::ends_at_once(again),
        }
        Ok(Exit::Done)
    }
}
