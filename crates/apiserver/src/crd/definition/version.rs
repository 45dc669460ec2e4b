//! One version of a definition, and what versions have together.

use std::collections::BTreeSet;

use bowline_merge::{Cause, FieldError};
use serde_json::Value;

use super::internal::{Parts, Spec, Version};
use super::names::label_fault;
use super::schema::Unchanged;
use super::{paths, printed, schema, text};

const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: &[&str] =
    &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const MOST_SELECTABLE: usize = 8;

/// What is wrong with one version, as far as it is not shared with the others.
pub(super) fn check(
    spec: &Spec<'_>,
    version: &Version<'_>,
    index: usize,
    unchanged: &Unchanged,
    errors: &mut Vec<FieldError>,
) {
    let at = format!("spec.versions[{index}]");
    if let Some(fault) = label_fault(version.name) {
        errors.push(FieldError::invalid(format!("{at}.name"), version.name, fault));
    }
    deprecation(version, &at, errors);
    let parts = &version.parts;
    if let Some(root) = parts.open_api() {
        let at = format!("{at}.schema");
        schema::check(root, &at, spec.has_status(version), unchanged.has(version.name), errors);
    }
    subresources(parts.subresources, &format!("{at}.subresources"), errors);
    columns(parts.columns, &at, errors);
    if let Some(fields) = parts.selectable {
        let at = format!("{at}.selectableFields");
        match parts.open_api() {
            Some(root) => selectable(fields, root, &at, errors),
            None => {
                let why = "may only be set when `version.schema.openAPIV3Schema` is not included";
                errors.push(FieldError::invalid(at, "", why));
            }
        }
    }
}

/// What is wrong with what all versions share.
pub(super) fn shared(spec: &Spec<'_>, unchanged: &Unchanged, errors: &mut Vec<FieldError>) {
    let Parts { subresources: all, columns: shown, selectable: fields, .. } = spec.shared;
    let status = spec.shared.has_status() || spec.versions.iter().any(|version| version.parts.has_status());
    if let Some(root) = spec.shared.open_api() {
        let first = spec.versions.first().map_or("", |version| version.name);
        schema::check(root, "spec.validation", status, unchanged.has(first), errors);
    }
    subresources(all, "spec.subresources", errors);
    columns(shown, "spec", errors);
    if let Some(fields) = fields {
        match spec.shared.open_api() {
            Some(root) => selectable(fields, root, "spec.selectableFields", errors),
            None => {
                let why = "may only be set when validations.schema is included";
                errors.push(FieldError::invalid("spec.selectableFields", "", why));
            }
        }
    }
}

/// What is wrong with the versions as a whole.
pub(super) fn together(spec: &Spec<'_>, errors: &mut Vec<FieldError>) {
    let mut say = |why: &str| {
        let detail = format!("{}: {why}", printed::versions(spec));
        errors.push(FieldError { kind: Cause::Invalid, path: "spec.versions".into(), value: None, detail });
    };
    let names: BTreeSet<_> = spec.versions.iter().map(|version| version.name).collect();
    if names.len() != spec.versions.len() {
        say("must contain unique version names");
    }
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        say("must have exactly one version marked as storage version");
    }
    // The first version is kept by its own once more, and checked once more.
    if let Some(first) = spec.versions.first().map(|version| version.name).filter(|name| !name.is_empty())
        && let Some(fault) = label_fault(first)
    {
        errors.push(FieldError::invalid("spec.version", first, fault));
    }
}

fn deprecation(version: &Version<'_>, at: &str, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.raw.get("deprecationWarning").and_then(Value::as_str) else { return };
    let mut say =
        |why: String| errors.push(FieldError::invalid(format!("{at}.deprecationWarning"), warning, why));
    if version.raw.get("deprecated").and_then(Value::as_bool) != Some(true) {
        say("can only be set for deprecated versions".to_owned());
        return;
    }
    if warning.len() > 256 {
        say("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        say("must not be an empty string".to_owned());
    }
    let unprintable = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    if let Some((index, _)) = warning.char_indices().find(|(_, c)| unprintable(*c)) {
        say(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
}

fn subresources(all: Option<&Value>, at: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = all.and_then(|all| all.get("scale")).and_then(Value::as_object) else { return };
    let mut check = |field: &str, required: bool, below: &[&str], why: &str| {
        let (at, path) = (format!("{at}.scale.{field}"), text(scale, field));
        if path.is_empty() {
            if required {
                errors.push(FieldError::required(at, ""));
            }
        } else if !path.starts_with('.') {
            errors.push(FieldError::invalid(at, path, "must be a simple json path starting with ."));
        } else if !below.iter().any(|prefix| path.starts_with(prefix)) {
            errors.push(FieldError::invalid(at, path, why));
        }
    };
    check("specReplicasPath", true, &[".spec."], "should be a json path under .spec");
    check("statusReplicasPath", true, &[".status."], "should be a json path under .status");
    let either = "should be a json path under either .spec or .status";
    check("labelSelectorPath", false, &[".spec.", ".status."], either);
}

fn columns(columns: Option<&Value>, at: &str, errors: &mut Vec<FieldError>) {
    let columns = columns.and_then(Value::as_array).into_iter().flatten();
    for (index, column) in columns.filter_map(Value::as_object).enumerate() {
        let at = format!("{at}.additionalPrinterColumns[{index}]");
        if text(column, "name").is_empty() {
            errors.push(FieldError::required(format!("{at}.name"), ""));
        }
        let types = format!("must be one of {}", COLUMN_TYPES.join(","));
        match text(column, "type") {
            "" => errors.push(FieldError::required(format!("{at}.type"), types)),
            odd if !COLUMN_TYPES.contains(&odd) => {
                errors.push(FieldError::invalid(format!("{at}.type"), odd, types))
            }
            _ => {}
        }
        let format = text(column, "format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let why = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.push(FieldError::invalid(format!("{at}.format"), format, why));
        }
        match text(column, "jsonPath") {
            "" => errors.push(FieldError::required(format!("{at}.JSONPath"), "")),
            path if !path.starts_with('.') => {
                let why = "must be a simple json path starting with .";
                errors.push(FieldError::invalid(format!("{at}.JSONPath"), path, why));
            }
            _ => {}
        }
    }
}

fn selectable(fields: &Value, root: &Value, at: &str, errors: &mut Vec<FieldError>) {
    let mut seen = BTreeSet::new();
    for (index, field) in fields.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}[{index}].jsonPath");
        let path = field.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        if path.is_empty() {
            errors.push(FieldError::required(at, ""));
            continue;
        }
        let place = match paths::follow(path, root, false) {
            Ok(place) => place,
            Err(why) => {
                errors.push(FieldError::invalid(at, path, format!("is an invalid path: {why}")));
                continue;
            }
        };
        if place.root == "metadata" {
            errors.push(FieldError::invalid(&at, path, "must not point to fields in metadata"));
        }
        let kind = place.schema.get("type").and_then(Value::as_str).unwrap_or_default();
        if !matches!(kind, "string" | "boolean" | "integer") {
            let why = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                       formats are allowed.";
            errors.push(FieldError::invalid(&at, path, why));
        }
        if !seen.insert(place.path) {
            errors.push(FieldError::duplicate(at, path));
        }
    }
    if seen.len() > MOST_SELECTABLE {
        let detail = format!("must have at most {MOST_SELECTABLE} items");
        errors.push(FieldError {
            kind: Cause::TooMany,
            path: at.into(),
            value: Some(seen.len().into()),
            detail,
        });
    }
}
