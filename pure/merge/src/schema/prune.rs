//! Dropping what a schema does not name.

use serde_json::{Map, Value};

use super::meta::OBJECT_META;
use super::node::{Additional, Node};
use super::{Definitions, Dialect, Schema};
use crate::json::Told;

/// What every resource has, whether its schema says so or not.
pub(super) const META_FIELDS: &[&str] = &["apiVersion", "kind", "metadata"];

impl Schema {
    /// Drops what the schema does not name, and says where that was, sorted: `spec.foo`, `spec.list[0].bar`; of at
    /// most [`MAX_ODD`](crate::json::MAX_ODD) places.
    ///
    /// Nulls that may not be there go too, unless there is a default for them; nobody is told, as nobody is in
    /// Kubernetes. Metadata, and built-in kinds as a whole, take the form that the Go type gives them: no list or map
    /// is there and empty if it may be left out.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        let mut pruner =
            Pruner { definitions: &self.definitions, path: String::new(), unknown: Told::default() };
        match self.dialect {
            Dialect::Builtin => {
                pruner.builtin(object, &self.root);
                self.as_written(object);
            }
            Dialect::Structural => {
                pruner.structural(object, Some(&self.root), false);
                if self.resource {
                    pruner.metadata(object);
                }
                pruner.embedded(object, &self.root, true);
                drop_nulls(object, Some(&self.root));
            }
        }
        let mut unknown = pruner.unknown.into_paths();
        unknown.sort();
        unknown
    }
}

/// Nothing in a default of a custom resource's schema would be dropped.
pub(super) fn is_pruned(node: &Node, value: &Value) -> bool {
    let definitions = Definitions::default();
    let mut pruner = Pruner { definitions: &definitions, path: String::new(), unknown: Told::default() };
    pruner.structural(&mut value.clone(), Some(node), false);
    pruner.unknown.is_empty()
}

struct Pruner<'a> {
    definitions: &'a Definitions,
    path: String,
    unknown: Told,
}

impl Pruner<'_> {
    fn at_field(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        visit(self);
        self.path.truncate(length);
    }

    fn at_index(&mut self, index: usize, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(&format!("[{index}]"));
        visit(self);
        self.path.truncate(length);
    }

    fn report(&mut self, name: &str) {
        if !self.unknown.is_full() {
            self.at_field(name, |this| this.unknown.tell(&this.path));
        }
    }

    /// No schema means that nothing is named. Items of a list that is preserved are `kept` as if they were.
    fn structural(&mut self, value: &mut Value, node: Option<&Node>, kept: bool) {
        let preserve = node.is_some_and(|node| node.preserve || kept);
        match value {
            Value::Object(fields) => self.structural_map(fields, node, preserve),
            Value::Array(items) => {
                let item = node.and_then(|node| node.items.as_deref());
                if preserve && item.is_none() {
                    return;
                }
                for (index, value) in items.iter_mut().enumerate() {
                    self.at_index(index, |this| this.structural(value, item, preserve));
                }
            }
            _ => {}
        }
    }

    fn structural_map(&mut self, fields: &mut Map<String, Value>, node: Option<&Node>, preserve: bool) {
        let embedded = node.is_some_and(|node| node.embedded);
        fields.retain(|name, value| {
            if embedded && META_FIELDS.contains(&name.as_str()) {
                return true;
            }
            let child = match node.map(|node| (node.properties.get(name), &node.additional)) {
                Some((Some(child), _)) => Some(child),
                Some((None, Additional::Of(child))) => Some(&**child),
                // Entries are allowed, but no schema says what may be in them.
                Some((None, Additional::Any | Additional::Denied)) => None,
                _ => {
                    if !preserve {
                        self.report(name);
                    }
                    return preserve;
                }
            };
            self.at_field(name, |this| this.structural(value, child, false));
            true
        });
    }

    /// A type without properties holds anything; one with them drops what they do not name.
    fn builtin(&mut self, value: &mut Value, node: &Node) {
        let node = self.definitions.resolve(node);
        match value {
            Value::Object(fields) => {
                let open = node.properties.is_empty() || node.preserve;
                fields.retain(|name, value| {
                    let child = node.field(name).map(|child| self.definitions.resolve(child));
                    match child {
                        Some(child) => self.at_field(name, |this| this.builtin(value, child)),
                        None if open || matches!(node.additional, Additional::Any) => {}
                        None => {
                            self.report(name);
                            return false;
                        }
                    }
                    true
                });
            }
            Value::Array(items) => {
                let Some(item) = node.items.as_deref() else { return };
                for (index, value) in items.iter_mut().enumerate() {
                    self.at_index(index, |this| this.builtin(value, item));
                }
            }
            _ => {}
        }
    }

    fn metadata(&mut self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata") else { return };
        if let Some(node) = self.definitions.get(OBJECT_META) {
            self.at_field("metadata", |this| this.builtin(metadata, node));
        }
        tidy_metadata(metadata);
    }

    /// Metadata of resources inside the resource.
    fn embedded(&mut self, value: &mut Value, node: &Node, root: bool) {
        match value {
            Value::Object(_) => {
                if node.embedded && !root {
                    self.metadata(value);
                }
                let Value::Object(fields) = value else { return };
                for (name, value) in fields {
                    if let Some(child) = node.field(name) {
                        self.at_field(name, |this| this.embedded(value, child, false));
                    }
                }
            }
            Value::Array(items) => {
                let Some(item) = node.items.as_deref() else { return };
                for (index, value) in items.iter_mut().enumerate() {
                    self.at_index(index, |this| this.embedded(value, item, false));
                }
            }
            _ => {}
        }
    }
}

