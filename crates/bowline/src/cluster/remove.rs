//! `bowline cluster remove`.

use bowline_api::updates::Stack;
use bowline_runtime::Manner;
use kube::api::{DeleteParams, ListParams, Preconditions};
use kube::runtime::conditions::is_deleted;
use kube::runtime::wait::await_condition;
use kube::{Api, ResourceExt};

use super::{Patience, clusters, get};
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output;

/// Removes a cluster: Bowline does not act on it any more. An embedded one is gone with all that it holds.
pub(crate) async fn remove(server: &Wanted, name: &str, patience: Patience) -> anyhow::Result<Exit> {
    let client = server.client(Manner::Patiently).await?;
    let cluster = get(&client, name).await?;
    let stacks: Api<Stack> = Api::all(client.clone());
    let stacks =
        stacks.list(&ListParams::default()).await.map_err(|error| failed(error, "cannot list stacks"))?;
    let using = stacks.items.iter().filter(|stack| stack.spec.cluster.as_str() == name);
    let using: Vec<_> = using
        .map(|stack| format!("{}/{}", stack.namespace().unwrap_or_default(), stack.name_any()))
        .collect();
    if !using.is_empty() {
        let what = using.join(", ");
        anyhow::bail!(Refused(format!(
            "{name} is used by stacks: {what}. Delete them first (kubectl delete stack)"
        )));
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
