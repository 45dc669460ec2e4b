//! `bowline join syncer`.

use std::time::Duration;

use anyhow::anyhow;
use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::placements::{SyncTarget, syncer_role};
use bowline_runtime::Manner;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::kubeconfig::{Bearer, given_to};
use super::syncer_rights::SyncerRights;
use crate::connection::{Wanted, failed};
use crate::exit::{BadUsage, Exit, Refused};
use crate::output::{self, Format};
use crate::team::{Team, WRITER, answered};

/// Which syncer joins.
#[derive(Clone, Debug)]
pub(crate) struct Syncer {
    pub(crate) target: String,
    /// How long its token is good for.
    pub(crate) ttl: Duration,
    /// The address of the hub as seen from the cluster.
    pub(crate) server: Option<String>,
}

/// Prints the kubeconfig of a target's syncer.
pub(crate) async fn syncer(server: &Wanted, syncer: &Syncer) -> anyhow::Result<Exit> {
    // What cannot be given to anybody is known before anything is made.
    let (kubeconfig, file) = server.kubeconfig()?.ok_or_else(|| {
        anyhow!(BadUsage(
            "a syncer needs the address of the server, which only a kubeconfig says: give one by --kubeconfig".to_owned()
        ))
    })?;
    let client = bowline_runtime::client_of(kubeconfig.clone(), &file, Manner::Patiently).await;
    let client = client.map_err(|error| anyhow!(BadUsage(error.to_string())))?;
    let team = Team { client, namespace: SYSTEM_NAMESPACE.to_owned() };
    let name = SyncTarget::account_name(&syncer.target);
    let give = |token: String| {
        let bearer =
            Bearer { name: &name, token, namespace: &team.namespace, server: syncer.server.as_deref() };
        given_to(&kubeconfig, bearer)
            .map_err(|why| anyhow!(BadUsage(format!("{file} cannot be used: {why}"))))
    };
    give("none yet".to_owned())?;
    let target = found(&team, &syncer.target).await?;
    let owner =
        target.owner_ref(&()).ok_or_else(|| anyhow!("the server has given {} no uid", target.name_any()))?;
    let rights = SyncerRights { target: &syncer.target, owner };
    allow(&team, &rights).await?;
    let (token, ends) = team.token(&rights.name(), syncer.ttl).await?;
    output::print(&output::document(Format::Yaml, &give(token)?)?)?;
    let target = &syncer.target;
    output::note(&format!(
        "The syncer of {target} may act for it until {ends}. To give it a new kubeconfig, join it again; to take it away: bowline place \
         target remove {target}"
    ));
    Ok(Exit::Done)
}

async fn found(team: &Team, name: &str) -> anyhow::Result<SyncTarget> {
    let targets: Api<SyncTarget> = Api::all(team.client.clone());
    let found = targets.get_opt(name).await.map_err(|error| failed(error, "cannot read the target"))?;
    let Some(found) = found else {
        anyhow::bail!(Refused(format!(
            "there is no target {name}: bowline place target add {name} --cluster CLUSTER"
        )));
    };
    if found.metadata.deletion_timestamp.is_some() {
        anyhow::bail!(Refused(format!("the target {name} is being deleted")));
    }
    Ok(found)
}

/// Makes the account, what it is allowed, and its lease; what is there is put right.
async fn allow(team: &Team, rights: &SyncerRights<'_>) -> anyhow::Result<()> {
    put(&team.of(), &rights.account()).await?;
    put(&Api::all(team.client.clone()), &syncer_role()).await?;
    put(&Api::all(team.client.clone()), &rights.cluster_role()).await?;
    put(&Api::all(team.client.clone()), &rights.cluster_binding()).await?;
    put(&team.of(), &rights.role()).await?;
    put(&team.of(), &rights.binding()).await?;
    let (role, binding) = rights.restores();
    put(&Api::namespaced(team.client.clone(), "kube-system"), &role).await?;
    put(&Api::namespaced(team.client.clone(), "kube-system"), &binding).await?;
    let lease = Lease { metadata: rights.metadata(), spec: None };
    match team.of::<Lease>().create(&PostParams::default(), &lease).await {
        Err(error) if !answered(&error, 409) => Err(failed(error, "cannot make the lease of the syncer")),
        _ => Ok(()),
    }
}

async fn put<K>(api: &Api<K>, object: &K) -> anyhow::Result<()>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    let (name, kind) = (object.name_any(), K::kind(&()));
    let put = api.patch(&name, &PatchParams::apply(WRITER).force(), &Patch::Apply(object)).await;
    put.map(drop).map_err(|error| {
        let also = if answered(&error, 403) {
            ". Who lets syncers join needs what they get: whoever runs the hub has it"
        } else {
            ""
        };
        failed(error, &format!("cannot make the {kind} {name}{also}"))
    })
}
