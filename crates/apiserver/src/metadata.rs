//! The metadata of every object: what is filled in, and what is refused.

mod generate;
pub(crate) mod names;
mod owners;

use std::sync::LazyLock;

use bowline_merge::{Cause, FieldError};
use serde_json::{Value, json};

use names::Faults;

use crate::document::Json;
use crate::kinds::Kind;
use crate::random;
use crate::status::Status;
use crate::time::Moment;

/// What must be so of all annotations of an object together.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// Finalizers without a domain that are known.
pub(crate) const KNOWN_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Fills in the metadata of a new object: its namespace, name, uid and time.
///
/// `namespace` is that of the path, and empty where the kind has none.
///
/// # Errors
/// If the object says another namespace than the path, or a version.
pub(crate) fn prepare_create(
    kind: &Kind,
    json: &mut Json,
    namespace: &str,
    now: Moment,
) -> Result<(), Status> {
    let metadata = metadata_mut(json);
    for given in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        metadata.remove(given);
    }
    settle_namespace(kind, metadata, namespace)?;
    if !text(metadata, "resourceVersion").is_empty() {
        return Err(Status::failure(
            http::StatusCode::INTERNAL_SERVER_ERROR,
            "",
            "resourceVersion should not be set on objects to be created",
        ));
    }
    metadata.remove("resourceVersion");
    let prefix = text(metadata, "generateName").to_owned();
    if text(metadata, "name").is_empty() && !prefix.is_empty() {
        metadata.insert("name".into(), generate::name(&prefix).into());
    }
    metadata.insert("uid".into(), random::uid().into());
    metadata.insert("creationTimestamp".into(), now.to_string().into());
    Ok(())
}

/// Fills in the metadata of a changed object what cannot be changed and need not be said.
///
/// # Errors
/// If the object says another namespace than the path.
pub(crate) fn prepare_update(kind: &Kind, new: &mut Json, old: &Json, namespace: &str) -> Result<(), Status> {
    let before = metadata(old);
    let metadata = metadata_mut(new);
    settle_namespace(kind, metadata, namespace)?;
    metadata.remove("selfLink");
    let mut keep = |name: &str| match before.get(name) {
        Some(value) => drop(metadata.insert(name.into(), value.clone())),
        None => drop(metadata.remove(name)),
    };
    keep("generation");
    keep("creationTimestamp");
    if before.contains_key("deletionTimestamp") {
        keep("deletionTimestamp");
    }
    if !metadata.contains_key("deletionGracePeriodSeconds")
        && let Some(grace) = before.get("deletionGracePeriodSeconds")
    {
        metadata.insert("deletionGracePeriodSeconds".into(), grace.clone());
    }
    if text(metadata, "uid").is_empty() {
        metadata.insert("uid".into(), text(before, "uid").into());
    }
    Ok(())
}

fn settle_namespace(kind: &Kind, metadata: &mut Json, namespace: &str) -> Result<(), Status> {
    let expected = if kind.namespaced { namespace } else { "" };
    let said = text(metadata, "namespace");
    if !said.is_empty() && !expected.is_empty() && said != expected {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(message));
    }
    if expected.is_empty() {
        metadata.remove("namespace");
    } else {
        metadata.insert("namespace".into(), expected.into());
    }
    Ok(())
}

/// What is wrong with the metadata of a new object.
///
/// First what the kind says; only if that is nothing, what all kinds say.
pub(crate) fn validate_create(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let own = own_rules(kind, json);
    if own.is_empty() { common(kind, metadata(json), Names::PathSegment) } else { own }
}

/// What the kind says of the metadata of a new object.
pub(crate) fn own_rules(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let metadata = metadata(json);
    match Names::of(kind) {
        // Events have rules of their own.
        None => Vec::new(),
        Some(names) => {
            let mut errors = common(kind, metadata, names);
            if has_bare_finalizer_rule(kind) {
                errors.extend(bare_finalizers(metadata));
            }
            errors
        }
    }
}

/// What newer clients' events say of their metadata.
pub(crate) fn event_rules(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let mut errors = common(kind, metadata(json), Names::Subdomain);
    errors.extend(bare_finalizers(metadata(json)));
    errors
}

/// What is wrong with the metadata of a changed object.
pub(crate) fn validate_update(kind: &Kind, new: &Json, old: &Json) -> Vec<FieldError> {
    let mut errors = common(kind, metadata(new), Names::PathSegment);
    errors.extend(unchanged(metadata(new), metadata(old)));
    errors
}

