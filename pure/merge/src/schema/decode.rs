//! What Go cannot read into its types, in its words. Custom resources have such a type for their metadata only.

use serde_json::{Number, Value};

use super::meta::OBJECT_META;
use super::node::{Additional, Node, Type};
use super::{Definitions, Dialect, Schema};
use crate::error::FieldError;
use crate::path::FieldPath;
use crate::{go, times};

const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
const QUANTITY_FORM: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

impl Schema {
    /// Why Go could not decode an object of this kind: `json: cannot unmarshal string into Go struct field
    /// DeploymentSpec.spec.replicas of type int32`. The answer is 400, with `KIND in version "v1" cannot be
    /// handled as a KIND: ` before it.
    ///
    /// Of several faults it tells the first by name, where Go tells the first in the text. Go's names for
    /// strings (`v1.PullPolicy`) are not in the schema; it says `string`.
    pub fn decode_error(&self, object: &Value) -> Option<String> {
        let decoder = Decoder { definitions: &self.definitions };
        match self.dialect {
            Dialect::Builtin => {
                let at = Place { owner: short(&self.name), path: String::new() };
                decoder.value(&self.root, Some(&self.name), object, &at)
            }
            Dialect::Structural => {
                let metadata = object.get("metadata").filter(|_| self.resource).unwrap_or(&Value::Null);
                let node = self.definitions.get(OBJECT_META)?;
                let at = Place { owner: "", path: String::new() };
                let fault = decoder.value(node, Some(OBJECT_META), metadata, &at);
                fault.or_else(|| decoder.embedded(&self.root, object, &FieldPath::Root, true))
            }
        }
    }
}

/// `io.k8s.api.core.v1.Pod` is `Pod` here.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The same in a type is `v1.Pod`.
fn qualified(name: &str) -> String {
    let mut parts = name.rsplit('.');
    let (kind, package) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{package}.{kind}")
}

/// Where the decoder is: the struct whose field it reads, and the fields from the top, without keys and places
/// in lists.
struct Place<'a> {
    owner: &'a str,
    path: String,
}

struct Decoder<'a> {
    definitions: &'a Definitions,
}

