//! Whether a namespace may use a cluster, as far as can be seen from here: whoever may not see it is told by the controller.

use std::collections::BTreeMap;

use bowline_api::updates::{AllowedNamespaces, Cluster};
use k8s_openapi::api::core::v1::Namespace;
use kube::core::{Selector, SelectorExt};
use kube::{Api, Resource, ResourceExt};

use super::{Team, answered};
use crate::cluster;
use crate::connection::failed;
use crate::exit::Refused;
use crate::output;

impl Team {
    /// Refuses a cluster that is not there, is being removed, or is not for this namespace.
    pub(super) async fn may_use(&self, name: &str) -> anyhow::Result<()> {
        let clusters: Api<Cluster> = Api::all(self.client.clone());
        let cluster = match clusters.get_opt(name).await {
            Ok(Some(cluster)) => cluster,
            Ok(None) => {
                anyhow::bail!(Refused(format!("there is no cluster {name}: see `bowline cluster list`")))
            }
            Err(error) if answered(&error, 403) => return Ok(()),
            Err(error) => return Err(failed(error, "cannot read the cluster")),
        };
        if cluster.meta().deletion_timestamp.is_some() {
            anyhow::bail!(Refused(format!("the cluster {name} is being removed")));
        }
        if !self.is_allowed(cluster.spec.allowed_namespaces.as_ref()).await? {
            let who = cluster::allowed(cluster.spec.allowed_namespaces.as_ref());
            anyhow::bail!(Refused(format!(
                "the namespace {} may not use the cluster {name}: {who} may. Submit from another namespace (-n), or have \
                 whoever runs the hub allow it (allowedNamespaces of the Cluster)",
                self.namespace
            )));
        }
        if let Some(why) = cluster::trouble(&cluster) {
            output::note(&format!(
                "The cluster {name} is not ready: {why}. What is submitted waits until it is: see `bowline cluster show \
                 {name}`."
            ));
        }
        if cluster.spec.paused {
            output::note(&format!(
                "The cluster {name} is paused: nothing is started there until it is resumed."
            ));
        }
        Ok(())
    }

    async fn is_allowed(&self, allowed: Option<&AllowedNamespaces>) -> anyhow::Result<bool> {
        let Some(allowed) = allowed else { return Ok(false) };
        if !allowed.names.is_empty() {
            return Ok(allowed.names.iter().any(|name| name.as_str() == self.namespace));
        }
        let Some(selector) = &allowed.selector else { return Ok(false) };
        let selector = Selector::try_from(selector.clone())?;
        if selector.selects_all() {
            return Ok(true);
        }
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        match namespaces.get_opt(&self.namespace).await {
            Ok(found) => {
                let labels: BTreeMap<String, String> =
                    found.map(|namespace| namespace.labels().clone()).unwrap_or_default();
                Ok(selector.matches(&labels))
            }
            Err(error) if answered(&error, 403) => Ok(true),
            Err(error) => Err(failed(error, "cannot read the namespace")),
        }
    }
}
