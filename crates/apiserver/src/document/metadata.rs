//! From `metadata` to what the kernel decides by, and back.

use std::collections::BTreeSet;
use std::sync::Arc;

use bowline_kernel::{Finalizer, MetaOf, Version};
use serde_json::{Map, Value, json};

use super::{Document, DocumentDeletion, DocumentFinalizer, DocumentOwner, FindOwner, Json};
use crate::crd;
use crate::key::{Key, NAMESPACES};
use crate::time::Moment;

/// A field of the metadata is not what it must be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is malformed")]
pub(crate) struct Malformed(pub &'static str);

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";
const CONTENTS: &str = "kubernetes";

pub(super) fn read(metadata: &Json, key: &Key, owner: FindOwner<'_>) -> Result<MetaOf<Document>, Malformed> {
    let uid = metadata.get("uid").and_then(Value::as_str).ok_or(Malformed("metadata.uid"))?;
    let version = match metadata.get("resourceVersion").and_then(Value::as_str) {
        None => Version(0),
        Some(text) => super::version(text).ok_or(Malformed("metadata.resourceVersion"))?,
    };
    Ok(MetaOf::<Document> {
        uid: uid.into(),
        version,
        generation: metadata.get("generation").and_then(Value::as_u64),
        deletion: deletion(metadata)?,
        finalizers: list(metadata, "finalizers")
            .map(|name| name.as_str().map(finalizer).ok_or(Malformed("metadata.finalizers")))
            .collect::<Result<_, _>>()?,
        owners: list(metadata, "ownerReferences")
            .map(|reference| read_owner(reference, key, owner).ok_or(Malformed("metadata.ownerReferences")))
            .collect::<Result<_, _>>()?,
    })
}

fn deletion(metadata: &Json) -> Result<Option<DocumentDeletion>, Malformed> {
    let Some(at) = metadata.get("deletionTimestamp").filter(|at| !at.is_null()) else {
        return Ok(None);
    };
    let at = at.as_str().and_then(Moment::parse).ok_or(Malformed("metadata.deletionTimestamp"))?;
    let grace_s = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_u64).unwrap_or(0);
    Ok(Some(DocumentDeletion { at, grace_s }))
}

fn list<'a>(metadata: &'a Json, name: &str) -> impl Iterator<Item = &'a Value> {
    metadata.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn finalizer(name: &str) -> DocumentFinalizer {
    match name {
        FOREGROUND => Finalizer::Foreground,
        ORPHAN => Finalizer::Orphan,
        _ => Finalizer::Named(name.into()),
    }
}

