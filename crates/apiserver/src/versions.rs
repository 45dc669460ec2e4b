//! One object in several versions of its kind.
//!
//! Versions of custom kinds differ in nothing but their name. Of the built-in kinds only events are served in two
//! groups, and kept in the older form.

use std::borrow::Cow;

use crate::builtin;
use crate::document::{Document, Json};
use crate::kinds::Kind;

/// An object in the form of a version of its kind.
pub fn viewed<'d>(kind: &Kind, document: &'d Document) -> Cow<'d, Document> {
    if !builtin::is_converted(kind) {
        return Cow::Borrowed(document);
    }
    let mut json = document.json();
    builtin::from_kept(kind, &mut json);
    Cow::Owned(document.rewritten(&json))
}

/// The JSON of an object in the form of a version of its kind.
pub fn shown(kind: &Kind, document: &Document) -> Json {
    let mut json = document.json();
    builtin::from_kept(kind, &mut json);
    json.insert("apiVersion".into(), kind.api_version().into());
    json.insert("kind".into(), (*kind.kind).into());
    json
}

/// The JSON of an object as it is kept.
pub fn kept(kind: &Kind, json: Json) -> Json {
    let mut json = json;
    builtin::to_kept(kind, &mut json);
    json
}
