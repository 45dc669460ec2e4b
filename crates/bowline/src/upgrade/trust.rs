//! `bowline upgrade trust`: what is seen of leases is so, although more than half of them lapsed together.

use std::time::Duration;

use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::conditions::ConditionType;
use bowline_api::upgrades::{Member, NodeGroup};
use bowline_controllers::LEASE;
use bowline_runtime::Manner;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::command::fresh;
use super::follow::Patience;
use super::said;
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output;
use crate::team::WRITER;

/// How soon it is looked again whether the hub has heard it.
const AGAIN: Duration = Duration::from_millis(250);

/// Says that the hub may trust itself, and waits until it does.
pub(crate) async fn trust(server: &Wanted, patience: &Patience) -> anyhow::Result<Exit> {
    let client = server.client(Manner::Patiently).await?;
    let doubts = in_doubt(&client).await?;
    if doubts.is_empty() {
        anyhow::bail!(Refused(
            "the hub does not suspect itself: no group has the condition HubSuspect. Who is lost is named by `bowline upgrade \
             status GROUP`"
                .to_owned()
        ));
    }
    say(&client).await?;
    patience.note(&format!(
        "It is said. Of nodes that are silent, what they had is given to others: {}",
        doubts.join(", ")
    ));
    let heard = async {
        while !in_doubt(&client).await?.is_empty() {
            tokio::time::sleep(AGAIN).await;
        }
        Ok::<_, anyhow::Error>(Exit::Done)
    };
    match tokio::time::timeout(patience.timeout, heard).await {
        Ok(exit) => exit,
        Err(_) => {
            let seconds = patience.timeout.as_secs();
            output::note(&format!(
                "The hub suspects itself still, after {seconds} s. Do its controllers run? If they have begun anew, say it again."
            ));
            Ok(Exit::NotFinished)
        }
    }
}

/// The groups that say that the hub suspects itself.
async fn in_doubt(client: &Client) -> anyhow::Result<Vec<String>> {
    let groups: Api<NodeGroup> = Api::all(client.clone());
    let found = groups.list(&ListParams::default()).await;
    let found = found.map_err(|error| failed(error, "cannot list the groups of all namespaces"))?;
    let doubts = |group: &&NodeGroup| said(group).conditions.is_true(&ConditionType::HUB_SUSPECT);
    let name = |group: &NodeGroup| format!("{}/{}", group.namespace().unwrap_or_default(), group.name_any());
    Ok(found.items.iter().filter(doubts).map(name).collect())
}

async fn say(client: &Client) -> anyhow::Result<()> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    let word = json!({ "metadata": { "annotations": { (Member::TRUSTED): fresh()? } } });
    let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
    let said = leases.patch(LEASE, &params, &Patch::Merge(word)).await;
    said.map(drop)
        .map_err(|error| failed(error, &format!("cannot annotate the Lease {LEASE} in {SYSTEM_NAMESPACE}")))
}
