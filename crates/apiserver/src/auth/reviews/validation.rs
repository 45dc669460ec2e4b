//! Which questions about rights make sense.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{AUTHORIZATION, Review};
use crate::auth::causes::{Causes, text, texts};
use crate::auth::rbac::{check_label_requirement, check_operator};
use crate::status::Status;

/// The fields of metadata, in the order in which Go writes them.
const METADATA: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];
/// The same of an entry of the managed fields.
const MANAGED: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

pub(super) fn check(review: Review, metadata: &Value, spec: &Value) -> Result<(), Status> {
    let mut causes = Causes::default();
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    match (resource.is_object(), path.is_object()) {
        (true, true) => {
            let why = "cannot be specified in combination with resourceAttributes";
            causes.invalid("spec.nonResourceAttributes", shown_path(path), why);
        }
        (false, false) => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            causes.invalid("spec.resourceAttributes", "null", why);
        }
        _ => {}
    }
    let nobody = text(spec, "user").is_empty() && texts(spec, "groups").is_empty();
    if nobody && review != Review::SelfSubjectAccess {
        causes.invalid_text("spec.user", "", "at least one of user or group must be specified");
    }
    check_selector(resource, "fieldSelector", &mut causes);
    check_selector(resource, "labelSelector", &mut causes);
    check_metadata(review, metadata, &mut causes);
    if review == Review::LocalSubjectAccess {
        let namespace = text(resource, "namespace");
        if resource.is_object() && namespace != text(metadata, "namespace") {
            let why = "must match metadata.namespace";
            causes.invalid_text("spec.resourceAttributes.namespace", namespace, why);
        }
        if path.is_object() {
            let why = "disallowed on this kind of request";
            causes.invalid("spec.nonResourceAttributes", shown_path(path), why);
        }
    }
    // The real server has forgotten the kind by then.
    causes.check(AUTHORIZATION, "", "")
}

fn check_metadata(review: Review, metadata: &Value, causes: &mut Causes) {
    let local = review == Review::LocalSubjectAccess;
    let counts = |field: &str| field != "managedFields" && !(local && field == "namespace");
    let says = |value: &Value| !matches!(value, Value::Null) && *value != json!("");
    let mut all = metadata.as_object().into_iter().flatten();
    if all.any(|(field, value)| counts(field) && says(value)) {
        let why = if local { "must be empty except for namespace" } else { "must be empty" };
        causes.invalid("metadata", shown_metadata(metadata), why);
    }
}

fn check_selector(resource: &Value, kind: &str, causes: &mut Causes) {
    let selector = &resource[kind];
    if !selector.is_object() {
        return;
    }
    let field = format!("spec.resourceAttributes.{kind}");
    let raw = text(selector, "rawSelector");
    let requirements = selector["requirements"].as_array().map_or(&[][..], Vec::as_slice);
    if !raw.is_empty() && !requirements.is_empty() {
        let why = "may not specified at the same time as requirements";
        causes.invalid_text(format!("{field}.rawSelector"), raw, why);
    }
    if raw.is_empty() && requirements.is_empty() {
        let why = format!("when {field} is specified, requirements or rawSelector is required");
        causes.required(format!("{field}.requirements"), &why);
    }
    for (index, requirement) in requirements.iter().enumerate() {
        let field = format!("{field}.requirements[{index}]");
        // Newer clients may know operators that this server does not.
        if kind == "labelSelector" {
            check_label_requirement(requirement, &field, true, causes);
            continue;
        }
        if text(requirement, "key").is_empty() {
            causes.required(format!("{field}.key"), "must be specified");
        }
        check_operator(requirement, &texts(requirement, "values"), &field, true, causes);
    }
}

/// As Go shows what it keeps inside.
fn shown_path(path: &Value) -> String {
    format!(r#"{{"Path":{},"Verb":{}}}"#, json!(text(path, "path")), json!(text(path, "verb")))
}

fn shown_metadata(metadata: &Value) -> String {
    let managed = metadata["managedFields"].as_array().into_iter().flatten();
    let managed: Vec<_> = managed.map(|entry| in_order(&MANAGED, |field| shown(&entry[field]))).collect();
    in_order(&METADATA, |field| match field {
        "managedFields" => (!managed.is_empty()).then(|| format!("[{}]", managed.join(","))),
        _ => shown(&metadata[field]),
    })
}

fn shown(value: &Value) -> Option<String> {
    (!value.is_null() && *value != json!("")).then(|| value.to_string())
}

fn in_order(fields: &[&str], shown: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::from("{");
    for field in fields {
        if let Some(value) = shown(field) {
            let comma = if out.len() > 1 { "," } else { "" };
            let _ = write!(out, r#"{comma}"{field}":{value}"#);
        }
    }
    out.push('}');
    out
}
