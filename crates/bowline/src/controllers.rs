//! `bowline controllers`: the controllers alone, against any Kubernetes API server.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use bowline_controllers::{Cloud, Setup, System};
use bowline_runtime::{Identity, InstallError, Journal, Manner, Metrics};
use kube::Client;
use tokio::sync::watch;

use crate::connection::Wanted;
use crate::exit::{Exit, NoConnection, Refused};
use crate::listener;
use crate::output;
use crate::service::{self, Signals, listed, status_of};

/// How long a server may take to be prepared, before it is taken to be out of reach.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the controllers are run.
pub(crate) struct Wish {
    pub(crate) server: Wanted,
    pub(crate) only: Vec<System>,
    pub(crate) listen: SocketAddr,
    pub(crate) journal: Option<PathBuf>,
    pub(crate) updates_at_once: NonZeroUsize,
    pub(crate) fence_hooks: Option<PathBuf>,
    pub(crate) cloud: Option<Cloud>,
}

/// Runs the controllers until somebody wants them to end.
pub(crate) fn run(wish: &Wish) -> anyhow::Result<Exit> {
    service::block_on(serve(wish))
}

async fn serve(wish: &Wish) -> anyhow::Result<Exit> {
    let mut signals = Signals::new()?;
    let prepared = async {
        let client = wish.server.client(Manner::Once).await?;
        let Ok(done) = tokio::time::timeout(PATIENCE, prepare(&client)).await else {
            let seconds = PATIENCE.as_secs();
            return Err(anyhow!(NoConnection(format!("the server does not answer within {seconds} s"))));
        };
        done?;
        let cloud = service::connect(wish.cloud.as_ref(), &client).await?;
        anyhow::Ok((client, cloud))
    };
    let (client, cloud) = tokio::select! {
        prepared = prepared => prepared?,
        ended = signals.next() => return Ok(service::ended_early(ended)),
    };
    let metrics = Metrics::new();
    let health = listener::serve(wish.listen, metrics.clone()).await?;
    let journal = wish.journal.as_ref().map(Journal::open).transpose();
    // Its one sentence has the cause in it.
    let journal = journal.map_err(|error| anyhow!("{error}"))?.map(Arc::new);
    let systems = if wish.only.is_empty() { System::ALL.to_vec() } else { wish.only.clone() };
    let (stop, stopped) = watch::channel(false);
    let identity = Identity::Run(identity());
    let setup = Setup {
        client,
        embed: None,
        identity,
        journal,
        metrics,
        roles: Vec::new(),
        updates_at_once: wish.updates_at_once,
        cloud,
        fence_hooks: wish.fence_hooks.clone(),
    };
    let said = listed(&systems);
    let mut running = tokio::spawn(async move { bowline_controllers::run(setup, &systems, stopped).await });
    output::note(&format!(
        "The controllers run: {said}. Counts and health are at http://{health}/metrics, /livez and /readyz. Ctrl-C \
         ends them."
    ));
    tokio::select! {
        ended = signals.next() => {
            output::note(&format!("{ended}: what is under way ends; once more, and it ends at once."));
        }
        ended = &mut running => {
            return Err(service::ended(ended));
        }
    }
    stop.send_replace(true);
    tokio::select! {
        ended = running => ended.context("the controllers have ended badly")?.context("the controllers have ended badly")?,
        again = signals.next() => service::ends_at_once(again),
    }
    Ok(Exit::Done)
}

/// What people know this process by: the machine that it runs on, which in a cluster is the pod.
fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    if host.is_empty() { "bowline".into() } else { host.into() }
}

/// Puts on the server what the controllers need there. Who may not do that, may find it there.
async fn prepare(client: &Client) -> anyhow::Result<()> {
    let crds = bowline_api::crds();
    if runs_its_own(client).await {
        return Err(anyhow!(Refused(
            "this hub runs its controllers itself: it was started by `bowline up`. Use `bowline hub` to run them apart".into()
        )));
    }
    match bowline_runtime::install(client, &crds).await {
        Ok(()) => {}
        Err(error) if is_forbidden(&error) => {
            let served = bowline_runtime::served(client, &crds);
            let served = tokio::time::timeout(Duration::from_secs(10), served).await;
            if !matches!(served, Ok(Ok(()))) {
                return Err(anyhow!(Refused(format!(
                    "{error}. Have somebody install them who may: bowline crds | kubectl apply -f -"
                ))));
            }
            output::note(
                "The definitions of Bowline's kinds are there, and are left as they are: we may not change them.",
            );
        }
        Err(error) => return Err(failed(&error)),
    }
    Ok(())
}

/// Whether the server is a hub that has its controllers with it: their embedded clusters would not be started by us.
async fn runs_its_own(client: &Client) -> bool {
    let Ok(request) = http::Request::get("/readyz?verbose").body(Vec::new()) else { return false };
    let said = match client.request_text(request).await {
        Ok(said) => said,
        // It has them also while they are not ready.
        Err(kube::Error::Api(status)) => status.message.clone(),
        Err(_) => return false,
    };
    said.contains("]controllers ")
}

fn is_forbidden(error: &InstallError) -> bool {
    status_of(error) == Some(403)
}

fn failed(error: &InstallError) -> anyhow::Error {
    match status_of(error) {
        Some(401 | 403) => anyhow!(Refused(error.to_string())),
        Some(_) => anyhow!("{error}"),
        None => anyhow!(NoConnection(format!(
            "the server cannot be reached: {}",
            bowline_runtime::sentence(error)
        ))),
    }
}
