//! Which namespace of which server a command is about: a team's.

use anyhow::anyhow;
use bowline_runtime::Manner;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client};

use crate::connection::{Wanted, failed};
use crate::exit::Refused;

/// By which name servers know that a field was written by this.
pub(crate) const WRITER: &str = "bowline-cli";

/// Which server, and which namespace there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) server: Wanted,
    /// Without one, that of the kubeconfig.
    pub(crate) namespace: Option<String>,
}

/// A namespace of the hub: a team's.
pub(crate) struct Team {
    pub(crate) client: Client,
    pub(crate) namespace: String,
}

impl Scope {
    /// The namespace that is meant, which is there.
    pub(crate) async fn team(&self) -> anyhow::Result<Team> {
        let team = self.perhaps_team().await?;
        team.is_there().await?;
        Ok(team)
    }

    /// The namespace that is meant, for who asks nothing of it, or asks after what is gone.
    pub(crate) async fn perhaps_team(&self) -> anyhow::Result<Team> {
        let client = self.server.client(Manner::Patiently).await?;
        let namespace = self.namespace.clone().unwrap_or_else(|| client.default_namespace().to_owned());
        Ok(Team { client, namespace })
    }
}

impl Team {
    /// Refuses a namespace that is not there: whatever is listed in one is empty, and nothing says why. Who may not see
    /// namespaces is told by the server what else they may not.
    pub(crate) async fn is_there(&self) -> anyhow::Result<()> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let name = &self.namespace;
        match namespaces.get_metadata_opt(name).await {
            Ok(None) => Err(anyhow!(Refused(format!(
                "the hub has no namespace {name}: say another one (-n), or make it, with the hub's kubeconfig: kubectl create \
                 namespace {name}"
            )))),
            Err(error) if !answered(&error, 403) => Err(failed(error, "cannot read the namespace")),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }

    /// What was told of an object as it happened. Events are for people, and best effort: without them the rest is shown.
    pub(crate) async fn events_of(&self, uid: Option<String>) -> Vec<Event> {
        let events: Api<Event> = Api::namespaced(self.client.clone(), &self.namespace);
        let Ok(found) = events.list(&ListParams::default()).await else { return Vec::new() };
        let of_it = |event: &Event| {
            event.regarding.as_ref().is_some_and(|regarding| regarding.uid.is_some() && regarding.uid == uid)
        };
        found.items.into_iter().filter(of_it).collect()
    }
}

/// Whether a request was answered with this code.
pub(crate) fn answered(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}
