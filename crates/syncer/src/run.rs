//! The loop: what has changed is read, what is decided is done, and then it is waited for what changes next.

mod state;
mod turn;

use std::time::Duration;

use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::placements::SyncTarget;
use bowline_control::lease::{Epoch, Settings};
use bowline_runtime::{Election, Forbidden, Herald, Identity, Metrics, elect};
use kube::Client;

use crate::acts::Hands;
use crate::asks::{Server, get, list};
use crate::bells;
use crate::hub::{Hub, resource};
use crate::kinds::namespaces;
use crate::marks::MANAGER;
use crate::memory::{HOME, Memory};
use crate::run::state::Syncer;
use crate::site::Cluster;
use crate::told::Teller;

/// How long it is waited before a cluster is asked again that did not answer at first.
const AGAIN: Duration = Duration::from_secs(1);

/// Which target, and how both ends are reached.
pub struct Setup {
    /// The hub, as the syncer of the target.
    pub hub: Client,
    /// The cluster, as one who may do everything there.
    pub cluster: Client,
    /// The name of the SyncTarget.
    pub target: String,
    /// How long the lease lasts.
    pub lease: Settings,
    /// Where people are told what is done.
    pub say: Box<dyn Fn(&str) + Send + Sync>,
}

/// Why a syncer does not run.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The hub has no such target.
    #[error("the hub has no target {0}: bowline place target add {0} --cluster CLUSTER")]
    Unknown(String),
    /// The hub does not take it for the syncer of this target.
    #[error("{why}. `bowline join syncer {target}` prints a kubeconfig for its syncer")]
    NotHis {
        /// The target.
        target: String,
        /// What the hub says.
        why: String,
    },
    /// The cluster refuses what a syncer needs.
    #[error("the cluster refuses what a syncer needs: {0}. It has to be its administrator there")]
    Refused(String),
}

/// Runs the syncer of a target until `stop`. What runs in the cluster goes on then.
///
/// # Errors
/// If the hub or the cluster say that it is not to run. A server that does not answer is waited for.
pub async fn run(setup: Setup, stop: impl Future<Output = ()> + Send) -> Result<(), Stopped> {
    let Setup { hub, cluster, target, lease, say } = setup;
    let hub = Hub { server: Server::new(hub), target: target.clone() };
    greet(&hub, &say).await?;
    let server = Server::new(cluster);
    let memory = Memory::new(server.clone(), &target);
    let cluster = Cluster { server, memory, target: target.clone() };
    let mut stop = std::pin::pin!(stop);
    tokio::select! {
        prepared = prepare(&cluster, &say) => prepared?,
        () = &mut stop => return Ok(()),
    }
    let election = Election {
        client: hub.server.client().clone(),
        namespace: SYSTEM_NAMESPACE.to_owned(),
        name: SyncTarget::account_name(&target),
        identity: Identity::Run(target.clone()),
        settings: lease,
        floor: Epoch::default(),
        metrics: Metrics::new(),
    };
    // It is given back when nobody acts any more: the next one need not wait then.
    let (ended, ends) = tokio::sync::oneshot::channel::<()>();
    let (leader, election) = elect(election, async move { drop(ends.await) });
    let election = tokio::spawn(election);
    let (send, news) = tokio::sync::mpsc::unbounded_channel();
    let watches = (bells::of_hub(&hub, &send), bells::of_cluster(&cluster, &send));
    let (herald, sending) =
        Herald::new(hub.server.client().clone(), format!("{MANAGER}-{target}"), Forbidden::Passed);
    let mut syncer = Syncer::new(Hands { hub, cluster }, leader, send, Teller::new(herald, say));
    tokio::select! {
        () = syncer.run(news) => {}
        () = &mut stop => {}
    }
    drop((syncer, watches, ended));
    sending.abort();
    let given_back = tokio::time::timeout(AGAIN, election).await;
    if given_back.is_err() {
        tracing::debug!("the lease is left to lapse");
    }
    Ok(())
}

/// Sees that there is such a target, and that it may be read as its syncer. A hub that is away is waited for later.
async fn greet(hub: &Hub, say: &(dyn Fn(&str) + Send + Sync)) -> Result<(), Stopped> {
    let targets = hub.server.all(&resource(bowline_placements::Kind::Target));
    let asked = tokio::time::timeout(bowline_runtime::REQUEST, targets.get_opt(&hub.target)).await;
    let target = hub.target.clone();
    match asked {
        Ok(Ok(Some(_))) => {}
        Ok(Ok(None)) => return Err(Stopped::Unknown(target)),
        // It knows no targets at all.
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => return Err(Stopped::Unknown(target)),
        Ok(Err(kube::Error::Api(status))) if status.code == 401 || status.code == 403 => {
            let why = format!(
                "this kubeconfig is not that of the syncer of {target}, or not any more: {}",
                status.message
            );
            return Err(Stopped::NotHis { target, why });
        }
        Ok(Err(error)) => {
            say(&format!(
                "The hub does not answer, and is asked again: {}.",
                bowline_runtime::sentence(&error)
            ));
        }
        Err(_) => say("The hub does not answer, and is asked again."),
    }
    Ok(())
}

/// Makes what a syncer needs in the cluster. One that does not answer is waited for: what runs there cannot be known without it.
async fn prepare(cluster: &Cluster, say: &(dyn Fn(&str) + Send + Sync)) -> Result<(), Stopped> {
    let mut told = None;
    loop {
        let spaces = cluster.server.all(&namespaces());
        match tokio::time::timeout(bowline_runtime::REQUEST, spaces.get_opt(HOME)).await {
            Ok(Err(kube::Error::Api(status))) if status.code == 401 || status.code == 403 => {
                return Err(Stopped::Refused(status.message.clone()));
            }
            _ => {}
        }
        let prepared = async {
            cluster.memory.prepare().await?;
            // Who may not see what is there would take it for nothing.
            get(&spaces, HOME).await?;
            list(&cluster.server.all(&crate::kinds::volumes()), "bowline.dev/target=").await.map(drop)
        };
        let Err(why) = prepared.await else { return Ok(()) };
        let words = format!("{why:?}");
        if told.as_ref() != Some(&words) {
            say(&format!("The cluster does not answer, and is asked again: {words}."));
            told = Some(words);
        }
        tokio::time::sleep(AGAIN).await;
    }
}
