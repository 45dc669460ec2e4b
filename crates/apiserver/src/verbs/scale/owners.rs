//! Who owns the scale of an object: who owns the field of the object that says it.

use std::cmp::Ordering;

use bowline_merge::fields::{FieldSet, Path};
use serde_json::{Value, json};

use crate::document::Json;
use crate::kinds::Kind;

const WANTED: [&str; 2] = ["spec", "replicas"];

/// Where an object says how many there are to be.
fn wanted(kind: &Kind) -> Path {
    let path = kind.custom.as_ref().and_then(|custom| custom.replicas_path()).unwrap_or(".spec.replicas");
    Path::of(&path.trim_start_matches('.').split('.').collect::<Vec<_>>())
}

fn entries(object: &Value) -> Vec<Value> {
    object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default()
}

fn fields(entry: &Value) -> FieldSet {
    FieldSet::from_json(&entry["fieldsV1"]).unwrap_or_default()
}

fn only(path: &Path) -> FieldSet {
    let mut set = FieldSet::default();
    set.insert(&path.0);
    set
}

/// The owners of the scale of an object, in its words.
pub(super) fn of_scale(kind: &Kind, object: &Json) -> Value {
    let path = wanted(kind);
    let owners = entries(&json!({ "metadata": object.get("metadata") }));
    let owners = owners.into_iter().filter(|entry| fields(entry).has(&path.0));
    owners
        .map(|mut entry| {
            entry["apiVersion"] = "autoscaling/v1".into();
            entry["fieldsV1"] = only(&Path::of(&WANTED)).to_json();
            entry
        })
        .collect()
}

/// The owners of an object after its scale was applied, which says who owns that now.
pub(super) fn of_object(kind: &Kind, object: &Json, scale: &Value) -> Value {
    let path = wanted(kind);
    let (mut rest, mut owners) = (entries(scale), Vec::new());
    let before = entries(&json!({ "metadata": object.get("metadata") }));
    for mut entry in before.clone() {
        let set = fields(&entry);
        if !set.has(&path.0) {
            owners.push(entry);
        } else if let Some(same) = rest.iter().position(|other| id(other) == id(&entry)) {
            rest.remove(same);
            owners.push(entry);
        } else {
            let left = set.difference(&only(&path));
            if !left.is_empty() {
                entry["fieldsV1"] = left.to_json();
                owners.push(entry);
            }
        }
    }
    for mut entry in rest.into_iter().filter(|entry| fields(entry).has(&Path::of(&WANTED).0)) {
        // When it was is known only of who owned something of the object before, as with the real server.
        let known = before.iter().find(|other| id(other) == id(&entry));
        let known = known.and_then(|known| known.get("time").cloned());
        owners.retain(|other| id(other) != id(&entry));
        entry["apiVersion"] = kind.api_version().into();
        entry["fieldsV1"] = only(&path).to_json();
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("time");
            entry.extend(known.map(|time| ("time".to_owned(), time)));
        }
        owners.push(entry);
    }
    owners.sort_by(in_order);
    owners.into()
}

/// What makes two entries the same: who applies is the same in all versions.
fn id(entry: &Value) -> [&str; 4] {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let version = if text("operation") == "Apply" { "" } else { text("apiVersion") };
    [text("manager"), text("operation"), text("subresource"), version]
}

fn in_order(one: &Value, other: &Value) -> Ordering {
    let key = |entry: &Value| {
        ["operation", "time", "manager", "apiVersion", "subresource"]
            .map(|name| entry[name].as_str().unwrap_or_default().to_owned())
    };
    key(one).cmp(&key(other))
}
