//! Resources inside resources (`x-kubernetes-embedded-resource`) need a kind and a version.

use serde_json::{Map, Value};

use super::node::Node;
use crate::error::FieldError;
use crate::path::FieldPath;

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Finds embedded resources that are none. The root is checked by those who store it.
pub(super) fn check(
    path: &FieldPath<'_>,
    node: &Node,
    value: &Value,
    root: bool,
    errors: &mut Vec<FieldError>,
) {
    match value {
        Value::Object(fields) => {
            if node.embedded && !root {
                resource(path, fields, errors);
            }
            for (name, value) in fields {
                if let Some(child) = node.properties.get(name) {
                    check(&path.field(name), child, value, false, errors);
                } else if let Some(child) = node.additional.schema() {
                    check(&path.key(name), child, value, false, errors);
                }
            }
        }
        Value::Array(items) => {
            if let Some(child) = node.items.as_deref() {
                for (index, item) in items.iter().enumerate() {
                    check(&path.index(index), child, item, false, errors);
                }
            }
        }
        _ => {}
    }
}

fn resource(path: &FieldPath<'_>, fields: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let at = path.field(name);
        match fields.get(name) {
            None => errors.push(FieldError::required(at, "")),
            Some(Value::String(text)) if text.is_empty() => {
                errors.push(FieldError::invalid(at, "", "must not be empty"));
            }
            Some(Value::String(text)) => {
                let fault = if name == "kind" { kind_fault(text) } else { version_fault(text) };
                errors.extend(fault.map(|fault| FieldError::invalid(at, text.as_str(), fault)));
            }
            Some(other) => errors.push(FieldError::invalid(at, other.clone(), "must be a string")),
        }
    }
    if let Some(metadata) = fields.get("metadata").filter(|metadata| !metadata.is_object()) {
        let what = "json: cannot unmarshal the value into Go value of type v1.ObjectMeta";
        errors.push(FieldError::invalid(path.field("metadata"), metadata.clone(), what));
    }
}

fn version_fault(text: &str) -> Option<String> {
    (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
}

fn kind_fault(kind: &str) -> Option<String> {
    let lower = kind.to_lowercase();
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let well_formed = lower.starts_with(|c: char| c.is_ascii_lowercase()) && lower.chars().all(inner);
    let mut faults = Vec::new();
    if lower.len() > 63 {
        faults.push("must be no more than 63 characters".to_owned());
    }
    if !well_formed || lower.ends_with('-') {
        faults.push(LABEL.to_owned());
    }
    (!faults.is_empty())
        .then(|| format!("may have mixed case, but should otherwise match: {}", faults.join(",")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_and_a_version_are_needed() {
        let node = Node::parse(&json!({"type": "object", "properties": {"r": {"type": "object",
            "x-kubernetes-embedded-resource": true}}}));
        let found = |resource: Value| {
            let mut errors = Vec::new();
            check(&FieldPath::Root, &node, &json!({"r": resource}), true, &mut errors);
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found(json!({"apiVersion": "a/v1", "kind": "Widget"})).len(), 0);
        assert_eq!(found(json!({})), ["r.apiVersion: Required value", "r.kind: Required value"]);
        assert_eq!(
            found(json!({"apiVersion": "a/b/c", "kind": 1})),
            [
                "r.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
                "r.kind: Invalid value: 1: must be a string",
            ]
        );
        assert_eq!(found(json!({"apiVersion": "v1", "kind": "a_b"})).len(), 1);
    }
}
