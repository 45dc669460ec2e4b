//! The way from `kubectl apply` on the client to the server: its annotation says what the client applied.

use serde_json::Value;

use crate::fields::FieldSet;
use crate::go;
use crate::schema::Schema;
use crate::typed;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Of all annotations together, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

fn annotation(object: &Value) -> Option<&str> {
    let text = object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// What the client applied and nobody changed since: kubectl may take it from whoever the updates were noted
/// for, which is itself.
pub(super) fn allowed(schema: &Schema, live: &Value, api_version: &str) -> Option<FieldSet> {
    let applied: Value = serde_json::from_str(annotation(live)?).ok()?;
    if applied.get("apiVersion").and_then(Value::as_str) != Some(api_version) {
        return None;
    }
    let ty = schema.ty();
    if !typed::check(ty, &applied, false).is_empty() {
        return None;
    }
    let changes = typed::compare(ty, &applied, live).ok()?;
    let set = typed::collect(ty, &applied);
    Some(set.difference(&changes.changed).difference(&changes.removed))
}

/// Keeps the annotation true, where there is one: the client may apply again.
pub(super) fn renew(object: &mut Value, config: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut config = config.clone();
    let metadata = config.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata
        && let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
    {
        annotations.remove(ANNOTATION);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
    let text = format!("{}\n", go::json(&config));
    let annotations = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    if let Some(annotations) = annotations {
        annotations.insert(ANNOTATION.to_owned(), Value::String(text));
        let size: usize =
            annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
        if size > MAX_ANNOTATIONS {
            annotations.remove(ANNOTATION);
        }
    }
}
