//! A pod, as its owner makes it.

use serde_json::{Value, json};

use crate::NODE;
use crate::names;
use crate::thing::{Kind, Thing, strings};

/// What a pod is made after, and what its owner adds.
pub(crate) struct Template<'a> {
    pub(crate) owner: &'a Thing,
    pub(crate) template: &'a Value,
    pub(crate) name: &'a str,
    pub(crate) labels: &'a [(&'a str, &'a str)],
}

/// A pod after a template. It comes with its node: there is only one.
pub(crate) fn make(Template { owner, template, name, labels }: &Template<'_>) -> Thing {
    let mut spec = template["spec"].clone();
    if spec["schedulingGates"].as_array().is_none_or(Vec::is_empty) {
        spec["nodeName"] = NODE.into();
    }
    Thing::child(owner, Kind::Pod, name, json!({ "spec": spec })).edit(|pod| {
        pod.labels = strings(&template["metadata"]["labels"]);
        pod.labels.extend(labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        pod.annotations = strings(&template["metadata"]["annotations"]);
    })
}

/// The first name of an owner's child that none of these has. It follows from the owner, so that a child whose making was
/// never answered is not made twice.
pub(crate) fn free_name(owner: &Thing, stem: &str, taken: &[&Thing]) -> String {
    let name = |n| format!("{stem}-{}", names::suffix(&owner.uid, n));
    let is_free = |name: &String| taken.iter().all(|thing| thing.id.name != *name);
    (0..).map(name).find(is_free).unwrap_or_else(|| name(0))
}
