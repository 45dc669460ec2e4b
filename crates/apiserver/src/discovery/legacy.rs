//! Discovery with a document for each version of each group.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::groups::{self, Group, Order};
use crate::builtin_table;
use crate::kinds::{Kind, Kinds, Subresource};

/// `APIVersions`: the versions of the core kinds.
pub(super) fn versions(kinds: &Kinds, address: &str) -> Value {
    let groups = groups::all(kinds, Order::Service);
    let core = groups.iter().filter(|group| group.name.is_empty()).flat_map(|group| &group.versions);
    json!({
        "kind": "APIVersions",
        "versions": core.map(|version| version.name).collect::<Vec<_>>(),
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// `APIGroupList`: all groups but the core one.
pub(super) fn groups(kinds: &Kinds) -> Value {
    let groups = groups::all(kinds, Order::Service);
    let groups: Vec<_> = groups.iter().filter(|group| !group.name.is_empty()).map(group_fields).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `APIGroup`: one of them.
pub(super) fn group(kinds: &Kinds, name: &str) -> Option<Value> {
    let groups = groups::all(kinds, Order::Service);
    let mut fields = group_fields(groups.iter().find(|group| group.name == name && !name.is_empty())?);
    fields.insert("kind".into(), "APIGroup".into());
    fields.insert("apiVersion".into(), "v1".into());
    Some(fields.into())
}

fn group_fields(group: &Group<'_>) -> Map<String, Value> {
    let versions: Vec<_> = group
        .versions
        .iter()
        .map(|version| {
            json!({"groupVersion": format!("{}/{}", group.name, version.name), "version": version.name})
        })
        .collect();
    let mut fields = Map::new();
    fields.insert("name".into(), group.name.into());
    fields.insert("preferredVersion".into(), versions.first().cloned().unwrap_or_default());
    fields.insert("versions".into(), versions.into());
    fields
}

/// `APIResourceList`: the kinds of one version of a group.
pub(super) fn resources(kinds: &Kinds, group: &str, version: &str) -> Value {
    let groups = groups::all(kinds, Order::Service);
    let of_group = groups.iter().filter(|found| found.name == group).flat_map(|group| &group.versions);
    let of_version: Vec<_> =
        of_group.filter(|found| found.name == version).flat_map(|version| &version.kinds).collect();
    let mut resources = Vec::new();
    for kind in &of_version {
        resources.push(resource(kinds, kind));
        resources.extend(kind.subresources.iter().map(|part| subresource(kind, part)));
    }
    let name = of_version.first().map(|kind| kind.api_version()).unwrap_or_default();
    let mut list = json!({"kind": "APIResourceList", "groupVersion": name, "resources": resources});
    // The real server does not say it of the core kinds, for clients older than this.
    if !group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    list
}

fn resource(kinds: &Kinds, kind: &Arc<Kind>) -> Value {
    let mut fields = json!({
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": kind.verbs,
    });
    if !kind.short_names.is_empty() {
        fields["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        fields["categories"] = json!(kind.categories);
    }
    if let Some(hash) = storage_hash(kinds, kind) {
        fields["storageVersionHash"] = hash.into();
    }
    fields
}

fn subresource(kind: &Kind, part: &Subresource) -> Value {
    let mut fields = json!({
        "name": format!("{}/{}", kind.plural, part.name),
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": part.kind,
        "verbs": part.verbs,
    });
    if is_of_another(kind, part) {
        fields["group"] = json!(part.group);
        fields["version"] = json!(part.version);
    }
    fields
}

/// Whether what a subresource takes is of another group than the kind that it belongs to.
pub(super) fn is_of_another(kind: &Kind, part: &Subresource) -> bool {
    !part.version.is_empty() && (&part.group, &part.version) != (&kind.group, &kind.version)
}

/// Names the version in which the real server keeps the objects, for tools that migrate them.
fn storage_hash(kinds: &Kinds, kind: &Arc<Kind>) -> Option<String> {
    static BUILT_IN: LazyLock<BTreeMap<String, String>> = LazyLock::new(builtin_table::storage_hashes);
    if kind.custom.is_none() {
        return BUILT_IN.get(&format!("{}/{}", kind.api_version(), kind.plural)).cloned();
    }
    let stored = kinds.all().iter().find(|other| {
        let version = other.custom.as_ref().map(|custom| custom.declared());
        other.resource == kind.resource && version.is_some_and(|version| version["storage"] == true)
    })?;
    let name = format!("{}/{}/{}", stored.group, stored.version, stored.kind);
    let digest = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    Some(STANDARD.encode(digest.as_ref().get(..8)?))
}
