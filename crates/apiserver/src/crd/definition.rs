//! Admission of definitions: what is filled in, what is refused, in the words of Kubernetes.

mod approval;
mod internal;
mod names;
pub(super) mod paths;
mod printed;
mod schema;
mod version;

use bowline_merge::FieldError;
use serde_json::{Map, Value, json};

use crate::document::Json;
use internal::Spec;

/// Fills in what every reader sees, whoever wrote the definition, and drops what Go would not write: fields of
/// a schema that are there and empty.
pub(crate) fn default(crd: &mut Json) {
    let Some(spec) = crd.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = text(names, "kind").to_owned();
        if text(names, "singular").is_empty() && !kind.is_empty() {
            names.insert("singular".into(), kind.to_lowercase().into());
        }
        if text(names, "listKind").is_empty() && !kind.is_empty() {
            names.insert("listKind".into(), format!("{kind}List").into());
        }
    }
    if spec.get("conversion").is_none_or(Value::is_null) {
        spec.insert("conversion".into(), json!({"strategy": "None"}));
    }
    for version in spec.get_mut("versions").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            printed::drop_empty(schema);
        }
    }
    let stored = storage_version(crd).map(|version| json!([version]));
    if let (Some(stored), Some(Value::Object(status))) = (stored, crd.get_mut("status"))
        && status.get("storedVersions").and_then(Value::as_array).is_none_or(Vec::is_empty)
    {
        status.insert("storedVersions".into(), stored);
    }
}

/// A definition as it is kept at first: whatever status was sent, only the version that is stored stands in it.
pub(crate) fn prepare_create(crd: &mut Json) {
    let stored = storage_version(crd).map_or(Value::Null, |version| json!([version]));
    let status =
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored});
    crd.insert("status".into(), status);
}

/// An update does not change the status, but for a version that is stored from now on.
pub(crate) fn prepare_update(crd: &mut Json, old: &Json) {
    let mut status = old.get("status").cloned().unwrap_or_else(|| json!({}));
    if let (Some(version), Some(fields)) = (storage_version(crd), status.as_object_mut()) {
        let stored = fields.entry("storedVersions").or_insert_with(|| json!([]));
        if stored.is_null() {
            *stored = json!([]);
        }
        if let Some(stored) = stored.as_array_mut()
            && !stored.iter().any(|name| name.as_str() == Some(version))
        {
            stored.push(version.into());
        }
    }
    crd.insert("status".into(), status);
}

/// An update of the status changes nothing else.
pub(crate) fn prepare_status(crd: &mut Json, old: &Json) {
    match old.get("spec") {
        Some(spec) => crd.insert("spec".into(), spec.clone()),
        None => crd.remove("spec"),
    };
}

/// What is wrong with a new definition, its metadata aside but for its name.
pub(crate) fn validate_create(crd: &Json) -> Vec<FieldError> {
    validate(crd, None)
}

/// What is wrong with a definition that replaces `old`, its metadata aside.
pub(crate) fn validate_update(crd: &Json, old: &Json) -> Vec<FieldError> {
    validate(crd, Some(old))
}

/// What is wrong with a status that replaces another.
pub(crate) fn validate_status(crd: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(accepted) = crd.get("status").and_then(|status| status.get("acceptedNames")) {
        names::check(accepted, "status.acceptedNames", &mut errors);
    }
    errors
}

/// What the writer is warned of: formats that nobody checks.
pub(crate) fn warnings(crd: &Json, old: Option<&Json>) -> Vec<String> {
    let known = old.map(schema::odd_formats).unwrap_or_default();
    let odd = schema::odd_formats(crd).into_iter().filter(|format| !known.contains(format));
    odd.map(|format| format!("unrecognized format {}", printed::quote(&format))).collect()
}

fn validate(crd: &Json, old: Option<&Json>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let empty = Map::new();
    let raw = crd.get("spec").and_then(Value::as_object).unwrap_or(&empty);
    let spec = Spec::of(raw);
    if old.is_none() {
        name(crd, &spec, &mut errors);
    }
    check_spec(raw, &spec, old, &mut errors);
    if let Some(old) = old {
        immutable(raw, old, &mut errors);
    }
    errors.extend(validate_status(crd));
    stored_versions(crd, &spec, &mut errors);
    approval::check(crd, old, &mut errors);
    if raw.get("preserveUnknownFields").and_then(Value::as_bool) == Some(true) {
        let why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                   spec.versions[*].schema instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", true, why));
    }
    errors
}

fn name(crd: &Json, spec: &Spec<'_>, errors: &mut Vec<FieldError>) {
    let Some(metadata) = crd.get("metadata").and_then(Value::as_object) else { return };
    let wanted = format!("{}.{}", text(spec.names, "plural"), spec.group);
    for field in ["generateName", "name"] {
        let name = text(metadata, field);
        if name != wanted && (field == "name" || !name.is_empty()) {
            let why = r#"must be spec.names.plural+"."+spec.group"#;
            errors.push(FieldError::invalid(format!("metadata.{field}"), name, why));
        }
    }
}

