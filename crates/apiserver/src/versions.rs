//! One object in several versions of its kind.
//!
//! Versions of a custom kind differ in their names and schemas: what one does not name is not shown in it. Of the
//! built-in kinds only events are served in two groups, and kept in the older form.

use std::borrow::Cow;

use serde_json::Value;

use crate::builtin;
use crate::crd::Custom;
use crate::document::{Document, Json};
use crate::kinds::Kind;

/// An object in the form of a version of its kind.
pub(crate) fn viewed<'d>(kind: &Kind, document: &'d Document) -> Cow<'d, Document> {
    if is_kept_as_shown(kind) {
        return Cow::Borrowed(document);
    }
    Cow::Owned(document.rewritten(&shown(kind, document)))
}

/// Whether the bytes that are kept are those that are shown.
fn is_kept_as_shown(kind: &Kind) -> bool {
    match &kind.custom {
        Some(custom) => custom.is_unchanged(),
        None => !builtin::is_converted(kind),
    }
}

/// The JSON of an object in the form of a version of its kind.
pub(crate) fn shown(kind: &Kind, document: &Document) -> Json {
    presented(kind, document.json())
}

/// The same object in another version of its kind.
pub(crate) fn converted(from: &Kind, to: &Kind, json: &Json) -> Json {
    presented(to, kept(from, json.clone()))
}

/// What is kept, in the form of a version of its kind.
fn presented(kind: &Kind, mut json: Json) -> Json {
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), (*kind.kind).into());
    match &kind.custom {
        Some(custom) if !custom.is_unchanged() => read(custom, json),
        Some(_) => json,
        None => {
            builtin::from_kept(kind, &mut json);
            json
        }
    }
}

fn read(custom: &Custom, json: Json) -> Json {
    let mut value = Value::Object(json);
    custom.read(&mut value);
    if let Value::Object(json) = value { json } else { Json::new() }
}

/// The JSON of an object as it is kept.
pub(crate) fn kept(kind: &Kind, json: Json) -> Json {
    let mut value = Value::Object(json);
    if let Some(custom) = &kind.custom {
        custom.store(&mut value);
    }
    let Value::Object(mut json) = value else { return Json::new() };
    builtin::to_kept(kind, &mut json);
    json
}
