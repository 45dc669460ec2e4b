//! Admission of the schema of a CRD: what Kubernetes refuses, in its words.

mod defaults;
mod keywords;
mod raw;
mod regexes;
mod structure;

use serde_json::Value;

use crate::error::FieldError;
use crate::path::FieldPath;
use raw::Raw;

/// What is wrong with a schema that stands at a path (`spec.versions[0].schema.openAPIV3Schema`).
pub(super) fn check(root: &Value, at: &FieldPath<'_>) -> Vec<FieldError> {
    let Some(schema) = Raw::of(root) else {
        return vec![FieldError::required(at.field("type"), "must not be empty at the root")];
    };
    let mut errors = Vec::new();
    if schema.flag("nullable") {
        errors.push(FieldError::forbidden(at.field("nullable"), "nullable cannot be true at the root"));
    }
    let unsupported = structure::unsupported(schema);
    if unsupported.is_none() {
        let faults = structure::check(schema, at);
        if faults.is_empty() {
            errors.extend(defaults::check(root, at));
        } else {
            errors.extend(faults);
        }
    }
    errors.extend(keywords::check(schema, at));
    // What the structural form cannot hold is mostly told by the keywords; only otherwise it is told so.
    if let (true, Some(what)) = (errors.is_empty(), unsupported) {
        errors.push(FieldError::invalid(at, "", what));
    }
    errors
}

#[cfg(test)]
mod tests;
