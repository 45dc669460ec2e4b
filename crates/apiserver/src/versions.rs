//! One object in several versions of its kind.
//!
//! Objects of custom kinds are kept in one version, and read by the schema of another, or by one that has changed since
//! they were written. Of the built-in kinds only events are served in two groups, and kept in the older form.

use std::borrow::Cow;

use serde_json::Value;

use crate::builtin;
use crate::document::{Document, Json};
use crate::kinds::Kind;

/// An object in the form of a version of its kind.
pub fn viewed<'d>(kind: &Kind, document: &'d Document) -> Cow<'d, Document> {
    if !is_converted(kind) {
        return Cow::Borrowed(document);
    }
    Cow::Owned(document.rewritten(&shown(kind, document)))
}

/// The JSON of an object in the form of a version of its kind.
pub fn shown(kind: &Kind, document: &Document) -> Json {
    let mut json = document.json();
    builtin::from_kept(kind, &mut json);
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), (*kind.kind).into());
    match &kind.custom {
        Some(custom) if custom.is_converted() => changed(json, |object| custom.read(object)),
        _ => json,
    }
}

fn is_converted(kind: &Kind) -> bool {
    kind.custom.as_ref().map_or_else(|| builtin::is_converted(kind), |custom| custom.is_converted())
}

fn changed(json: Json, change: impl FnOnce(&mut Value)) -> Json {
    let mut value = Value::Object(json);
    change(&mut value);
    match value {
        Value::Object(json) => json,
        _ => Json::new(),
    }
}

/// The JSON of an object as it is kept.
pub fn kept(kind: &Kind, json: Json) -> Json {
    let mut json = json;
    builtin::to_kept(kind, &mut json);
    match &kind.custom {
        Some(custom) => changed(json, |object| custom.store(object)),
        None => json,
    }
}
