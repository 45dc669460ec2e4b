//! `bowline place target`: the clusters that namespaces can be on.

use std::collections::BTreeMap;

use anyhow::anyhow;
use bowline_api::conditions::{ConditionType, Truth};
use bowline_api::placements::{
    Capacity, Fence, FenceHook, Fencing, Placement, SyncTarget, SyncTargetSpec, Taint,
};
use bowline_api::updates::Cluster;
use kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use super::Hub;
use crate::ago::passed;
use crate::columns::{Columns, short};
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output::{self, Format};
use crate::palette;
use crate::team::{WRITER, answered};

/// How much of a message the table shows; `wide` has all of it.
const MESSAGE: usize = 60;

/// A target to be added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Add {
    pub(crate) name: String,
    pub(crate) cluster: String,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) taints: Vec<(String, String)>,
    pub(crate) capacity: Option<u32>,
    pub(crate) evict_after_seconds: Option<u32>,
    pub(crate) enforces_epochs: bool,
    pub(crate) fence_hook: Option<String>,
}

impl Add {
    fn spec(&self) -> SyncTargetSpec {
        let taint = |(key, value): &(String, String)| Taint { key: key.clone(), value: value.clone() };
        let hook = self.fence_hook.clone().map(|name| FenceHook { name, ..FenceHook::default() });
        SyncTargetSpec {
            cluster: self.cluster.as_str().into(),
            taints: self.taints.iter().map(taint).collect(),
            evict_after_seconds: self.evict_after_seconds,
            capacity: self.capacity.map(|namespaces| Capacity { namespaces: Some(namespaces) }),
            enforces_epochs: self.enforces_epochs,
            fencing: hook.map(|hook| Fencing { hook: Some(hook), network_fence: None }),
            ..SyncTargetSpec::default()
        }
    }

    /// What was said: of one that is there, the rest stays.
    fn change(&self) -> Value {
        let mut change = json!({ "spec": self.spec() });
        if !self.labels.is_empty() {
            change["metadata"] = json!({ "labels": self.labels.iter().cloned().collect::<BTreeMap<_, _>>() });
        }
        change
    }
}

/// Adds a target; one that is there is changed to what is said.
pub(crate) async fn add(server: &Wanted, add: &Add, format: Format) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let clusters: Api<Cluster> = Api::all(hub.client.clone());
    let cluster =
        clusters.get_opt(&add.cluster).await.map_err(|error| failed(error, "cannot read the cluster"))?;
    if cluster.is_none() {
        let cluster = &add.cluster;
        anyhow::bail!(Refused(format!(
            "there is no cluster {cluster}: bowline cluster add {cluster} --kubeconfig FILE; see `bowline cluster list`"
        )));
    }
    let metadata = ObjectMeta {
        name: Some(add.name.clone()),
        labels: (!add.labels.is_empty()).then(|| add.labels.iter().cloned().collect()),
        ..ObjectMeta::default()
    };
    let target = SyncTarget { metadata, spec: add.spec(), status: None };
    let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
    let (made, is_new) = match hub.targets().create(&params, &target).await {
        Ok(made) => (made, true),
        Err(error) if answered(&error, 409) => (hub.change_target(&add.name, &add.change()).await?, false),
        Err(error) => return Err(failed(error, "cannot add the target")),
    };
    if !format.is_text() {
        output::print(&output::document(format, &made)?)?;
        return Ok(Exit::Done);
    }
    let name = &add.name;
    output::note(&if is_new {
        format!(
            "The target {name} is added. Its syncer needs a kubeconfig of the hub: bowline join syncer {name} > {name}.kubeconfig"
        )
    } else {
        format!("The target {name} was there, and is as you say now.")
    });
    Ok(Exit::Done)
}

/// Lists the targets.
pub(crate) async fn list(server: &Wanted, format: Format) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let found = hub.all_targets().await?;
    if !format.is_text() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": found });
        output::print(&output::document(format, &list)?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        output::note(
            "There are no targets. To make a cluster one: bowline place target add NAME --cluster CLUSTER",
        );
        return Ok(Exit::Done);
    }
    let placements = hub.all_placements().await?;
    output::print(&table(&found, &placements, format == Format::Wide))?;
    Ok(Exit::Done)
}

/// How many namespaces are to be on a target.
pub(super) fn load(placements: &[Placement], target: &str) -> usize {
    let is_its = |placement: &&Placement| {
        let desired = placement.status.as_ref().and_then(|status| status.desired.as_ref());
        desired.is_some_and(|desired| desired.as_str() == target)
    };
    placements.iter().filter(is_its).count()
}

