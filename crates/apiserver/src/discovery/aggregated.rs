//! Discovery in one document.

use serde_json::{Value, json};

use super::groups::{self, Order, Version};
use super::legacy::is_of_another;
use crate::kinds::{Kind, Kinds, Subresource};

/// `APIGroupDiscoveryList`: the core kinds, or all others.
pub(super) fn list(kinds: &Kinds, is_core: bool) -> Value {
    let groups = groups::all(kinds, Order::Name);
    let items: Vec<_> = groups
        .iter()
        .filter(|group| group.name.is_empty() == is_core)
        .map(|group| {
            let metadata = if is_core { json!({}) } else { json!({"name": group.name}) };
            json!({"metadata": metadata, "versions": group.versions.iter().map(version).collect::<Vec<_>>()})
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

fn version(version: &Version<'_>) -> Value {
    let resources: Vec<_> = version.kinds.iter().map(|kind| resource(kind)).collect();
    json!({"version": version.name, "resources": resources, "freshness": "Current"})
}

fn resource(kind: &Kind) -> Value {
    let mut fields = json!({
        "resource": kind.plural,
        "responseKind": own_kind(kind, &kind.kind),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular,
        "verbs": kind.verbs,
    });
    if !kind.short_names.is_empty() {
        fields["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        fields["categories"] = json!(kind.categories);
    }
    if !kind.subresources.is_empty() {
        let parts: Vec<_> = kind.subresources.iter().map(|part| subresource(kind, part)).collect();
        fields["subresources"] = parts.into();
    }
    fields
}

fn subresource(kind: &Kind, part: &Subresource) -> Value {
    let response = if is_of_another(kind, part) {
        json!({"group": part.group, "version": part.version, "kind": part.kind})
    } else {
        own_kind(kind, &part.kind)
    };
    json!({"subresource": part.name, "responseKind": response, "verbs": part.verbs})
}

/// The real server leaves group and version of its built-in kinds empty: they are those of the list.
fn own_kind(kind: &Kind, name: &str) -> Value {
    let (group, version) = if kind.custom.is_some() { (&*kind.group, &*kind.version) } else { ("", "") };
    json!({"group": group, "version": version, "kind": name})
}
