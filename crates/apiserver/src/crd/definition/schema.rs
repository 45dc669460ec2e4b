//! The schema of a definition.

use std::collections::BTreeSet;

use bowline_merge::{Cause, FieldError, FieldPath, Schema};
use serde_json::Value;

use super::printed;
use crate::document::Json;

/// What may stand at the root of a schema whose status is validated alone, by their names in Go.
const AT_ROOT: &[&str] = &[
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// The formats of texts that are checked, without dashes; others are let be, with a warning.
const FORMATS: &[&str] = &[
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
];

/// The versions whose schema an update leaves as it was: what was let in is not refused for its cost later.
pub(super) struct Unchanged(BTreeSet<String>);

impl Unchanged {
    pub(super) fn between(spec: &Json, old: Option<&Json>) -> Unchanged {
        let schemas = |spec: &Json| -> Vec<(String, Option<Value>)> {
            let versions = spec.get("versions").and_then(Value::as_array).into_iter().flatten();
            let name =
                |version: &Value| version.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            versions.map(|version| (name(version), version.get("schema").cloned())).collect()
        };
        let before =
            old.and_then(|old| old.get("spec")).and_then(Value::as_object).map(schemas).unwrap_or_default();
        let same = schemas(spec).into_iter().filter(|version| before.contains(version));
        Unchanged(same.map(|(name, _)| name).collect())
    }

    pub(super) fn has(&self, version: &str) -> bool {
        self.0.contains(version)
    }
}

/// What is wrong with the schema `root`, which stands at `{at}.openAPIV3Schema`.
pub(super) fn check(root: &Value, at: &str, status: bool, unchanged: bool, errors: &mut Vec<FieldError>) {
    if status {
        at_root(root, at, errors);
    }
    let place = format!("{at}.openAPIV3Schema");
    match Schema::structural(root, &FieldPath::Root.field(&place)) {
        Err(found) => errors.extend(found),
        Ok(_) => crate::crd::cel::admit(root, &place, unchanged, &printed::rule, errors),
    }
}

fn at_root(root: &Value, at: &str, errors: &mut Vec<FieldError>) {
    let Some(fields) = root.as_object() else { return };
    for (go, name) in printed::present(fields) {
        if name == "type" {
            let kind = fields.get(name).and_then(Value::as_str).unwrap_or_default();
            if kind != "object" {
                let why = "only \"object\" is allowed as the type at the root of the schema if the status subresource \
                           is enabled";
                errors.push(FieldError::invalid(format!("{at}.openAPIV3Schema.type"), kind, why));
                return;
            }
        } else if !AT_ROOT.contains(&go) {
            let why = format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
                AT_ROOT.join(" ")
            );
            let path = format!("{at}.openAPIV3Schema");
            let detail = format!("{}: {why}", printed::schema(root));
            errors.push(FieldError { kind: Cause::Invalid, path, value: None, detail });
            return;
        }
    }
}

/// The formats of texts that nobody checks, in the order of the schemas, each as often as it occurs.
pub(super) fn odd_formats(crd: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let versions = crd.get("spec").and_then(|spec| spec.get("versions")).and_then(Value::as_array);
    let mut schemas: Vec<&Value> = versions
        .into_iter()
        .flatten()
        .filter_map(|version| version.pointer("/schema/openAPIV3Schema"))
        .collect();
    // What all versions have alike is looked at once.
    if schemas.windows(2).all(|pair| pair[0] == pair[1]) {
        schemas.truncate(1);
    }
    schemas.into_iter().for_each(|schema| odd(schema, &mut found));
    found
}

fn odd(schema: &Value, found: &mut Vec<String>) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let is_text = schema.get("type").and_then(Value::as_str) == Some("string");
    if is_text && !format.is_empty() && !FORMATS.contains(&format.replace('-', "").as_str()) {
        found.push(format.to_owned());
    }
    for one in ["items", "not", "additionalProperties"] {
        if let Some(schema) = schema.get(one).filter(|value| value.is_object()) {
            odd(schema, found);
        }
    }
    for several in ["allOf", "anyOf", "oneOf"] {
        schema
            .get(several)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .for_each(|schema| odd(schema, found));
    }
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .for_each(|(_, schema)| odd(schema, found));
}
