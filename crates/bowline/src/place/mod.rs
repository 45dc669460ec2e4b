//! `bowline place`: namespaces and their volumes on clusters.

mod abandon;
mod duty;
mod history;
mod moves;
mod namespace;
mod stage;
mod status;
mod target;
mod why;
mod window;

use std::time::Duration;

use anyhow::anyhow;
use bowline_api::placements::{Placement, PlacementPhase, SyncTarget, VolumeGrant};
use bowline_runtime::Manner;
use k8s_openapi::api::authentication::v1::{SelfSubjectReview, SelfSubjectReviewStatus};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::Value;

pub(crate) use self::abandon::abandon;
pub(crate) use self::duty::{Duty, set};
pub(crate) use self::history::history;
pub(crate) use self::moves::{Move, move_to};
pub(crate) use self::namespace::{On, place};
pub(crate) use self::status::status;
pub(crate) use self::target::{Add, add, list, remove};
pub(crate) use self::window::window;
use crate::connection::{Wanted, failed};
use crate::exit::Refused;
use crate::nearest::there_are;
use crate::output;
use crate::palette;
use crate::team::{WRITER, answered};

/// Whether to wait for the end, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) wait: bool,
    pub(crate) timeout: Duration,
    pub(crate) quiet: bool,
}

impl Patience {
    /// Says something that is no result.
    fn note(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }
}

/// The hub, as these commands see it.
struct Hub {
    client: Client,
}

impl Hub {
    async fn of(server: &Wanted) -> anyhow::Result<Hub> {
        Ok(Hub { client: server.client(Manner::Patiently).await? })
    }

    fn targets(&self) -> Api<SyncTarget> {
        Api::all(self.client.clone())
    }

    fn grants(&self) -> Api<VolumeGrant> {
        Api::all(self.client.clone())
    }

    fn placements(&self, namespace: &str) -> Api<Placement> {
        Api::namespaced(self.client.clone(), namespace)
    }

    async fn all_targets(&self) -> anyhow::Result<Vec<SyncTarget>> {
        let found = self.targets().list(&ListParams::default()).await;
        let mut found = found.map_err(|error| failed(error, "cannot list targets"))?.items;
        found.sort_by_key(ResourceExt::name_any);
        Ok(found)
    }

    async fn all_placements(&self) -> anyhow::Result<Vec<Placement>> {
        let all: Api<Placement> = Api::all(self.client.clone());
        let found = all.list(&ListParams::default()).await;
        let mut found = found.map_err(|error| failed(error, "cannot list placements"))?.items;
        found.sort_by_key(ResourceExt::namespace);
        Ok(found)
    }

    /// The grants of the volumes of a namespace; without one, all.
    async fn grants_of(&self, namespace: Option<&str>) -> anyhow::Result<Vec<VolumeGrant>> {
        let some = namespace.map(|namespace| format!("spec.namespace={namespace}"));
        let params = some.map_or_else(ListParams::default, |some| ListParams::default().fields(&some));
        let found = self.grants().list(&params).await;
        let mut found = found.map_err(|error| failed(error, "cannot list grants of volumes"))?.items;
        found.sort_by_key(ResourceExt::name_any);
        Ok(found)
    }

    /// The target of a name.
    async fn target(&self, name: &str) -> anyhow::Result<SyncTarget> {
        let found =
            self.targets().get_opt(name).await.map_err(|error| failed(error, "cannot read the target"))?;
        if let Some(found) = found {
            return Ok(found);
        }
        let all = self.all_targets().await?;
        let names: Vec<_> = all.iter().map(ResourceExt::name_any).collect();
        let known: Vec<_> = names.iter().map(String::as_str).collect();
        let hint = if known.is_empty() {
            ": bowline place target add NAME --cluster CLUSTER".to_owned()
        } else {
            there_are(name, &known)
        };
        Err(anyhow!(Refused(format!("there is no target {name}{hint}"))))
    }

    /// The placement of a namespace, if it has one.
    async fn placement(&self, namespace: &str) -> anyhow::Result<Option<Placement>> {
        let found = self.placements(namespace).get_opt(Placement::NAME).await;
        found.map_err(|error| failed(error, "cannot read the placement"))
    }

    /// The placement of a namespace, which has one.
    async fn placed(&self, namespace: &str) -> anyhow::Result<Placement> {
        let found = self.placement(namespace).await?;
        found.ok_or_else(|| {
            anyhow!(Refused(format!(
                "the namespace {namespace} is not placed: bowline place namespace {namespace} --on TARGET"
            )))
        })
    }

    /// Refuses a namespace that is not there, or goes.
    async fn has_namespace(&self, name: &str) -> anyhow::Result<()> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        match namespaces.get_metadata_opt(name).await {
            Ok(None) => Err(anyhow!(Refused(format!(
                "the hub has no namespace {name}: make it, with the hub's kubeconfig: kubectl create namespace {name}"
            )))),
            Ok(Some(found)) if found.metadata.deletion_timestamp.is_some() => {
                Err(anyhow!(Refused(format!("the namespace {name} is being deleted: wait until it is gone"))))
            }
            Err(error) if !answered(&error, 403) => Err(failed(error, "cannot read the namespace")),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }

    /// Changes what is wanted of a target.
    async fn change_target(&self, name: &str, change: &Value) -> anyhow::Result<SyncTarget> {
        let changed = self.targets().patch(name, &patching(), &Patch::Merge(change)).await;
        changed.map_err(|error| failed(error, &format!("cannot change the target {name}")))
    }

    /// Who the server says that we are: what a person says is recorded under that name.
    async fn whoami(&self) -> anyhow::Result<String> {
        let reviews: Api<SelfSubjectReview> = Api::all(self.client.clone());
        let asked = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await;
        let said = asked.map_err(|error| failed(error, "cannot ask the server who we are"))?;
        let name = |status: SelfSubjectReviewStatus| status.user_info?.username;
        said.status.and_then(name).filter(|name| !name.is_empty()).ok_or_else(|| {
            anyhow!(Refused("the server does not say who we are, and that is recorded".to_owned()))
        })
    }
}

fn patching() -> PatchParams {
    PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() }
}

/// The time of now, as objects have it.
fn now() -> String {
    let now = k8s_openapi::jiff::Timestamp::now();
    k8s_openapi::jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

/// The name of a phase.
fn word(phase: PlacementPhase) -> &'static str {
    match phase {
        PlacementPhase::Pending => "Pending",
        PlacementPhase::Granted => "Granted",
        PlacementPhase::Releasing => "Releasing",
        PlacementPhase::Fencing => "Fencing",
        PlacementPhase::Moving => "Moving",
        PlacementPhase::Deleting => "Deleting",
    }
}

/// Good, bad, or neither.
fn style(phase: PlacementPhase) -> anstyle::Style {
    match phase {
        PlacementPhase::Granted => palette::GOOD,
        PlacementPhase::Fencing => palette::BAD,
        _ => palette::PLAIN,
    }
}
