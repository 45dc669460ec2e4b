//! One object in several versions of its kind.
//!
//! Versions of custom kinds differ in nothing but their name. Of the built-in kinds only events are served in two
//! groups, and kept in the older form.

use std::borrow::Cow;

use crate::pending;
use crate::document::{Document, Json};
use crate::kinds::Kind;

/// Whether the kind is kept in another form than its own.
fn is_converted(kind: &Kind) -> bool {
    &*kind.group == "events.k8s.io"
}

/// An object in the form of a version of its kind.
pub fn viewed<'d>(kind: &Kind, document: &'d Document) -> Cow<'d, Document> {
    if !is_converted(kind) {
        return Cow::Borrowed(document);
    }
    let mut json = document.json();
    pending::events::to_new(&mut json);
    Cow::Owned(document.rewritten(&json))
}

/// The JSON of an object in the form of a version of its kind.
pub fn shown(kind: &Kind, document: &Document) -> Json {
    let mut json = document.json();
    if is_converted(kind) {
        pending::events::to_new(&mut json);
    }
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), (*kind.kind).into());
    json
}

/// The JSON of an object as it is kept.
pub fn kept(kind: &Kind, json: Json) -> Json {
    let mut json = json;
    if is_converted(kind) {
        pending::events::to_old(&mut json);
    }
    json
}
