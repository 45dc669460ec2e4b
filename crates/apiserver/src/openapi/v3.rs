//! The document of one version of a group, in OpenAPI 3.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::operations::{self, Operation, Path};
use super::{custom, parameters, path_of, schema};
use crate::builtin_table;
use crate::kinds::{Kind, Kinds};

/// The document at a path: `apis/apps/v1`.
pub(super) fn document(kinds: &Kinds, path: &str) -> Vec<u8> {
    let kinds: Vec<&Kind> =
        kinds.all().iter().map(|kind| &**kind).filter(|kind| path_of(kind) == path).collect();
    let mut paths = Map::new();
    let mut needed = Vec::new();
    for path in kinds.iter().flat_map(|kind| operations::paths(kind)) {
        for operation in &path.operations {
            needed.push(operation.answers.1.clone());
            needed.extend(operation.body.iter().map(|(_, definition)| definition.clone()));
        }
        paths.insert(path.path.clone(), item(&path));
    }
    let schemas = schemas(&kinds, needed);
    let schemas: Vec<_> = schemas.iter().map(|(name, schema)| format!("{}:{schema}", json!(name))).collect();
    let (title, version) = match kinds.iter().any(|kind| kind.custom.is_some()) {
        true => ("Kubernetes CRD Swagger", "v0.1.0"),
        false => ("Kubernetes", "1.34"),
    };
    let text = format!(
        r#"{{"openapi":"3.0.0","info":{},"paths":{},"components":{{"schemas":{{{}}}}}}}"#,
        json!({"title": title, "version": version}),
        Value::Object(paths),
        schemas.join(","),
    );
    text.into_bytes()
}

/// The schemas of these kinds, and all that they refer to, as text.
fn schemas(kinds: &[&Kind], mut needed: Vec<String>) -> BTreeMap<String, String> {
    let mut own = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| kind.custom.is_some()) {
        own.insert(custom::name(kind, &kind.kind), custom::object(kind));
        own.insert(custom::name(kind, &kind.list_kind), custom::list(kind));
    }
    let mut all = BTreeMap::new();
    while let Some(name) = needed.pop() {
        if all.contains_key(&name) {
            continue;
        }
        let Some(definition) = own.remove(&name).or_else(|| builtin_table::definition(&name)) else {
            continue;
        };
        schema::references(&definition, &mut needed);
        all.insert(name, schema::v3(&definition).to_string());
    }
    all
}

fn item(path: &Path) -> Value {
    let mut item: Map<String, Value> = path
        .operations
        .iter()
        .map(|operation| (operation.method.to_owned(), self::operation(operation)))
        .collect();
    let mut all: Vec<_> = path
        .variables
        .iter()
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "uniqueItems": true}}))
        .collect();
    all.push(parameter(&parameters::PRETTY));
    item.insert("parameters".into(), all.into());
    item.into()
}

fn parameter(parameter: &parameters::Parameter) -> Value {
    json!({
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": {"type": parameter.schema_type, "uniqueItems": true},
    })
}

fn operation(operation: &Operation) -> Value {
    let content = |types: &[&str], definition: &str| -> Value {
        let schema = json!({"schema": {"$ref": format!("#/components/schemas/{definition}")}});
        types.iter().map(|media| ((*media).to_owned(), schema.clone())).collect()
    };
    let (codes, answer) = &operation.answers;
    let mut responses = Map::new();
    for code in *codes {
        let description = super::v2::reason(*code);
        let content = content(&["application/json", "application/yaml"], answer);
        responses.insert(code.to_string(), json!({"description": description, "content": content}));
    }
    responses.insert("401".into(), json!({"description": "Unauthorized"}));
    let mut result = json!({
        "tags": [operation.tag],
        "description": operation.description,
        "operationId": operation.id,
        "responses": responses,
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": operation.about,
    });
    if !operation.parameters.is_empty() {
        result["parameters"] = operation.parameters.iter().map(parameter).collect();
    }
    if let Some((types, definition)) = &operation.body {
        result["requestBody"] = json!({"content": content(types, definition)});
        if operation.action != "delete" {
            result["requestBody"]["required"] = true.into();
        }
    }
    result
}