impl Decoder<'_> {
    fn value(&self, node: &Node, name: Option<&str>, value: &Value, at: &Place<'_>) -> Option<String> {
        if value.is_null() {
            return None;
        }
        let named = node.reference.as_deref().or(name);
        match named {
            Some(QUANTITY) => return (!is_quantity(value)).then(|| QUANTITY_FORM.to_owned()),
            Some(INT_OR_STRING) => return self.int_or_string(value, at),
            _ => {}
        }
        let node = self.definitions.resolve(node);
        match (node.kind, value) {
            (Some(Type::Object), Value::Object(fields)) => {
                fields.iter().find_map(|(key, value)| self.field(node, named, key, value, at))
            }
            (Some(Type::Array), Value::Array(items)) => {
                let item = node.items.as_deref()?;
                items.iter().find_map(|value| self.value(item, None, value, at))
            }
            (Some(Type::String), Value::String(text)) => scalar_text(node, named, text),
            (Some(Type::String), other) if times::is_time(node) => {
                Some(complaint(kind_of(other), "string", at))
            }
            (Some(Type::Boolean), Value::Bool(_)) => None,
            (Some(kind @ (Type::Integer | Type::Number)), Value::Number(number)) => {
                (!fits(node, kind, number)).then(|| {
                    let found = format!("number {}", go::number(number));
                    complaint(&found, &self.type_name(node, named), at)
                })
            }
            // A type that is none in the schema holds anything.
            (None, _) => None,
            _ => Some(complaint(kind_of(value), &self.type_name(node, named), at)),
        }
    }

    /// Resources inside a custom resource have metadata too; the fault is told with its place.
    fn embedded(&self, node: &Node, value: &Value, path: &FieldPath<'_>, root: bool) -> Option<String> {
        match value {
            Value::Object(fields) => {
                let own = || fields.iter().find_map(|(name, value)| self.embedded_field(name, value, path));
                let below = || {
                    fields.iter().find_map(|(name, value)| {
                        let named = node.properties.contains_key(name);
                        let at = if named { path.field(name) } else { path.key(name) };
                        self.embedded(node.field(name)?, value, &at, false)
                    })
                };
                if node.embedded && !root { own().or_else(below) } else { below() }
            }
            Value::Array(items) => {
                let item = node.items.as_deref()?;
                let mut items = items.iter().enumerate();
                items.find_map(|(index, value)| self.embedded(item, value, &path.index(index), false))
            }
            _ => None,
        }
    }

    fn embedded_field(&self, name: &str, value: &Value, path: &FieldPath<'_>) -> Option<String> {
        let fault = match name {
            "apiVersion" | "kind" => (!value.is_string()).then(|| "must be a string".to_owned()),
            "metadata" => {
                let at = Place { owner: "", path: String::new() };
                self.value(self.definitions.get(OBJECT_META)?, Some(OBJECT_META), value, &at)
            }
            _ => None,
        };
        fault.map(|fault| FieldError::invalid(path.field(name), value.clone(), fault).to_string())
    }

    fn field(
        &self,
        node: &Node,
        named: Option<&str>,
        key: &str,
        value: &Value,
        at: &Place<'_>,
    ) -> Option<String> {
        if let Additional::Of(entry) = &node.additional {
            return self.value(entry, None, value, at);
        }
        let child = node.properties.get(key)?;
        let dot = if at.path.is_empty() { "" } else { "." };
        let at = Place { owner: named.map_or(at.owner, short), path: format!("{}{dot}{key}", at.path) };
        self.value(child, None, value, &at)
    }

    fn int_or_string(&self, value: &Value, at: &Place<'_>) -> Option<String> {
        match value {
            Value::String(_) => None,
            Value::Number(number) if number.as_i64().is_some_and(|whole| i32::try_from(whole).is_ok()) => {
                None
            }
            Value::Number(number) => Some(complaint(&format!("number {}", go::number(number)), "int32", at)),
            other => Some(complaint(kind_of(other), "int32", at)),
        }
    }

    fn type_name(&self, node: &Node, named: Option<&str>) -> String {
        if let Some(name) = named {
            return qualified(name);
        }
        match node.kind {
            Some(Type::String) if node.format == "byte" => "[]uint8".to_owned(),
            Some(Type::String) | None => "string".to_owned(),
            Some(Type::Boolean) => "bool".to_owned(),
            Some(Type::Integer) if node.format == "int32" => "int32".to_owned(),
            Some(Type::Integer) => "int64".to_owned(),
            Some(Type::Number) => "float64".to_owned(),
            Some(Type::Array) => {
                let item = node.items.as_deref().map(|item| self.element_name(item));
                format!("[]{}", item.unwrap_or_default())
            }
            Some(Type::Object) => {
                let entry = node.additional.schema().map(|entry| self.element_name(entry));
                format!("map[string]{}", entry.unwrap_or_else(|| "interface {}".to_owned()))
            }
        }
    }

    fn element_name(&self, node: &Node) -> String {
        self.type_name(self.definitions.resolve(node), node.reference.as_deref())
    }
}

