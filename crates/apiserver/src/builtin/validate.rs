//! What is wrong with objects of built-in kinds, in the words and the order of the real server.

mod check;

use bowline_merge::FieldError;

use crate::document::Json;
use crate::kinds::Kind;

use check::Check;

/// What is wrong with a new object, but for its metadata.
pub(super) fn create(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let mut check = Check::default();
    let _ = (kind, json, &mut check);
    check.into_errors()
}

/// What is wrong with a changed object, and with the change.
pub(super) fn update(kind: &Kind, new: &Json, old: &Json, subresource: &str) -> Vec<FieldError> {
    let _ = (kind, new, old, subresource);
    Vec::new()
}
