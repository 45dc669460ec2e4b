//! The one document of OpenAPI 2, as JSON and as protobuf.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::operations::{self, Operation, Path};
use super::{custom, parameters, protobuf, schema};
use crate::builtin_table;
use crate::kinds::Kinds;

/// As JSON. It is put together piece by piece: as a whole it would take ten times the memory.
pub(super) fn json(kinds: &Kinds) -> Vec<u8> {
    let mut out = format!(r#"{{"swagger":"2.0","info":{},"paths":{{"#, info()).into_bytes();
    let from = out.len();
    each_path(kinds, |path, item| put(path, item, from, &mut out));
    out.extend_from_slice(br#"},"definitions":{"#);
    let from = out.len();
    each_definition(kinds, |name, schema| put(name, schema, from, &mut out));
    out.extend_from_slice(b"}}");
    out
}

/// Appends a member of an object whose members begin at `from`.
fn put(name: &str, value: &Value, from: usize, out: &mut Vec<u8>) {
    if out.len() > from {
        out.push(b',');
    }
    out.extend_from_slice(format!("{}:{value}", json!(name)).as_bytes());
}

/// As protobuf.
pub(super) fn protobuf(kinds: &Kinds) -> Vec<u8> {
    let (mut paths, mut definitions) = (Vec::new(), Vec::new());
    each_path(kinds, |path, item| protobuf::named_path(path, item, &mut paths));
    each_definition(kinds, |name, schema| protobuf::named_schema(name, schema, &mut definitions));
    protobuf::document(&info(), &paths, &definitions)
}

fn info() -> Value {
    json!({"title": "Kubernetes", "version": "1.34"})
}

fn each_path(kinds: &Kinds, mut put: impl FnMut(&str, &Value)) {
    let paths = kinds.all().iter().flat_map(|kind| operations::paths(kind));
    let paths: BTreeMap<String, Value> = paths.map(|path| (path.path.clone(), item(&path))).collect();
    paths.iter().for_each(|(path, item)| put(path, item));
}

fn each_definition(kinds: &Kinds, mut put: impl FnMut(&str, &Value)) {
    let mut needed: Vec<String> = Vec::new();
    let mut own = BTreeMap::new();
    for kind in kinds.all() {
        for name in [&kind.kind, &kind.list_kind] {
            needed.push(operations::definition(kind, name));
        }
        for operation in operations::paths(kind).iter().flat_map(|path| &path.operations) {
            needed.extend(operation.body.iter().map(|(_, name)| name.clone()));
            needed.push(operation.answers.1.clone());
        }
        if kind.custom.is_some() {
            own.insert(custom::name(kind, &kind.kind), custom::object(kind));
            own.insert(custom::name(kind, &kind.list_kind), custom::list(kind));
        }
    }
    let mut done = std::collections::BTreeSet::new();
    while let Some(name) = needed.pop() {
        if !done.insert(name.clone()) {
            continue;
        }
        let Some(definition) = own.remove(&name).or_else(|| builtin_table::definition(&name)) else {
            continue;
        };
        schema::references(&definition, &mut needed);
        put(&name, &schema::v2(&definition));
    }
}

fn item(path: &Path) -> Value {
    let mut item: Map<String, Value> = path
        .operations
        .iter()
        .map(|operation| (operation.method.to_owned(), self::operation(operation)))
        .collect();
    let variables = path.variables.iter();
    let mut all: Vec<_> = variables
        .map(|name| json!({"name": name, "in": "path", "required": true, "type": "string"}))
        .collect();
    all.push(parameter(&parameters::PRETTY));
    item.insert("parameters".into(), all.into());
    item.into()
}

fn parameter(parameter: &parameters::Parameter) -> Value {
    let parameters::Parameter { name, schema_type, description } = parameter;
    json!({"name": name, "in": "query", "description": description, "type": schema_type})
}

fn operation(operation: &Operation) -> Value {
    let schema = |definition: &str| json!({"$ref": format!("#/definitions/{definition}")});
    let (codes, answer) = &operation.answers;
    let mut responses = Map::new();
    for code in *codes {
        responses.insert(code.to_string(), json!({"description": reason(*code), "schema": schema(answer)}));
    }
    responses.insert("401".into(), json!({"description": "Unauthorized"}));
    let mut parameters: Vec<_> = operation.parameters.iter().map(parameter).collect();
    let mut result = json!({
        "tags": [operation.tag],
        "description": operation.description,
        "operationId": operation.id,
        "produces": ["application/json", "application/yaml"],
        "schemes": ["https"],
        "responses": responses,
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": operation.about,
    });
    if let Some((types, definition)) = &operation.body {
        result["consumes"] = json!(types);
        let required = operation.action != "delete";
        parameters
            .push(json!({"name": "body", "in": "body", "required": required, "schema": schema(definition)}));
    }
    result["parameters"] = parameters.into();
    result
}

/// What a code means.
pub(super) fn reason(code: u16) -> &'static str {
    match code {
        201 => "Created",
        202 => "Accepted",
        _ => "OK",
    }
}
