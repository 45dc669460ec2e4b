//! Filling in defaults.

use serde_json::Value;

use super::Schema;
use super::node::Node;
use super::{Definitions, Dialect};

impl Schema {
    /// Fills in what is missing and has a default, from the outside in: a default may bring fields that have
    /// defaults themselves. A null that may not be there is missing too.
    ///
    /// For a built-in kind these are the defaults that its OpenAPI declares. They include the empty values
    /// that Go always writes (`resources: {}`), but not what the defaulting code of the kind computes.
    pub fn default(&self, object: &mut Value) {
        Filler { definitions: &self.definitions, dialect: self.dialect }.fill(object, &self.root);
    }
}

struct Filler<'a> {
    definitions: &'a Definitions,
    dialect: Dialect,
}

impl Filler<'_> {
    fn fill(&self, value: &mut Value, node: &Node) {
        let node = self.definitions.resolve(node);
        match value {
            Value::Object(fields) => {
                for (name, child) in &node.properties {
                    let required = node.required.contains(name);
                    let Some(default) = self.default(child, required) else { continue };
                    let missing = fields.get(name).is_none_or(|value| value.is_null() && !child.nullable);
                    if missing {
                        fields.insert(name.clone(), default.clone());
                    }
                }
                for (name, value) in fields {
                    if let Some(child) = node.properties.get(name) {
                        self.fill(value, child);
                    } else if let Some(child) = node.additional.schema() {
                        self.fill_entry(value, child);
                    }
                }
            }
            Value::Array(items) => {
                let Some(child) = node.items.as_deref() else { return };
                items.iter_mut().for_each(|value| self.fill_entry(value, child));
            }
            _ => {}
        }
    }

    /// Entries of maps and lists are not made, but a null that may not be there is replaced.
    fn fill_entry(&self, value: &mut Value, child: &Node) {
        if value.is_null() && !child.nullable {
            *value = self.default(child, true).cloned().unwrap_or(Value::Null);
        }
        self.fill(value, child);
    }

    fn default<'a>(&self, child: &'a Node, required: bool) -> Option<&'a Value> {
        let default = child.default.as_ref()?;
        // OpenAPI has the empty value of every scalar that is not a pointer as its default; Go writes it only
        // where the field may not be left out.
        let empty = match default {
            Value::String(text) => text.is_empty(),
            Value::Number(number) => number.as_i64() == Some(0),
            Value::Bool(flag) => !flag,
            _ => false,
        };
        (self.dialect == Dialect::Structural || required || !empty).then_some(default)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: &Value, object: Value, expected: &Value) {
        let spec = json!({"type": "object", "properties": {"spec": schema}});
        let mut object = json!({"spec": object});
        Schema::stored(&spec).default(&mut object);
        assert_eq!(&object["spec"], expected);
    }

    #[test]
    fn defaults_are_filled_in_from_the_outside_in() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "default": "x"},
            "deep": {"type": "object", "default": {"given": 1}, "properties": {
                "given": {"type": "integer"}, "inner": {"type": "integer", "default": 2}}},
            "absent": {"type": "object", "properties": {"never": {"type": "integer", "default": 3}}},
        }});
        check(&schema, json!({}), &json!({"a": "x", "deep": {"given": 1, "inner": 2}}));
        check(&schema, json!({"a": "y", "deep": {}}), &json!({"a": "y", "deep": {"inner": 2}}));
    }

    #[test]
    fn nulls_are_missing_where_they_may_not_be() {
        let schema = json!({"type": "object", "properties": {
            "plain": {"type": "string", "default": "x"},
            "nullable": {"type": "string", "nullable": true, "default": "x"},
            "list": {"type": "array", "items": {"type": "string", "default": "i"}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "default": "m"}},
        }});
        check(
            &schema,
            json!({"plain": null, "nullable": null, "list": [null, "a"], "map": {"k": null}}),
            &json!({"plain": "x", "nullable": null, "list": ["i", "a"], "map": {"k": "m"}}),
        );
    }
}
