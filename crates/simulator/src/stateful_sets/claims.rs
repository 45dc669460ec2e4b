//! The claims of a stateful set's pods: they are called after the pods, and stay when these go.

use serde_json::{Value, json};

use crate::controller::Snapshot;
use crate::thing::{Id, Kind, Thing, strings};

fn templates(set: &Thing) -> impl Iterator<Item = (&Value, &str)> {
    let templates = set.spec()["volumeClaimTemplates"].as_array().into_iter().flatten();
    templates.filter_map(|template| Some((template, template["metadata"]["name"].as_str()?)))
}

fn name(set: &Thing, template: &str, ordinal: i64) -> String {
    format!("{template}-{}-{ordinal}", set.id.name)
}

/// A claim of this number's pod that is not there.
pub(super) fn missing(set: &Thing, snapshot: &Snapshot, ordinal: i64) -> Option<Thing> {
    templates(set).find_map(|(template, called)| {
        let name = name(set, called, ordinal);
        let is_there = snapshot.near(Kind::Claim).any(|claim| claim.id.name == name);
        (!is_there).then(|| {
            let id = Id::new(Kind::Claim, &set.id.namespace, &name);
            Thing::blank(id, json!({ "spec": template["spec"] })).edit(|claim| {
                claim.labels = strings(&template["metadata"]["labels"]);
                claim.labels.extend(strings(&set.spec()["selector"]["matchLabels"]));
                claim.annotations = strings(&template["metadata"]["annotations"]);
            })
        })
    })
}

/// The pod of this number, with its claims as volumes.
pub(super) fn mount(set: &Thing, ordinal: i64, pod: Thing) -> Thing {
    let volumes: Vec<_> = templates(set)
        .map(|(_, called)| {
            json!({ "name": called, "persistentVolumeClaim": { "claimName": name(set, called, ordinal) } })
        })
        .collect();
    pod.edit(|pod| {
        let spec = &mut pod.body["spec"];
        let mut all = spec["volumes"].as_array().cloned().unwrap_or_default();
        all.retain(|volume| volumes.iter().all(|own| own["name"] != volume["name"]));
        all.extend(volumes);
        if !all.is_empty() {
            spec["volumes"] = all.into();
        }
        spec["hostname"] = pod.id.name.clone().into();
        crate::thing::put(&mut pod.body["spec"], "subdomain", set.spec()["serviceName"].clone());
    })
}
