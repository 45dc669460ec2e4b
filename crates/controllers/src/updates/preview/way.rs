//! The way to a cluster for one who is not the hub: the credentials that Bowline has for it, if they can be read from here.

use std::path::Path;

use bowline_api::updates::Cluster;
use kube::{Client, ResourceExt};

use super::super::target::Targets;
use super::super::unseen::Unseen;

/// A client for a cluster.
///
/// # Errors
/// If its credentials cannot be read here, or used.
pub(super) async fn to(targets: &Targets, cluster: &Cluster) -> Result<Client, Unseen> {
    let name = cluster.name_any();
    if cluster.spec.kubeconfig_secret_ref.is_some() {
        return targets.reach(&name).await.map(|known| known.client);
    }
    let endpoint = cluster.status.as_ref().and_then(|status| status.endpoint.as_ref());
    let Some(file) = endpoint.and_then(|endpoint| endpoint.kubeconfig.as_deref()) else {
        return Err(Unseen::Wrong(format!(
            "the cluster {name} runs inside the hub, and has not been started there yet: see `bowline cluster show {name}`"
        )));
    };
    // It is the hub that says which file: a program that it named would run with the rights of whoever asks.
    let read = tokio::fs::read_to_string(Path::new(file)).await.map_err(|error| {
        Unseen::Wrong(format!(
            "the cluster {name} runs inside the hub, and its kubeconfig {file} cannot be read here ({error})"
        ))
    })?;
    let client = super::super::target::client(&read).await;
    client.map_err(|why| {
        Unseen::Wrong(format!("the kubeconfig {file} of the cluster {name} cannot be used: {why}"))
    })
}
