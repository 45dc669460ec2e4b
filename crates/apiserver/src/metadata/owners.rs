//! What an object belongs to.

use bowline_merge::{Cause, FieldError};
use serde_json::Value;

use super::text;
use crate::document::Json;

const PATH: &str = "metadata.ownerReferences";
/// Each complaint about a second controller shows all references: so much is said, and no more.
const SAID_BYTES: usize = 1 << 20;

/// What is wrong with the owners of an object.
pub(super) fn validate(metadata: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    let all = metadata.get("ownerReferences");
    let mut said_bytes = 0;
    for reference in all.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        errors.extend(one(reference));
        if reference.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let this = format!("{}/{}", text(reference, "kind"), text(reference, "name"));
        match &controller {
            None => controller = Some(this),
            Some(_) if said_bytes > SAID_BYTES => {}
            Some(first) => {
                let why = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                );
                let all = all.and_then(Value::as_array).into_iter().flatten().map(as_go).collect::<Vec<_>>();
                let error = invalid(format!("[{}]", all.join(",")), &why);
                said_bytes += error.detail.len();
                errors.push(error);
            }
        }
    }
    errors
}

fn one(reference: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let api_version = text(reference, "apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let mut empty = |name: &str, why: &str| {
        errors.push(FieldError::invalid(format!("{PATH}.{name}"), text(reference, name), why));
    };
    if version.is_empty() || version.contains('/') {
        empty("apiVersion", "version must not be empty");
    }
    for name in ["kind", "name", "uid"] {
        if text(reference, name).is_empty() {
            empty(name, "must not be empty");
        }
    }
    if (group, version, text(reference, "kind")) == ("", "v1", "Event") {
        let why = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(invalid(as_go(&Value::Object(reference.clone())), why));
    }
    errors
}

/// A fault of a struct, which Go writes in another order than JSON is kept in here.
fn invalid(written: String, why: &str) -> FieldError {
    let detail = format!("{written}: {why}");
    FieldError { kind: Cause::Invalid, path: PATH.to_owned(), value: None, detail }
}

/// A reference as Go writes it.
fn as_go(reference: &Value) -> String {
    let always = ["apiVersion", "kind", "name", "uid"].into_iter().map(|name| {
        let value = reference.get(name).cloned().unwrap_or_else(|| "".into());
        format!("{name:?}:{value}")
    });
    let sometimes = ["controller", "blockOwnerDeletion"].into_iter();
    let sometimes = sometimes.filter_map(|name| reference.get(name).map(|value| format!("{name:?}:{value}")));
    format!("{{{}}}", always.chain(sometimes).collect::<Vec<_>>().join(","))
}