fn read_owner(reference: &Value, key: &Key, find: FindOwner<'_>) -> Option<DocumentOwner> {
    let text = |name| reference.get(name).and_then(Value::as_str);
    Some(DocumentOwner {
        key: find(text("apiVersion")?, text("kind")?, text("name")?, &key.namespace),
        uid: text("uid")?.into(),
        blocks: reference.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// Names and values.
pub(super) type Labels = Arc<[(Box<str>, Box<str>)]>;

pub(super) fn labels(metadata: &Json) -> Result<Labels, Malformed> {
    let labels = metadata.get("labels").and_then(Value::as_object);
    labels
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let value = value.as_str().ok_or(Malformed("metadata.labels"))?;
            Ok((name.as_str().into(), value.into()))
        })
        .collect()
}

/// What holds a namespace until it is empty stands in its `spec`.
pub(super) fn contents_finalizer(namespace: &Json) -> Option<DocumentFinalizer> {
    let finalizers = namespace.get("spec")?.get("finalizers")?.as_array()?;
    finalizers.iter().any(|name| name == CONTENTS).then_some(Finalizer::Contents)
}

/// Writes into the JSON what the kernel decided.
pub(super) fn edit(json: &mut Json, key: &Key, old: &MetaOf<Document>, new: &MetaOf<Document>) {
    let Some(Value::Object(metadata)) = json.get_mut("metadata") else { return };
    metadata.insert("uid".into(), Value::from(&*new.uid));
    if let Some(generation) = new.generation {
        metadata.insert("generation".into(), generation.into());
    }
    match &new.deletion {
        None => {
            metadata.remove("deletionTimestamp");
            metadata.remove("deletionGracePeriodSeconds");
        }
        Some(deletion) => {
            metadata.insert("deletionTimestamp".into(), deletion.at.to_string().into());
            // Namespaces are never given any time.
            if key.resource != *NAMESPACES {
                metadata.insert("deletionGracePeriodSeconds".into(), deletion.grace_s.into());
            }
        }
    }
    if old.finalizers != new.finalizers {
        let names: Vec<_> = new.finalizers.iter().filter_map(name).map(Value::from).collect();
        put_list(metadata, "finalizers", names);
    }
    if old.owners != new.owners {
        edit_owners(metadata, &new.owners);
    }
    if key.resource == *NAMESPACES {
        edit_namespace(json, new);
    }
    if key.resource == crd::definitions() {
        edit_definition(json, old, new);
    }
}

fn name(finalizer: &DocumentFinalizer) -> Option<&str> {
    match finalizer {
        Finalizer::Foreground => Some(FOREGROUND),
        Finalizer::Orphan => Some(ORPHAN),
        Finalizer::Contents => None,
        Finalizer::Named(name) => Some(name),
    }
}

/// The kernel only ever takes owners away.
fn edit_owners(metadata: &mut Map<String, Value>, owners: &[DocumentOwner]) {
    let uids: BTreeSet<&str> = owners.iter().map(|owner| &*owner.uid).collect();
    let is_kept = |reference: &Value| reference["uid"].as_str().is_some_and(|uid| uids.contains(uid));
    let (kept, lost): (Vec<_>, Vec<_>) =
        list(metadata, "ownerReferences").cloned().partition(|reference| is_kept(reference));
    for reference in &lost {
        disown(metadata, &reference["uid"], kept.is_empty());
    }
    put_list(metadata, "ownerReferences", kept);
}

/// Nobody manages a reference that is no longer there, and no list of references if it was the last.
fn disown(metadata: &mut Map<String, Value>, uid: &Value, all: bool) {
    const LIST: &str = "f:ownerReferences";
    let key = format!("k:{}", json!({ "uid": uid }));
    let managers = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
    for manager in managers.into_iter().flatten() {
        let Some(Value::Object(fields)) = manager.get_mut("fieldsV1") else { continue };
        let Some(Value::Object(of_metadata)) = fields.get_mut("f:metadata") else { continue };
        if let Some(Value::Object(references)) = of_metadata.get_mut(LIST) {
            references.remove(&key);
            if all || references.is_empty() {
                of_metadata.remove(LIST);
            }
        }
        if of_metadata.is_empty() {
            fields.remove("f:metadata");
        }
    }
    if let Some(Value::Array(mut managers)) = metadata.remove("managedFields") {
        managers.retain(|manager| manager["fieldsV1"].as_object().is_none_or(|fields| !fields.is_empty()));
        put_list(metadata, "managedFields", managers);
    }
}

fn put_list(metadata: &mut Map<String, Value>, name: &str, list: Vec<Value>) {
    if list.is_empty() {
        metadata.remove(name);
    } else {
        metadata.insert(name.into(), list.into());
    }
}

/// Nobody runs a definition, so that nobody is given time to end it.
fn edit_definition(json: &mut Json, old: &MetaOf<Document>, new: &MetaOf<Document>) {
    if let Some(Value::Object(metadata)) = json.get_mut("metadata") {
        metadata.remove("deletionGracePeriodSeconds");
    }
    if let (None, Some(deletion)) = (&old.deletion, &new.deletion) {
        crd::lifecycle::begin_deletion(json, deletion.at);
    }
}

fn edit_namespace(json: &mut Json, meta: &MetaOf<Document>) {
    if meta.deletion.is_some() {
        let status = json.entry("status").or_insert_with(|| json!({}));
        status["phase"] = "Terminating".into();
    }
    if !meta.has(&Finalizer::Contents)
        && let Some(finalizers) = json.get_mut("spec").and_then(|spec| spec.get_mut("finalizers"))
        && let Some(finalizers) = finalizers.as_array_mut()
    {
        finalizers.retain(|name| name != CONTENTS);
    }
    if let Some(spec) = json.get_mut("spec").and_then(Value::as_object_mut)
        && spec.get("finalizers").and_then(Value::as_array).is_some_and(Vec::is_empty)
    {
        spec.remove("finalizers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disowned(managers: Value) -> Map<String, Value> {
        let metadata = json!({ "name": "m", "managedFields": managers,
            "ownerReferences": [{ "uid": "1" }] });
        let Value::Object(mut metadata) = metadata else { panic!("it is an object") };
        edit_owners(&mut metadata, &[]);
        metadata
    }

    fn manager(fields: Value) -> Value {
        json!({ "manager": "m", "fieldsType": "FieldsV1", "fieldsV1": fields })
    }

    #[test]
    fn who_managed_nothing_but_a_lost_owner_manages_nothing() {
        let owners = json!({ "f:ownerReferences": { ".": {}, "k:{\"uid\":\"1\"}": {} } });
        let left = disowned(json!([manager(json!({ "f:metadata": owners }))]));
        assert_eq!(Value::Object(left), json!({ "name": "m" }));
        let more = json!({ "f:data": {}, "f:metadata": owners });
        let left = disowned(json!([manager(json!({ "f:metadata": owners })), manager(more)]));
        assert_eq!(left["managedFields"], json!([manager(json!({ "f:data": {} }))]));
    }
}
