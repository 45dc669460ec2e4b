//! The metadata of resources inside resources (`x-kubernetes-embedded-resource`).

use bowline_merge::FieldError;
use serde_json::Value;

use crate::metadata::{self, names};

/// What is wrong with the metadata of resources below the root.
pub(super) fn check(object: &Value, schema: &Value, errors: &mut Vec<FieldError>) {
    below(object, schema, "", errors);
}

/// Whether there can be any: most schemas have none.
pub(super) fn has_any(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.get("x-kubernetes-embedded-resource").and_then(Value::as_bool) == Some(true)
                || fields.values().any(has_any)
        }
        Value::Array(items) => items.iter().any(has_any),
        _ => false,
    }
}

fn walk(value: &Value, schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if schema.get("x-kubernetes-embedded-resource").and_then(Value::as_bool) == Some(true)
        && let Some(metadata) = value.get("metadata").filter(|metadata| metadata.is_object())
    {
        let at = format!("{path}.metadata");
        if let Some(name) = metadata.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) {
            errors.extend(metadata::invalid(&format!("{at}.name"), name, names::path_segment(name)));
        }
        errors.extend(metadata::labels(metadata.get("labels"), &format!("{at}.labels")));
        errors.extend(metadata::annotations(metadata.get("annotations"), &format!("{at}.annotations")));
    }
    below(value, schema, path, errors);
}

fn below(value: &Value, schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let property = schema.get("properties").and_then(|all| all.get(name));
                if let Some(schema) = property {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(value, schema, &path, errors);
                } else if let Some(schema) = schema.get("additionalProperties") {
                    walk(value, schema, &format!("{path}[{name}]"), errors);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                walk(item, schema, &format!("{path}[{index}]"), errors);
            }
        }
        _ => {}
    }
}