/// What the validation of most kinds says of changed metadata once more.
pub(crate) fn own_rules_of_update(kind: &Kind, new: &Json, old: &Json) -> Vec<FieldError> {
    let mut errors = unchanged(metadata(new), metadata(old));
    if has_bare_finalizer_rule(kind) {
        errors.extend(bare_finalizers(metadata(new)));
    }
    errors
}

/// How the objects of a kind may be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Names {
    Subdomain,
    Label,
    Label1035,
    PathSegment,
}

impl Names {
    fn of(kind: &Kind) -> Option<Names> {
        if kind.custom.is_some() {
            return Some(Names::Subdomain);
        }
        Some(match (&*kind.group, &*kind.kind) {
            (_, "Event") => return None,
            ("", "Namespace") | ("apps", "StatefulSet") => Names::Label,
            ("", "Service") => Names::Label1035,
            ("rbac.authorization.k8s.io", _) | ("certificates.k8s.io", _) => Names::PathSegment,
            _ => Names::Subdomain,
        })
    }

    pub(crate) fn check(self, name: &str, prefix: bool) -> Faults {
        let masked = if prefix && self != Names::PathSegment { names::masked(name) } else { name.to_owned() };
        match self {
            Names::Subdomain => names::subdomain(&masked),
            Names::Label => names::label(&masked),
            Names::Label1035 => names::label_1035(&masked),
            Names::PathSegment if prefix => names::path_prefix(name),
            Names::PathSegment => names::path_segment(name),
        }
    }
}

/// The groups whose validation does not look at finalizers without a domain.
fn has_bare_finalizer_rule(kind: &Kind) -> bool {
    let without = ["coordination.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io"];
    kind.custom.is_none() && !without.contains(&&*kind.group)
}

fn common(kind: &Kind, metadata: &Json, names: Names) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let prefix = text(metadata, "generateName");
    if !prefix.is_empty() {
        errors.extend(invalid("metadata.generateName", prefix, names.check(prefix, true)));
    }
    match text(metadata, "name") {
        "" => errors.push(FieldError::required("metadata.name", "name or generateName is required")),
        name => errors.extend(invalid("metadata.name", name, names.check(name, false))),
    }
    let namespace = text(metadata, "namespace");
    match (kind.namespaced, namespace) {
        (true, "") => errors.push(FieldError::required("metadata.namespace", "")),
        (true, _) => errors.extend(invalid("metadata.namespace", namespace, names::label(namespace))),
        (false, "") => {}
        (false, _) => errors.push(FieldError::forbidden("metadata.namespace", "not allowed on this type")),
    }
    if let Some(generation) = metadata.get("generation").and_then(Value::as_i64).filter(|number| *number < 0)
    {
        errors.push(FieldError::invalid(
            "metadata.generation",
            generation,
            "must be greater than or equal to 0",
        ));
    }
    errors.extend(labels(metadata.get("labels"), "metadata.labels"));
    errors.extend(annotations(metadata.get("annotations"), "metadata.annotations"));
    errors.extend(owners::validate(metadata));
    errors.extend(finalizers(metadata));
    errors.extend(managed_fields(metadata));
    errors
}

/// What is wrong with labels.
pub(crate) fn labels(labels: Option<&Value>, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in entries(labels) {
        errors.extend(invalid(path, key, names::qualified(key)));
        errors.extend(invalid(path, value, names::label_value(value)));
    }
    errors
}

/// What is wrong with annotations.
pub(crate) fn annotations(annotations: Option<&Value>, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut size = 0;
    for (key, value) in entries(annotations) {
        errors.extend(invalid(path, key, names::qualified(&key.to_lowercase())));
        size += key.len() + value.len();
    }
    if size > MOST_ANNOTATIONS {
        errors.push(too_long(path, MOST_ANNOTATIONS));
    }
    errors
}

fn finalizers(metadata: &Json) -> Vec<FieldError> {
    let list = metadata.get("finalizers").and_then(Value::as_array);
    let named: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut errors: Vec<_> =
        named.iter().flat_map(|name| invalid("metadata.finalizers", name, names::qualified(name))).collect();
    if named.contains(&"orphan") && named.contains(&"foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid("metadata.finalizers", json!(named), why));
    }
    errors
}

fn bare_finalizers(metadata: &Json) -> Vec<FieldError> {
    let list = metadata.get("finalizers").and_then(Value::as_array);
    let named = list.into_iter().flatten().filter_map(Value::as_str).enumerate();
    let mut errors = Vec::new();
    for (index, name) in named {
        let path = format!("metadata.finalizers[{index}]");
        if !name.contains('/') && !KNOWN_FINALIZERS.contains(&name) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(path, name, why));
        }
    }
    errors
}

