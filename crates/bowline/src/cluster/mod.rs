//! `bowline cluster`: the clusters that Bowline acts on.

mod add;
mod list;
mod remove;
mod show;

use std::time::Duration;

use bowline_api::conditions::{Condition, ConditionType, Truth};
use bowline_api::updates::Cluster;
use bowline_controllers::HUB_EXPOSED;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{Api, Client, ResourceExt};

pub(crate) use self::add::{Add, add};
pub(crate) use self::list::list;
pub(crate) use self::remove::remove;
pub(crate) use self::show::{allowed, show};
use crate::ago::passed;
use crate::connection::failed;
use crate::exit::Refused;

/// How long to wait for what is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) wait: bool,
    pub(crate) timeout: Duration,
}

fn clusters(client: &Client) -> Api<Cluster> {
    Api::all(client.clone())
}

/// The cluster of a name.
async fn get(client: &Client, name: &str) -> anyhow::Result<Cluster> {
    let found =
        clusters(client).get_opt(name).await.map_err(|error| failed(error, "cannot read the cluster"))?;
    found.ok_or_else(|| {
        anyhow::anyhow!(Refused(format!("there is no cluster {name}: see `bowline cluster list`")))
    })
}

/// How a cluster stands: ready or not, or nobody has looked at it as it is wanted now; why, and since when.
struct Standing {
    ready: Option<bool>,
    why: String,
    since: Option<Time>,
}

impl Standing {
    fn of(cluster: &Cluster) -> Standing {
        let is_now = |ready: &&Condition| ready.observed_generation == cluster.metadata.generation;
        match ready(cluster).filter(is_now) {
            Some(ready) => Standing::told(ready),
            None => {
                let why = "nobody has looked at it yet: do the controllers run?";
                Standing { ready: None, why: why.into(), since: None }
            }
        }
    }

    /// How it stood when somebody looked last, whatever was wanted of it then.
    fn before(cluster: &Cluster) -> Option<Standing> {
        ready(cluster).map(Standing::told)
    }

    fn told(ready: &Condition) -> Standing {
        Standing {
            ready: Some(ready.status == Truth::True),
            why: ready.message.clone(),
            since: Some(ready.last_transition_time.clone()),
        }
    }

    fn word(&self) -> &'static str {
        match self.ready {
            Some(true) => "ready",
            Some(false) => "not ready",
            None => "unknown",
        }
    }
}

fn ready(cluster: &Cluster) -> Option<&Condition> {
    cluster.status.as_ref()?.conditions.get(&ConditionType::READY)
}

/// Why a cluster cannot be used now, if that is known.
pub(crate) fn trouble(cluster: &Cluster) -> Option<String> {
    let standing = Standing::of(cluster);
    (standing.ready == Some(false)).then_some(standing.why)
}

/// Why a cluster rejects all that is submitted to it, and what to do, if it is the hub itself and does not name who may.
pub(crate) fn exposed(cluster: &Cluster) -> Option<String> {
    let is_exposed = ready(cluster).is_some_and(|ready| {
        ready.reason == HUB_EXPOSED && ready.observed_generation == cluster.metadata.generation
    });
    is_exposed.then(|| {
        format!(
            "it is this hub itself, or cannot be told from it, and does not name the namespaces that may use it: all that is submitted to it is rejected. An \
             administrator of the hub can name them: bowline cluster add {} --kubeconfig FILE --allow NAMESPACE",
            cluster.name_any()
        )
    })
}

/// How a cluster is reached, in a word.
fn way(cluster: &Cluster) -> &'static str {
    if cluster.spec.embedded.is_some() { "embedded, simulated" } else { "kubeconfig" }
}

/// How old a cluster is.
fn age(cluster: &Cluster) -> String {
    cluster.creation_timestamp().as_ref().map(passed).unwrap_or_default()
}
