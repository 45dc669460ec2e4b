//! `x-kubernetes-validations`: found here, evaluated by those who have CEL.

use serde_json::{Map, Value};

use super::Schema;
use super::node::{ListType, MapType, Node};
use crate::fields::Item;
use crate::path::FieldPath;

/// One rule, as the schema has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The expression; true means valid.
    pub rule: String,
    /// What to say if it does not hold.
    pub message: String,
    /// An expression for what to say.
    pub message_expression: String,
    /// The reason of the error: `FieldValueInvalid` and so on; empty means that.
    pub reason: String,
    /// The field that the error names instead, relative to the rule's.
    pub field_path: String,
    /// `oldSelf` is optional in it, so that it is evaluated on create too.
    pub optional_old_self: Option<bool>,
}

impl Rule {
    pub(crate) fn parse_all(schema: &Map<String, Value>) -> Vec<Rule> {
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        rules.into_iter().flatten().filter_map(Value::as_object).map(Rule::parse).collect()
    }

    pub(crate) fn parse(map: &Map<String, Value>) -> Rule {
        let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Rule {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: text("reason"),
            field_path: text("fieldPath"),
            optional_old_self: map.get("optionalOldSelf").and_then(Value::as_bool),
        }
    }
}

/// A value that has rules.
#[derive(Debug)]
pub struct RuleSite<'a> {
    /// Where it is.
    pub path: String,
    /// Its rules.
    pub rules: &'a [Rule],
    /// Its schema, as it was written.
    pub schema: &'a Value,
    /// The value.
    pub value: &'a Value,
    /// The value that it replaces, if the two can be told to be the same: items of a list only by its keys.
    pub old: Option<&'a Value>,
    /// Nothing in it changed: an error that it had before is not held against it (ratcheting).
    pub unchanged: bool,
}

impl Schema {
    /// Visits every value with rules, from the outside in.
    pub fn rules<'a>(
        &'a self,
        object: &'a Value,
        old: Option<&'a Value>,
        visit: &mut dyn FnMut(RuleSite<'a>),
    ) {
        walk(&FieldPath::Root, &self.root, object, old, visit);
    }

    /// Whether any rule is in it.
    pub fn has_rules(&self) -> bool {
        fn any(node: &Node) -> bool {
            let below = node.properties.values().chain(node.items.as_deref()).chain(node.additional.schema());
            !node.rules.is_empty() || below.into_iter().any(any)
        }
        any(&self.root)
    }
}

fn walk<'a>(
    path: &FieldPath<'_>,
    node: &'a Node,
    value: &'a Value,
    old: Option<&'a Value>,
    visit: &mut dyn FnMut(RuleSite<'a>),
) {
    if let Some(schema) = node.source.as_deref() {
        let unchanged = old.is_some_and(|old| crate::value::equal(old, value));
        visit(RuleSite { path: path.to_string(), rules: &node.rules, schema, value, old, unchanged });
    }
    match value {
        Value::Object(fields) => {
            // An atomic map is replaced as a whole: what is below has nothing to compare itself with.
            let old = if node.map == Some(MapType::Atomic) { None } else { old };
            for (name, field) in fields {
                let before = old.and_then(|old| old.get(name));
                if let Some(child) = node.properties.get(name) {
                    walk(&path.field(name), child, field, before, visit);
                } else if let Some(child) = node.additional.schema() {
                    walk(&path.key(name), child, field, before, visit);
                }
            }
        }
        Value::Array(items) => {
            let Some(child) = node.items.as_deref() else { return };
            let before = previous(node, old);
            for (index, item) in items.iter().enumerate() {
                let old = before.as_ref().and_then(|before| before.find(node, item));
                walk(&path.index(index), child, item, old, visit);
            }
        }
        _ => {}
    }
}

/// The items that a list had, by key.
pub(crate) struct Previous<'a>(std::collections::BTreeMap<Item, &'a Value>);

/// Only lists of type map let their items be found again.
pub(crate) fn previous<'a>(node: &Node, old: Option<&'a Value>) -> Option<Previous<'a>> {
    let items = old?.as_array().filter(|_| node.list == Some(ListType::Map))?;
    Some(Previous(items.iter().filter_map(|item| Some((key(node, item)?, item))).collect()))
}

impl<'a> Previous<'a> {
    pub(crate) fn find(&self, node: &Node, item: &Value) -> Option<&'a Value> {
        self.0.get(&key(node, item)?).copied()
    }
}

fn key(node: &Node, item: &Value) -> Option<Item> {
    let fields = item.as_object()?;
    let mut key: Vec<_> =
        node.map_keys.iter().filter_map(|name| Some((name.clone(), fields.get(name)?.clone()))).collect();
    key.sort_by(|(left, _), (right, _)| left.cmp(right));
    Some(Item::Key(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_are_found_and_items_correlated_by_key() {
        let schema = Schema::structural(
            &json!({"type": "object", "properties": {"spec": {"type": "object",
                "x-kubernetes-validations": [{"rule": "self.a > 0", "message": "m"}],
                "properties": {
                    "a": {"type": "integer"},
                    "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                        "items": {"type": "object", "required": ["k"], "properties": {
                            "k": {"type": "string"},
                            "v": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]},
                        }}},
                }}}}),
            &FieldPath::Root.field("x"),
        )
        .unwrap();
        assert!(schema.has_rules());
        let old = json!({"spec": {"a": 1, "list": [{"k": "x", "v": 1}, {"k": "y", "v": 2}]}});
        let new = json!({"spec": {"a": 1, "list": [{"k": "y", "v": 3}, {"k": "z", "v": 4}]}});
        let mut seen = Vec::new();
        schema.rules(&new, Some(&old), &mut |site| {
            seen.push((site.path.clone(), site.rules[0].rule.clone(), site.old.cloned(), site.unchanged));
        });
        assert_eq!(
            seen,
            [
                ("spec".into(), "self.a > 0".into(), Some(old["spec"].clone()), false),
                ("spec.list[0].v".into(), "self >= oldSelf".into(), Some(json!(2)), false),
                ("spec.list[1].v".into(), "self >= oldSelf".into(), None, false),
            ]
        );
    }
}
