//! `bowline cluster remove`.

use bowline_api::identities::IamRoleServiceAccount;
use bowline_api::placements::SyncTarget;
use bowline_api::updates::Stack;
use bowline_api::upgrades::NodeGroup;
use bowline_runtime::Manner;
use kube::api::{DeleteParams, ListParams, Preconditions};
use kube::runtime::conditions::is_deleted;
use kube::runtime::wait::await_condition;
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;

use super::{Patience, clusters, get};
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output;

/// Removes a cluster: Bowline does not act on it any more. An embedded one is gone with all that it holds.
pub(crate) async fn remove(
    server: &Wanted,
    name: &str,
    force: bool,
    patience: Patience,
) -> anyhow::Result<Exit> {
    let client = server.client(Manner::Patiently).await?;
    let cluster = get(&client, name).await?;
    let used = users(&client, name).await?;
    let what = used.join("; ");
    match (used.is_empty(), force) {
        (true, _) => {}
        (false, true) => {
            let becomes = match cluster.spec.embedded {
                Some(_) => "goes with it",
                None => "stays there",
            };
            output::note(&format!("{name} is used: {what}. What they have put there {becomes}."));
        }
        (false, false) => anyhow::bail!(Refused(format!(
            "{name} is used: {what}. Delete them first, or have them use another; --force removes it all the same"
        ))),
    }
    let uid = cluster.uid().unwrap_or_default();
    let this = Preconditions { uid: Some(uid.clone()), resource_version: None };
    let deleted = clusters(&client).delete(name, &DeleteParams::default().preconditions(this)).await;
    deleted.map_err(|error| failed(error, "cannot remove the cluster"))?;
    if !patience.wait {
        output::note(&format!("The cluster {name} is being removed."));
        return Ok(Exit::Done);
    }
    let gone = await_condition(clusters(&client), name, is_deleted(&uid));
    match tokio::time::timeout(patience.timeout, gone).await {
        Ok(Ok(_)) => {
            output::note(&format!("The cluster {name} is removed."));
            Ok(Exit::Done)
        }
        Ok(Err(error)) => Err(anyhow::anyhow!("cannot watch the cluster: {error}")),
        Err(_) => {
            output::note(&format!(
                "The cluster {name} is not gone within {} s; it goes when it can: see `bowline cluster show {name}`.",
                patience.timeout.as_secs()
            ));
            Ok(Exit::NotFinished)
        }
    }
}

/// All that names a cluster, by kind.
async fn users(client: &Client, cluster: &str) -> anyhow::Result<Vec<String>> {
    let used = [
        using(client, |stack: &Stack| stack.spec.cluster.as_str() == cluster).await?,
        using(client, |group: &NodeGroup| {
            group.spec.cluster.as_ref().is_some_and(|on| on.as_str() == cluster)
        })
        .await?,
        using(client, |target: &SyncTarget| target.spec.cluster.as_str() == cluster).await?,
        using(client, |identity: &IamRoleServiceAccount| {
            identity.spec.clusters.iter().any(|there| there.as_str() == cluster)
        })
        .await?,
    ];
    Ok(used.into_iter().flatten().collect())
}

/// The objects of a kind that do, in a phrase; `None` if there are none.
async fn using<K>(client: &Client, does: impl Fn(&K) -> bool) -> anyhow::Result<Option<String>>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    let plural = K::plural(&());
    let all = Api::<K>::all(client.clone()).list(&ListParams::default()).await;
    let all = all.map_err(|error| failed(error, &format!("cannot list {plural}")))?;
    let named = |object: &K| match object.namespace() {
        Some(namespace) => format!("{namespace}/{}", object.name_any()),
        None => object.name_any(),
    };
    let names: Vec<_> = all.items.iter().filter(|object| does(object)).map(named).collect();
    Ok((!names.is_empty()).then(|| format!("{plural} {}", names.join(", "))))
}
