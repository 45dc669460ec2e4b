//! The empty object of a kind, and objects without what Go does not write.

use serde_json::{Map, Value};

use super::node::Node;
use super::{Definitions, Dialect, Schema};

impl Schema {
    /// An object with nothing in it, as Go has it: the structs that are part of a built-in kind are there and
    /// empty, so that nobody comes to own them. It is made once.
    pub(crate) fn zero(&self) -> &Value {
        self.zero.get_or_init(|| {
            let mut object = Value::Object(Map::new());
            if self.dialect == Dialect::Builtin {
                fill(&self.definitions, &self.root, &mut object);
            }
            object
        })
    }

    /// The object as Go would write it, if it is of a built-in kind: without nulls, and without lists and maps
    /// that are empty and may be left out. What it holds as it came stays as it came.
    pub(crate) fn as_written(&self, object: &mut Value) {
        if self.dialect == Dialect::Builtin {
            drop_empty(&self.definitions, &self.root, object);
        }
    }
}

/// Go has no field that is missing: a struct is there with its fields, and what must be there is, at least as a
/// null. What is optional, and empty, is left out.
fn fill(definitions: &Definitions, node: &Node, value: &mut Value) {
    let node = definitions.resolve(node);
    let Value::Object(fields) = value else { return };
    for (name, child) in &node.properties {
        let default = match &child.default {
            Some(Value::Object(default)) => {
                let mut default = Value::Object(default.clone());
                fill(definitions, child, &mut default);
                default
            }
            _ if !node.required.contains(name) => continue,
            Some(default) => default.clone(),
            None => Value::Null,
        };
        fields.entry(name.clone()).or_insert(default);
    }
}

fn drop_empty(definitions: &Definitions, node: &Node, value: &mut Value) {
    let node = definitions.resolve(node);
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let Some(child) = node.properties.get(name) else {
                if let Some(entry) = node.additional.schema() {
                    drop_empty(definitions, entry, value);
                }
                return true;
            };
            drop_empty(definitions, child, value);
            let child = definitions.resolve(child);
            let empty = match value {
                Value::Null => true,
                Value::Array(items) => items.is_empty(),
                // A struct that is there and empty says something; a map does not.
                Value::Object(entries) => entries.is_empty() && child.additional.schema().is_some(),
                _ => false,
            };
            !empty || (node.required.contains(name) && !value.is_null())
        }),
        Value::Array(items) => {
            if let Some(child) = node.items.as_deref() {
                items.iter_mut().for_each(|item| drop_empty(definitions, child, item));
            }
        }
        _ => {}
    }
}
