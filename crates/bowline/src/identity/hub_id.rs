//! What a hub is known by in AWS: the tags of all that it has made there say it.

use anyhow::anyhow;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client};

use crate::connection::failed;
use crate::exit::Refused;

/// The namespace that a server is known by: every server has it, and no two have it with the same uid.
const KNOWN_BY: &str = "kube-system";

/// What a hub is known by.
pub(super) async fn hub_id(client: &Client) -> anyhow::Result<String> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let found = namespaces.get_metadata_opt(KNOWN_BY).await;
    let found = found.map_err(|error| failed(error, "cannot read by what the hub is known in AWS"))?;
    found.and_then(|found| found.metadata.uid).ok_or_else(|| {
        anyhow!(Refused(format!(
            "the server has no namespace {KNOWN_BY}, by whose uid it is known in AWS: is it a hub?"
        )))
    })
}
