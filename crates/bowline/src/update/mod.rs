//! `bowline update`: versions of a cluster's configuration.

mod allowed;
mod content;
mod diff;
mod follow;
mod foresee;
mod list;
mod meter;
mod named;
mod plan;
mod release;
mod rollback;
mod settings;
mod show;
mod stacks;
mod submit;
mod unlock;
mod watch;

use std::path::Path;

use anyhow::anyhow;
use bowline_api::updates::{Bundle, Stack, Update, UpdatePhase, UpdateStatus};
use bowline_runtime::Manner;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{Api, Client, ResourceExt};

pub(crate) use self::diff::diff;
pub(crate) use self::follow::Following;
pub(crate) use self::foresee::Question;
pub(crate) use self::list::{Which, list};
pub(crate) use self::named::Named;
pub(crate) use self::plan::plan;
pub(crate) use self::release::release;
pub(crate) use self::rollback::{Line, rollback};
pub(crate) use self::settings::{Settings, set};
pub(crate) use self::show::show;
pub(crate) use self::stacks::pause;
pub(crate) use self::submit::{Submission, submit};
pub(crate) use self::unlock::unlock;
pub(crate) use self::watch::watch;
use crate::connection::{Wanted, failed};
use crate::exit::Refused;

/// By which name servers know that a field was written by this.
const WRITER: &str = "bowline-cli";

/// How often a write is tried again that somebody else was faster with.
const TRIES: usize = 8;

/// Which server, and which namespace there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) server: Wanted,
    /// Without one, that of the kubeconfig.
    pub(crate) namespace: Option<String>,
}

/// A namespace of the hub: a team's.
struct Team {
    client: Client,
    namespace: String,
}

impl Scope {
    /// What to type for something that is to be looked at, or submitted, as it was now.
    fn command(&self, verb: &str, path: &Path, cluster: &str, stack: Option<&str>) -> String {
        let with = |option: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!(" {option} {value}"))
        };
        let (stack, namespace) = (with("--stack", stack), with("-n", self.namespace.as_deref()));
        format!("bowline update {verb} {} --cluster {cluster}{stack}{namespace}", path.display())
    }

    /// The namespace that is meant, which is there.
    async fn team(&self) -> anyhow::Result<Team> {
        let team = self.perhaps_team().await?;
        team.is_there().await?;
        Ok(team)
    }

    /// The namespace that is meant, for who asks nothing of it, or asks after what is gone.
    async fn perhaps_team(&self) -> anyhow::Result<Team> {
        let client = self.server.client(Manner::Patiently).await?;
        let namespace = self.namespace.clone().unwrap_or_else(|| client.default_namespace().to_owned());
        Ok(Team { client, namespace })
    }
}

impl Team {
    /// Refuses a namespace that is not there: whatever is listed in one is empty, and nothing says why. Who may not see
    /// namespaces is told by the server what else they may not.
    async fn is_there(&self) -> anyhow::Result<()> {
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

    fn updates(&self) -> Api<Update> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn stacks(&self) -> Api<Stack> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn bundles(&self) -> Api<Bundle> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

/// Whether a request was answered with this code.
fn answered(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}

/// What an update says of itself; a new one has said nothing yet.
fn status(update: &Update) -> UpdateStatus {
    update.status.clone().unwrap_or_default()
}

/// What people call an update: its stack and its number, as soon as it has one.
fn title(update: &Update) -> String {
    match status(update).version {
        Some(version) => format!("{}/{version}", update.spec.stack),
        None => update.name_any(),
    }
}

/// The name of a phase.
fn word(phase: UpdatePhase) -> &'static str {
    match phase {
        UpdatePhase::Submitted => "Submitted",
        UpdatePhase::Rejected => "Rejected",
        UpdatePhase::Queued => "Queued",
        UpdatePhase::Superseded => "Superseded",
        UpdatePhase::Processing => "Processing",
        UpdatePhase::Failed => "Failed",
        UpdatePhase::Partial => "Partial",
        UpdatePhase::Succeeded => "Succeeded",
        UpdatePhase::PartialFailure => "PartialFailure",
        UpdatePhase::RolledBack => "RolledBack",
    }
}
