//! The schemas of kinds that are not built in, in the form of the table.

use serde_json::{Map, Value, json};

use crate::builtin_table;
use crate::kinds::Kind;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// How the schema of a kind is called: `dev.example.v1.Widget`.
pub(super) fn name(kind: &Kind, of: &str) -> String {
    let group: Vec<_> = kind.group.split('.').rev().collect();
    format!("{}.{}.{of}", group.join("."), kind.version)
}

/// The schema of one object.
pub(super) fn object(kind: &Kind) -> Value {
    let declared =
        kind.custom.as_ref().and_then(|custom| custom.declared().pointer("/schema/openAPIV3Schema"));
    let open = || json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut schema = completed(&declared.cloned().unwrap_or_else(open));
    if !schema["properties"].is_object() {
        schema["properties"] = json!({});
    }
    for (field, value) in types() {
        schema["properties"][field] = value;
    }
    schema["properties"]["metadata"] = described(&["metadata"], &format!("{META}.ObjectMeta"));
    schema["x-kubernetes-group-version-kind"] = kinds_of(kind, &kind.kind);
    schema
}

/// The schema of a list of them.
pub(super) fn list(kind: &Kind) -> Value {
    let mut properties: Map<String, Value> =
        types().into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let items = format!(
        "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
        kind.plural
    );
    let item = json!({"$ref": name(kind, &kind.kind)});
    properties.insert("items".into(), json!({"description": items, "type": "array", "items": item}));
    let metadata = builtin("io.k8s.api.core.v1.NamespaceList", "metadata");
    properties.insert("metadata".into(), metadata);
    json!({
        "description": format!("{} is a list of {}", kind.list_kind, kind.kind),
        "type": "object",
        "required": ["items"],
        "properties": properties,
        "x-kubernetes-group-version-kind": kinds_of(kind, &kind.list_kind),
    })
}

fn kinds_of(kind: &Kind, name: &str) -> Value {
    json!([{"group": kind.group, "kind": name, "version": kind.version}])
}

/// `apiVersion` and `kind`, in the words of the built-in kinds.
fn types() -> [(&'static str, Value); 2] {
    ["apiVersion", "kind"].map(|field| (field, builtin("io.k8s.api.core.v1.ConfigMap", field)))
}

fn described(fields: &[&str], reference: &str) -> Value {
    let field = fields.first().copied().unwrap_or_default();
    let description = builtin("io.k8s.api.core.v1.ConfigMap", field)["description"].take();
    json!({"description": description, "$ref": reference})
}

/// A field of a built-in kind, less its default.
fn builtin(definition: &str, field: &str) -> Value {
    let mut schema = builtin_table::definition(definition).unwrap_or_default()["properties"][field].take();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("default");
    }
    schema
}

/// What a definition leaves unsaid of embedded objects and of what is a number or a text.
fn completed(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut result = Map::new();
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(all)) => {
                all.iter().map(|(name, schema)| (name.clone(), completed(schema))).collect()
            }
            ("items" | "additionalProperties", Value::Object(_)) => completed(value),
            _ => value.clone(),
        };
        result.insert(name.clone(), value);
    }
    let mut result = Value::Object(result);
    if result["x-kubernetes-int-or-string"] == true && result["anyOf"].is_null() && result["allOf"].is_null()
    {
        result["anyOf"] = json!([{"type": "integer"}, {"type": "string"}]);
    }
    if result["x-kubernetes-embedded-resource"] == true {
        embed(&mut result);
    }
    // Indexing has made what was asked for.
    if let Some(fields) = result.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    result
}

fn embed(schema: &mut Value) {
    for (field, mut value) in types() {
        // The real server has other words for it here: those of the API's conventions, in lower case.
        value["description"] = match field {
            "kind" => "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
            _ => "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
        }
        .into();
        schema["properties"][field] = value;
    }
    schema["properties"]["metadata"] = described(&["metadata"], &format!("{META}.ObjectMeta"));
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let added = ["kind", "apiVersion"].into_iter().filter(|name| !required.iter().any(|known| known == name));
    schema["required"] = required.iter().cloned().chain(added.map(Value::from)).collect();
}
