//! Parts of objects that have paths of their own: how many there are, and where they run.

use bowline_merge::FieldError;
use http::StatusCode;
use serde_json::{Value, json};

use super::fields::{at, enter, fill, list, number, object, objects, text};
use crate::document::Json;
use crate::kinds::Kind;
use crate::status::{Details, Status};
use crate::time::Moment;

/// How many of something there are, and shall be: a `Scale` of `autoscaling/v1`.
pub(crate) fn scale(kind: &Kind, json: &Json) -> Value {
    let metadata = object(json, "metadata");
    let kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let kept: Json =
        kept.iter().filter_map(|name| Some(((*name).to_owned(), metadata.get(*name)?.clone()))).collect();
    let wanted = number(object(json, "spec"), "replicas").unwrap_or(0);
    let spec = if wanted == 0 { json!({}) } else { json!({"replicas": wanted}) };
    let mut status = json!({"replicas": number(object(json, "status"), "replicas").unwrap_or(0)});
    let selector = selector(kind, object(json, "spec"));
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": kept, "spec": spec, "status": status})
}

/// A selector in the words of a query: `a=b,c in (d,e)`.
fn selector(kind: &Kind, spec: &Json) -> String {
    let selector = object(spec, "selector");
    let equals = |labels: &Json| -> Vec<(String, String)> {
        let texts = labels.iter();
        texts
            .map(|(key, value)| (key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())))
            .collect()
    };
    if &*kind.kind == "ReplicationController" {
        return join(equals(selector));
    }
    let mut parts = equals(object(selector, "matchLabels"));
    for requirement in objects(selector, "matchExpressions") {
        let key = text(requirement, "key");
        let mut values: Vec<&str> = list(requirement, "values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let words = match text(requirement, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        };
        parts.push((key.to_owned(), words));
    }
    join(parts)
}

fn join(mut parts: Vec<(String, String)>) -> String {
    parts.sort_by(|(one, _), (other, _)| one.cmp(other));
    parts.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(",")
}

/// Makes an object what a scale says.
///
/// # Errors
/// If the scale is not valid, or of something else.
pub(crate) fn with_scale(kind: &Kind, json: &mut Json, scale: &Value) -> Result<(), Status> {
    let _ = kind;
    let scale = scale.as_object().cloned().unwrap_or_default();
    let (said, known) = (object(&scale, "metadata"), object(json, "metadata"));
    let name = text(known, "name").to_owned();
    if !text(said, "name").is_empty() && text(said, "name") != name {
        let other = text(said, "name");
        let message = format!("the name of the object ({other}) does not match the name on the URL ({name})");
        return Err(Status::bad_request(message));
    }
    let namespace = text(said, "namespace");
    if !namespace.is_empty() && namespace != text(known, "namespace") {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(message));
    }
    let replicas = number(object(&scale, "spec"), "replicas").unwrap_or(0);
    if replicas < 0 {
        let error = FieldError::invalid("spec.replicas", replicas, "must be greater than or equal to 0");
        return Err(invalid_scale(&name, &error));
    }
    // Whoever read a scale writes it back only if nothing came between.
    if let Some(version) = said.get("resourceVersion").filter(|version| version.as_str() != Some("")) {
        let version = version.clone();
        enter(json, "metadata").insert("resourceVersion".into(), version);
    }
    enter(json, "spec").insert("replicas".into(), replicas.into());
    Ok(())
}

fn invalid_scale(name: &str, error: &FieldError) -> Status {
    let cause = crate::status::Cause {
        reason: error.reason().to_owned(),
        message: error.message(),
        field: error.path.clone(),
    };
    let message = format!("Scale.autoscaling {name:?} is invalid: {error}");
    Status::failure(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).of(Details {
        name: name.to_owned(),
        group: "autoscaling".to_owned(),
        kind: "Scale".to_owned(),
        causes: vec![cause],
        ..Details::default()
    })
}

/// Gives a pod the node that a binding names.
///
/// # Errors
/// If the binding makes no sense, or the pod has a node, waits, or goes.
pub(crate) fn bind(pod: &mut Json, binding: &Json, now: Moment) -> Result<(), Status> {
    let name = text(object(pod, "metadata"), "name").to_owned();
    if text(object(binding, "metadata"), "name") != name {
        return Err(Status::bad_request("name in URL does not match name in Binding object"));
    }
    let target = object(binding, "target");
    // The real server takes the blame for these.
    let blame = |message: String| Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message);
    if !matches!(text(target, "kind"), "" | "Node") {
        let error = FieldError::not_supported("target.kind", text(target, "kind"), &["Node", "<empty>"]);
        return Err(blame(error.to_string()));
    }
    if text(target, "name").is_empty() {
        return Err(blame(FieldError::required("target.name", "").to_string()));
    }
    if let Some(why) = why_not_bound(pod, &name) {
        let message = format!("Operation cannot be fulfilled on pods/binding {name:?}: {why}");
        let details = Details { name, kind: "pods/binding".to_owned(), ..Details::default() };
        return Err(Status::failure(StatusCode::CONFLICT, "Conflict", message).of(details));
    }
    for (key, value) in at(binding, &["metadata", "annotations"]) {
        enter(enter(pod, "metadata"), "annotations").insert(key.clone(), value.clone());
    }
    enter(pod, "spec").insert("nodeName".into(), text(target, "name").into());
    set_condition(pod, json!({"type": "PodScheduled", "status": "True"}), now);
    Ok(())
}

fn why_not_bound(pod: &Json, name: &str) -> Option<String> {
    let spec = object(pod, "spec");
    let node = text(spec, "nodeName");
    if object(pod, "metadata").contains_key("deletionTimestamp") {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if !node.is_empty() {
        return Some(format!("pod {name} is already assigned to node {node:?}"));
    }
    (!list(spec, "schedulingGates").is_empty())
        .then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

/// Whether an eviction is of the pod that the path names.
///
/// # Errors
/// If it names another pod, or none.
pub(crate) fn check_eviction(eviction: &Json, namespace: &str, name: &str) -> Result<(), Status> {
    let said = object(eviction, "metadata");
    if !text(said, "namespace").is_empty() && text(said, "namespace") != namespace {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(message));
    }
    if text(said, "name") != name {
        return Err(Status::bad_request("name in URL does not match name in Eviction object"));
    }
    Ok(())
}

/// Notes on a pod that it is evicted, before it is deleted.
pub(crate) fn evict(pod: &mut Json, now: Moment) {
    let condition = json!({
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    });
    set_condition(pod, condition, now);
}

/// Sets a condition of a pod; since when it holds changes only if it does.
fn set_condition(pod: &mut Json, condition: Value, now: Moment) {
    let status = enter(pod, "status");
    let Value::Object(mut condition) = condition else { return };
    let mut all = list(status, "conditions").to_vec();
    let kind = condition.get("type").cloned();
    let old = all.iter().position(|other| other.get("type").cloned() == kind);
    let same = old.filter(|index| all[*index].get("status") == condition.get("status"));
    let since = same.and_then(|index| all[index].get("lastTransitionTime").cloned());
    condition.insert("lastTransitionTime".into(), since.unwrap_or_else(|| now.to_string().into()));
    fill(&mut condition, "lastProbeTime", Value::Null);
    match old {
        Some(index) => all[index] = Value::Object(condition),
        None => all.push(Value::Object(condition)),
    }
    status.insert("conditions".into(), all.into());
}