fn managed_fields(metadata: &Json) -> Vec<FieldError> {
    let list = metadata.get("managedFields").and_then(Value::as_array);
    let mut errors = Vec::new();
    for (index, entry) in list.into_iter().flatten().filter_map(Value::as_object).enumerate() {
        let path = |name: &str| format!("metadata.managedFields[{index}].{name}");
        let operation = text(entry, "operation");
        if !matches!(operation, "Apply" | "Update") {
            errors.push(FieldError::invalid(path("operation"), operation, "must be `Apply` or `Update`"));
        }
        let fields_type = text(entry, "fieldsType");
        if !matches!(fields_type, "" | "FieldsV1") {
            errors.push(FieldError::invalid(path("fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        if text(entry, "manager").len() > 128 {
            errors.push(too_long(&path("manager"), 128));
        }
        if text(entry, "subresource").len() > 256 {
            errors.push(too_long(&path("subresource"), 256));
        }
    }
    errors
}

/// What may not change, and did.
fn unchanged(new: &Json, old: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.contains_key("deletionTimestamp") {
        errors.extend(late_finalizers(new, old));
    }
    let version = text(new, "resourceVersion");
    if version.is_empty() {
        errors.push(FieldError::invalid("metadata.resourceVersion", "", "must be specified for an update"));
    }
    let generation = |metadata: &Json| metadata.get("generation").and_then(Value::as_i64).unwrap_or(0);
    if generation(new) < generation(old) {
        errors.push(FieldError::invalid("metadata.generation", generation(new), "must not be decremented"));
    }
    for name in ["name", "namespace", "uid"] {
        if text(new, name) != text(old, name) {
            errors.push(immutable(&format!("metadata.{name}"), text(new, name)));
        }
    }
    for name in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let value = |metadata: &Json| metadata.get(name).cloned().unwrap_or(Value::Null);
        if value(new) != value(old) {
            errors.push(immutable(&format!("metadata.{name}"), value(new)));
        }
    }
    errors.extend(labels(new.get("labels"), "metadata.labels"));
    errors.extend(annotations(new.get("annotations"), "metadata.annotations"));
    errors.extend(owners::validate(new));
    errors.extend(managed_fields(new));
    errors
}

fn late_finalizers(new: &Json, old: &Json) -> Vec<FieldError> {
    let list = |metadata: &Json| -> Vec<String> {
        let list = metadata.get("finalizers").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let before = list(old);
    let mut added: Vec<_> = list(new).into_iter().filter(|name| !before.contains(name)).collect();
    if added.is_empty() {
        return Vec::new();
    }
    added.sort();
    added.dedup();
    let added: Vec<_> = added.iter().map(|name| format!("{name:?}")).collect();
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    vec![FieldError::forbidden("metadata.finalizers", why)]
}

/// A field that may not change, and did.
pub(crate) fn immutable(path: &str, value: impl Into<Value>) -> FieldError {
    FieldError::invalid(path, value, "field is immutable")
}

/// One error for each fault of a value.
pub(crate) fn invalid(path: &str, value: &str, faults: Faults) -> Vec<FieldError> {
    faults.into_iter().map(|fault| FieldError::invalid(path, value, fault)).collect()
}

/// A value has too many bytes.
pub(crate) fn too_long(path: &str, most: usize) -> FieldError {
    let detail = format!("may not be more than {most} byte{}", if most == 1 { "" } else { "s" });
    FieldError { kind: Cause::TooLong, path: path.to_owned(), value: None, detail }
}

fn entries(map: Option<&Value>) -> impl Iterator<Item = (&String, &str)> {
    let map = map.and_then(Value::as_object);
    map.into_iter().flatten().map(|(key, value)| (key, value.as_str().unwrap_or_default()))
}

fn text<'a>(metadata: &'a Json, name: &str) -> &'a str {
    metadata.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn metadata(json: &Json) -> &Json {
    static NONE: LazyLock<Json> = LazyLock::new(Json::new);
    json.get("metadata").and_then(Value::as_object).unwrap_or(&NONE)
}

/// The metadata of an object, which has none only before it is read.
fn metadata_mut(json: &mut Json) -> &mut Json {
    let metadata = json.entry("metadata").or_insert_with(|| json!({}));
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata.as_object_mut().expect("it was just made one")
}