/// Gives metadata the form that the Go type gives it.
pub(crate) fn tidy_metadata(metadata: &mut Value) {
    if let Value::Object(fields) = metadata {
        fields.retain(|name, value| keep_metadata(name, value));
    }
}

/// Go leaves out what is empty, and reads a null in a map of strings as the empty string.
fn keep_metadata(name: &str, value: &mut Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => {
            for value in fields.values_mut().filter(|value| value.is_null()) {
                *value = Value::String(String::new());
            }
            !fields.is_empty()
        }
        Value::Number(number) => name != "generation" || number.as_i64() != Some(0),
        Value::Bool(_) => true,
    }
}

fn drop_nulls(value: &mut Value, node: Option<&Node>) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let child = node.and_then(|node| node.field(name));
            let dropped =
                value.is_null() && child.is_some_and(|node| node.refuses_null() && node.default.is_none());
            if !dropped {
                drop_nulls(value, child);
            }
            !dropped
        }),
        Value::Array(items) => {
            let child = node.and_then(|node| node.items.as_deref());
            items.iter_mut().for_each(|item| drop_nulls(item, child));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn check(schema: &Value, object: Value, expected: &Value, unknown: &[&str]) {
        let spec = json!({"type": "object", "properties": {"spec": schema}});
        let mut object = json!({"spec": object});
        let found = Schema::stored(&spec).prune(&mut object);
        assert_eq!(&object["spec"], expected);
        assert_eq!(found, unknown);
    }

    #[test]
    fn what_is_not_named_is_dropped() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"c": {}}}},
        }});
        check(
            &schema,
            json!({"a": 1, "z": 1, "list": [{"b": 1, "y": 2}], "map": {"k": {"c": 1, "d": {"e": 1}}}}),
            &json!({"a": 1, "list": [{"b": 1}], "map": {"k": {"c": 1}}}),
            &["spec.list[0].y", "spec.map.k.d", "spec.z"],
        );
    }

    /// All goes, but only so much is told: below a long name, every path is long.
    #[test]
    fn no_more_than_a_hundred_places_are_told() {
        let entries = |count: usize| (0..count).map(|number| (format!("f{number:04}"), json!(0))).collect();
        let schema = json!({"type": "object", "additionalProperties": {"type": "object"}});
        let spec = json!({"type": "object", "properties": {"spec": schema}});
        let mut object = json!({"spec": {"a": Value::Object(entries(150))}});
        let told = Schema::stored(&spec).prune(&mut object);
        assert_eq!((told.len(), &*told[99]), (100, "spec.a.f0099"));
        let long = "x".repeat(1 << 20);
        let mut object = json!({"spec": {long: Value::Object(entries(90))}});
        let told = Schema::stored(&spec).prune(&mut object);
        let bytes: usize = told.iter().map(String::len).sum();
        assert!(bytes < 16 << 20 && !told.is_empty(), "{bytes} bytes of paths");
        assert!(object["spec"].as_object().unwrap().values().all(|entry| entry == &json!({})));
    }

    #[test]
    fn what_is_preserved_is_kept_but_what_it_names_is_not() {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"strict": {"type": "object", "properties": {"a": {"type": "string"}}}}});
        check(
            &schema,
            json!({"any": {"thing": 1}, "strict": {"a": 1, "b": 2}}),
            &json!({"any": {"thing": 1}, "strict": {"a": 1}}),
            &["spec.strict.b"],
        );
    }

    #[test]
    fn nulls_are_dropped_unless_allowed_or_defaulted() {
        let schema = json!({"type": "object", "properties": {
            "plain": {"type": "string"},
            "nullable": {"type": "string", "nullable": true},
            "defaulted": {"type": "string", "default": "x"},
        }});
        check(
            &schema,
            json!({"plain": null, "nullable": null, "defaulted": null}),
            &json!({"nullable": null, "defaulted": null}),
            &[],
        );
    }

    #[test]
    fn metadata_of_resources_is_known() {
        let schema = json!({"type": "object", "properties": {"inner": {"type": "object",
            "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}});
        let mut object = json!({"apiVersion": "a/v1", "kind": "A", "other": 1,
            "metadata": {"name": "x", "labels": {}, "nonsense": 1, "annotations": {"a": null}},
            "inner": {"apiVersion": "v1", "kind": "B", "metadata": {"name": "y", "odd": 2}, "data": 1}});
        let unknown = Schema::stored(&schema).prune(&mut object);
        assert_eq!(unknown, ["inner.metadata.odd", "metadata.nonsense", "other"]);
        assert_eq!(
            object,
            json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x", "annotations": {"a": ""}},
                "inner": {"apiVersion": "v1", "kind": "B", "metadata": {"name": "y"}, "data": 1}})
        );
    }

    #[test]
    fn built_in_kinds_follow_references_and_keep_free_form() {
        let definitions = Arc::new(Definitions::parse(&json!({
            "a.Top": {"type": "object", "properties": {"spec": {"allOf": [{"$ref": "#/components/schemas/a.Spec"}]},
                "free": {"type": "object"}}},
            "a.Spec": {"type": "object", "properties": {"next": {"$ref": "a.Spec"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}}}},
        })));
        let schema = Schema::builtin(&definitions, "a.Top").unwrap();
        let mut object =
            json!({"free": {"x": 1}, "spec": {"next": {"next": {"odd": 1}}, "labels": {"l": "v"}}});
        assert_eq!(schema.prune(&mut object), ["spec.next.next.odd"]);
        assert_eq!(object, json!({"free": {"x": 1}, "spec": {"next": {"next": {}}, "labels": {"l": "v"}}}));
    }
}