pub(super) fn table(found: &[SyncTarget], placements: &[Placement], wide: bool) -> String {
    let mut headings = vec!["TARGET", "CLUSTER", "READY", "FENCE", "NAMESPACES", "AGE"];
    if wide {
        headings.extend(["EPOCH", "SILENT", "LABELS", "TAINTS", "FENCED BY"]);
    }
    headings.push("MESSAGE");
    let mut columns = Columns::new(&headings);
    for target in found {
        let plain = |text: String| (palette::PLAIN, text);
        let status = target.status.clone().unwrap_or_default();
        let name = target.name_any();
        let mut row = vec![plain(name.clone()), plain(target.spec.cluster.to_string())];
        row.push(match status.conditions.get(&ConditionType::READY).map(|ready| ready.status) {
            Some(Truth::True) => (palette::GOOD, "yes".to_owned()),
            Some(Truth::False) => (palette::BAD, "no".to_owned()),
            Some(Truth::Unknown) | None => plain("-".to_owned()),
        });
        row.push(match status.fence {
            Fence::None => plain("-".to_owned()),
            fence => (palette::BAD, fence_word(fence).to_owned()),
        });
        let most = target.spec.capacity.as_ref().and_then(|capacity| capacity.namespaces);
        let most = most.map_or_else(String::new, |most| format!("/{most}"));
        row.push(plain(format!("{}{most}", load(placements, &name))));
        row.push(plain(target.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
        if wide {
            let labels = target.labels().iter().map(|(key, value)| format!("{key}={value}"));
            let taint = |Taint { key, value }: &Taint| {
                if value.is_empty() { key.clone() } else { format!("{key}={value}") }
            };
            let or_none =
                |texts: Vec<String>| plain(if texts.is_empty() { "-".to_owned() } else { texts.join(",") });
            row.push(plain(status.fence_epoch.to_string()));
            row.push(plain(status.lapsed_since.as_ref().map_or_else(|| "-".to_owned(), passed)));
            row.push(or_none(labels.collect()));
            row.push(or_none(target.spec.taints.iter().map(taint).collect()));
            row.push(plain(fencing_word(target).to_owned()));
        }
        row.push(plain(if wide { status.message } else { short(&status.message, MESSAGE) }));
        columns.row(row);
    }
    columns.render()
}

pub(super) fn fence_word(fence: Fence) -> &'static str {
    match fence {
        Fence::None => "None",
        Fence::Requested => "Requested",
        Fence::Fenced => "Fenced",
        Fence::Unfencing => "Unfencing",
    }
}

/// What can fence a target, in a word.
fn fencing_word(target: &SyncTarget) -> &'static str {
    match &target.spec.fencing {
        Some(Fencing { hook: Some(_), .. }) => "a hook",
        Some(Fencing { network_fence: Some(_), .. }) => "a NetworkFence",
        _ if target.spec.enforces_epochs => "its volumes",
        _ => "a person",
    }
}

/// Removes a target that nothing is on.
pub(crate) async fn remove(server: &Wanted, name: &str) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let target = hub.target(name).await?;
    let placements = hub.all_placements().await?;
    let has = |placement: &&Placement| {
        let status = placement.status.clone().unwrap_or_default();
        let is_its = |other: &bowline_api::ShortName| other.as_str() == name;
        status.users.iter().any(|user| is_its(&user.target)) || status.desired.as_ref().is_some_and(is_its)
    };
    let on_it: Vec<_> = placements.iter().filter(has).filter_map(ResourceExt::namespace).collect();
    let grants = hub.grants_of(None).await?;
    let holds = |grant: &&bowline_api::placements::VolumeGrant| {
        grant
            .status
            .as_ref()
            .is_some_and(|status| status.users.iter().any(|user| user.target.as_str() == name))
    };
    let held: Vec<_> = grants.iter().filter(holds).map(ResourceExt::name_any).collect();
    if !on_it.is_empty() || !held.is_empty() {
        let what = [("namespaces", &on_it), ("volumes", &held)];
        let what = what.iter().filter(|(_, names)| !names.is_empty());
        let what: Vec<_> = what.map(|(kind, names)| format!("the {kind} {}", names.join(", "))).collect();
        anyhow::bail!(Refused(format!(
            "{name} still has {}: move them first, `bowline place drain {name}`; nothing was changed",
            what.join(" and ")
        )));
    }
    let uid = target.uid().ok_or_else(|| anyhow!("the server has given {name} no uid"))?;
    let this = Preconditions { uid: Some(uid), resource_version: None };
    let deleted = hub.targets().delete(name, &DeleteParams::default().preconditions(this)).await;
    deleted.map_err(|error| failed(error, "cannot remove the target"))?;
    output::note(&format!("The target {name} is removed, and the kubeconfigs of its syncer with it."));
    Ok(Exit::Done)
}