/// The order of the checks is that of Kubernetes.
fn check_spec(raw: &Json, spec: &Spec<'_>, old: Option<&Json>, errors: &mut Vec<FieldError>) {
    names::group(spec.group, errors);
    match text(raw, "scope") {
        "" => errors.push(FieldError::required("spec.scope", "")),
        "Cluster" | "Namespaced" => {}
        other => errors.push(FieldError::not_supported("spec.scope", other, &["Cluster", "Namespaced"])),
    }
    if spec.shared.open_api().is_none() {
        for (index, version) in spec.versions.iter().enumerate() {
            if version.parts.open_api().is_none() {
                let at = format!("spec.versions[{index}].schema.openAPIV3Schema");
                errors.push(FieldError::required(at, ""));
            }
        }
    }
    let unchanged = schema::Unchanged::between(raw, old);
    for (index, version) in spec.versions.iter().enumerate() {
        version::check(spec, version, index, &unchanged, errors);
    }
    version::together(spec, errors);
    for field in ["plural", "singular", "kind", "listKind"] {
        if text(spec.names, field).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{field}"), ""));
        }
    }
    if let Some(names) = raw.get("names") {
        names::check(names, "spec.names", errors);
    }
    version::shared(spec, &unchanged, errors);
    conversion(raw, errors);
}

/// Webhooks would have to be called while objects are read and written: there are none here.
fn conversion(raw: &Json, errors: &mut Vec<FieldError>) {
    let Some(conversion) = raw.get("conversion").and_then(Value::as_object) else { return };
    let webhook = conversion.get("webhook").filter(|webhook| !webhook.is_null());
    match text(conversion, "strategy") {
        "" => errors.push(FieldError::required("spec.conversion.strategy", "")),
        "None" => {}
        "Webhook" => {
            let why = "this server calls no conversion webhooks; use None and keep the versions alike";
            errors.push(FieldError::forbidden("spec.conversion.strategy", why));
        }
        other => {
            errors.push(FieldError::not_supported("spec.conversion.strategy", other, &["None", "Webhook"]))
        }
    }
    let Some(webhook) = webhook.filter(|_| text(conversion, "strategy") != "Webhook") else { return };
    let why = "should not be set when strategy is not set to Webhook";
    for (field, name) in [("clientConfig", "webhookClientConfig"), ("conversionReviewVersions", "")] {
        if webhook.get(field).is_some_and(|value| !value.is_null()) {
            let name = if name.is_empty() { field } else { name };
            errors.push(FieldError::forbidden(format!("spec.conversion.{name}"), why));
        }
    }
}

fn immutable(raw: &Json, old: &Json, errors: &mut Vec<FieldError>) {
    let Some(before) = old.get("spec").and_then(Value::as_object) else { return };
    let names = |spec: &Json, field: &str| {
        spec.get("names").and_then(Value::as_object).map_or("", |names| text(names, field)).to_owned()
    };
    let mut same = |path: &str, now: &str, before: &str| {
        if now != before {
            errors.push(FieldError::invalid(path, now, "field is immutable"));
        }
    };
    if condition(old, "Established").is_some_and(|status| status == "True") {
        same("spec.scope", text(raw, "scope"), text(before, "scope"));
        same("spec.names.kind", &names(raw, "kind"), &names(before, "kind"));
    }
    same("spec.group", text(raw, "group"), text(before, "group"));
    same("spec.names.plural", &names(raw, "plural"), &names(before, "plural"));
}

fn stored_versions(crd: &Json, spec: &Spec<'_>, errors: &mut Vec<FieldError>) {
    const AT: &str = "status.storedVersions";
    let stored =
        crd.get("status").and_then(|status| status.get("storedVersions")).cloned().unwrap_or_default();
    let names: Vec<&str> = stored.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if names.is_empty() {
        errors.push(FieldError::invalid(AT, stored, "must have at least one stored version"));
        return;
    }
    // A name is good for one version only.
    let mut left = names.clone();
    for version in &spec.versions {
        let place = left.iter().position(|name| *name == version.name);
        if version.storage && place.is_none() {
            let why = format!("must have the storage version {}", version.name);
            errors.push(FieldError::invalid(AT, stored.clone(), why));
        }
        place.map(|place| left.remove(place));
    }
    for (index, name) in names.iter().enumerate() {
        if !spec.versions.iter().any(|version| version.name == *name) {
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(format!("{AT}[{index}]"), *name, why));
        }
    }
}

fn storage_version(crd: &Json) -> Option<&str> {
    let versions = crd.get("spec")?.get("versions")?.as_array()?;
    let stored = |version: &&Value| version.get("storage").and_then(Value::as_bool) == Some(true);
    versions.iter().find(stored)?.get("name")?.as_str()
}

/// The status of a condition.
pub(super) fn condition<'a>(crd: &'a Json, name: &str) -> Option<&'a str> {
    let conditions = crd.get("status")?.get("conditions")?.as_array()?;
    let found =
        conditions.iter().find(|condition| condition.get("type").and_then(Value::as_str) == Some(name))?;
    found.get("status")?.as_str()
}

/// A text, empty if it is missing or something else.
pub(super) fn text<'a>(map: &'a Json, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
