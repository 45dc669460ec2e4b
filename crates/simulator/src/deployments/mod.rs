//! Deployments: a replica set for each template; the newest one grows while the others shrink.

mod progress;
mod roll;
mod sets;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use bowline_control::{Decision, Moment};
use serde_json::{Value, json};

pub(crate) use progress::status;

use self::sets::{REVISION, Sets};
use crate::controller::Snapshot;
use crate::names;
use crate::step::{Choice, adopt, change, create, delete, wait, wait_until};
use crate::thing::{Kind, Thing, strings};

/// The label that tells the pods of one template from those of another.
const HASH: &str = "pod-template-hash";

/// What is to be done about a deployment.
pub(crate) fn decide(deployment: &Thing, snapshot: &Snapshot, now: Moment) -> Choice {
    let orphans = snapshot.near(Kind::ReplicaSet).filter(|set| set.owner.is_none() && !set.deleting);
    let mut selected = orphans.filter(|set| set.is_selected_by(&deployment.spec()["selector"]));
    if let Some(orphan) = selected.next() {
        return adopt(orphan, deployment);
    }
    let sets = Sets::of(deployment, snapshot);
    if deployment.spec()["paused"] == true {
        return roll::scale_paused(deployment, &sets)
            .unwrap_or_else(|| wait("somebody to resume the deployment"));
    }
    let Some(new) = sets.new else {
        return make(deployment, &sets, snapshot);
    };
    if let Some(number) = number_newest(deployment, new, &sets) {
        return number;
    }
    if let Some(scaled) = roll::roll(deployment, new, &sets, snapshot) {
        return scaled;
    }
    if !sets.is_complete(deployment) {
        let until = progress::deadline(deployment, now);
        return wait_until("its pods to be available", until);
    }
    forget(deployment, &sets).unwrap_or(Decision::Converged)
}

/// A replica set for the template.
fn make(deployment: &Thing, sets: &Sets<'_>, snapshot: &Snapshot) -> Choice {
    let template = deployment.template();
    let hash = names::hash(template);
    let name = format!("{}-{hash}", deployment.id.name);
    if snapshot.near(Kind::ReplicaSet).any(|set| set.id.name == name) {
        return wait(format!("somebody to remove the replica set {name}, which is not the deployment's"));
    }
    let mut labelled = template.clone();
    labelled["metadata"]["labels"][HASH] = hash.clone().into();
    let mut selector = deployment.spec()["selector"].clone();
    selector["matchLabels"][HASH] = hash.into();
    let spec = json!({
        "replicas": roll::first(deployment, sets, snapshot),
        "minReadySeconds": deployment.wanted("minReadySeconds", 0),
        "selector": selector,
        "template": labelled,
    });
    let labels = strings(&spec["template"]["metadata"]["labels"]);
    create(Thing::child(deployment, Kind::ReplicaSet, &name, json!({ "spec": spec })).edit(|set| {
        set.labels = labels;
        set.annotations = handed_on(deployment);
        set.annotations.insert(REVISION.into(), (sets.last_revision() + 1).to_string());
    }))
}

/// The annotations of a deployment that its replica sets have too: people ask for them in its history.
fn handed_on(deployment: &Thing) -> std::collections::BTreeMap<String, String> {
    let own = [REVISION, "kubectl.kubernetes.io/last-applied-configuration"];
    let handed_on = |(name, _): &(&String, &String)| !own.contains(&name.as_str());
    deployment
        .annotations
        .iter()
        .filter(handed_on)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The newest has the highest number, also if it was there before; and the deployment has its number.
fn number_newest(deployment: &Thing, new: &Thing, sets: &Sets<'_>) -> Option<Choice> {
    let last = sets.last_revision();
    if sets::revision(new) <= last {
        let numbered = new.edit(|set| {
            set.annotations.extend(handed_on(deployment));
            set.annotations.insert(REVISION.into(), (last + 1).to_string());
        });
        return Some(change("raise the revision", new, numbered));
    }
    let min_ready_s = deployment.wanted("minReadySeconds", 0);
    if new.wanted("minReadySeconds", 0) != min_ready_s {
        let patient = new.edit(|set| set.body["spec"]["minReadySeconds"] = min_ready_s.into());
        return Some(change("set the patience", new, patient));
    }
    let number = new.annotations.get(REVISION)?;
    let known = deployment.annotations.get(REVISION);
    (known != Some(number)).then(|| {
        let numbered = deployment.edit(|deployment| {
            deployment.annotations.insert(REVISION.into(), number.clone());
        });
        change("tell the revision", deployment, numbered)
    })
}

/// Of the old ones only so many are remembered.
fn forget(deployment: &Thing, sets: &Sets<'_>) -> Option<Choice> {
    let limit = usize::try_from(deployment.wanted("revisionHistoryLimit", 10)).unwrap_or(usize::MAX);
    let mut old: Vec<_> = sets.old.clone();
    old.sort_by_key(|set| Reverse(sets::revision(set)));
    let is_empty =
        |set: &&&Thing| set.wanted("replicas", 1) == 0 && set.counted("replicas") == 0 && !set.deleting;
    old.iter().skip(limit).find(is_empty).map(|set| delete(set))
}

/// A template without the label that a replica set adds to it.
fn plain(template: &Value) -> Value {
    let mut plain = template.clone();
    if let Some(labels) = plain["metadata"]["labels"].as_object_mut() {
        labels.remove(HASH);
    }
    plain
}
