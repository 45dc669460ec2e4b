//! The schemas of kinds, each read when it is first needed: most kinds are never written.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use bowline_merge::{Definitions, Schema};
use serde_json::{Map, Value};

use crate::builtin_table;
use crate::kinds::Kind;

/// By the name of their definition.
static BUILT_IN: LazyLock<RwLock<BTreeMap<String, Schema>>> = LazyLock::new(RwLock::default);

/// The schema by which fields of the kind are merged and owned. Cheap to clone.
pub(crate) fn of(kind: &Kind) -> Schema {
    if let Some(custom) = &kind.custom {
        return custom.schema().clone();
    }
    let name = builtin_table::definition_name(&kind.group, &kind.version, &kind.kind);
    if let Some(schema) = BUILT_IN.read().unwrap_or_else(PoisonError::into_inner).get(&name) {
        return schema.clone();
    }
    let schema = Schema::builtin(&Arc::new(Definitions::parse(&Value::Object(closure(&name)))), &name)
        .unwrap_or_else(Schema::anything);
    BUILT_IN.write().unwrap_or_else(PoisonError::into_inner).insert(name, schema.clone());
    schema
}

/// A definition and all that it refers to.
fn closure(name: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut wanted = vec![name.to_owned()];
    while let Some(name) = wanted.pop() {
        if found.contains_key(&name) {
            continue;
        }
        if let Some(definition) = builtin_table::definition(&name) {
            references(&definition, &mut wanted);
            found.insert(name, definition);
        }
    }
    found
}

fn references(schema: &Value, out: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(name) if key == "$ref" => out.push(name.clone()),
                    _ => references(value, out),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, out)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_kind_has_a_schema() {
        for kind in builtin_table::kinds() {
            let name = builtin_table::definition_name(&kind.group, &kind.version, &kind.kind);
            assert!(builtin_table::definition(&name).is_some(), "{name}");
        }
    }
}