fn complaint(found: &str, wanted: &str, at: &Place<'_>) -> String {
    match at.path.as_str() {
        "" => format!("json: cannot unmarshal {found} into Go value of type {wanted}"),
        path => format!(
            "json: cannot unmarshal {found} into Go struct field {}.{path} of type {wanted}",
            at.owner
        ),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn fits(node: &Node, kind: Type, number: &Number) -> bool {
    match (kind, number.as_i64()) {
        (Type::Number, _) => true,
        (_, Some(whole)) => node.format != "int32" || i32::try_from(whole).is_ok(),
        (_, None) => false,
    }
}

fn scalar_text(node: &Node, named: Option<&str>, text: &str) -> Option<String> {
    if times::is_time(node) {
        return times::fault(text, times::is_micro(named));
    }
    if node.format == "byte" {
        return base64_fault(text).map(|at| format!("illegal base64 data at input byte {at}"));
    }
    None
}

/// Where Go's decoder stops. Line breaks are passed over.
fn base64_fault(text: &str) -> Option<usize> {
    let bytes: Vec<_> = text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n')).collect();
    let body = bytes.iter().position(|(_, b)| *b == b'=').unwrap_or(bytes.len());
    let letter = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    if let Some((at, _)) = bytes[..body].iter().find(|(_, b)| !letter(*b)) {
        return Some(*at);
    }
    let padding = bytes.len() - body;
    match (body % 4, padding) {
        (0, 0) | (2, 2) | (3, 1) => None,
        (0 | 1, 1..) => Some(bytes[body].0),
        (2 | 3, 1..) if bytes[body..].iter().all(|(_, b)| *b == b'=') => Some(bytes.len()),
        _ => Some(body / 4 * 4),
    }
}

fn is_quantity(value: &Value) -> bool {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => go::number(number),
        _ => return false,
    };
    let digits = text.trim_start_matches(['+', '-']);
    let number_end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(number_end);
    let exponent = |suffix: &str| {
        let rest = suffix.strip_prefix(['e', 'E'])?;
        Some(rest.trim_start_matches(['+', '-']).bytes().all(|b| b.is_ascii_digit()) && !rest.is_empty())
    };
    let known = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    text.len() - digits.len() <= 1
        && number.bytes().any(|b| b.is_ascii_digit())
        && number.matches('.').count() <= 1
        && (known.contains(&suffix) || exponent(suffix).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_of_custom_resources_is_read_as_go_reads_it() {
        let schema = Schema::anything();
        for (metadata, expected) in [
            (json!({"labels": {"a": 1}}), "number into Go struct field ObjectMeta.labels of type string"),
            (json!({"labels": []}), "array into Go struct field ObjectMeta.labels of type map[string]string"),
            (
                json!({"ownerReferences": {}}),
                "object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
            ),
            (json!({"finalizers": [1]}), "number into Go struct field ObjectMeta.finalizers of type string"),
            (json!({"generation": "x"}), "string into Go struct field ObjectMeta.generation of type int64"),
            (json!([]), "array into Go value of type v1.ObjectMeta"),
        ] {
            let found = schema.decode_error(&json!({"metadata": metadata}));
            assert_eq!(found, Some(format!("json: cannot unmarshal {expected}")), "{metadata}");
        }
        let inner = json!({"type": "object", "x-kubernetes-embedded-resource": true});
        let schema = Schema::stored(
            &json!({"type": "object", "properties": {"l": {"type": "array", "items": inner}}}),
        );
        for (resource, expected) in [
            (json!({"kind": 1}), "l[0].kind: Invalid value: 1: must be a string"),
            (
                json!({"metadata": {"name": 1}}),
                "l[0].metadata: Invalid value: {\"name\":1}: json: cannot unmarshal number into Go struct field \
                 ObjectMeta.name of type string",
            ),
        ] {
            assert_eq!(schema.decode_error(&json!({"l": [resource]})).as_deref(), Some(expected));
        }
        let good = json!({"metadata": {"name": "a", "creationTimestamp": null, "labels": {"a": "b"}}});
        assert_eq!(schema.decode_error(&good), None);
    }

    #[test]
    fn quantities_and_bytes() {
        for good in [json!("1"), json!("100m"), json!("1.5Gi"), json!("1e3"), json!(2), json!("-1k")] {
            assert!(is_quantity(&good), "{good}");
        }
        for bad in [json!("zz"), json!(""), json!("1 Gi"), json!(true), json!("1..5"), json!("1Z")] {
            assert!(!is_quantity(&bad), "{bad}");
        }
        for (text, fault) in
            [("aGk=", None), ("", None), ("%%", Some(0)), ("a", Some(0)), ("aGkxMg", Some(4))]
        {
            assert_eq!(base64_fault(text), fault, "{text}");
        }
    }
}
