//! Lists whose items are told apart must not have the same item twice.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::node::{ListType, Node};
use crate::error::FieldError;
use crate::go;
use crate::path::FieldPath;

/// Finds items that are there twice in lists of type set and map.
pub(super) fn check(path: &FieldPath<'_>, node: &Node, value: &Value, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(child) = node.additional.schema() {
                    check(&path.key(name), child, value, errors);
                }
                if let Some(child) = node.properties.get(name) {
                    check(&path.field(name), child, value, errors);
                }
            }
        }
        Value::Array(items) => {
            match node.list {
                Some(ListType::Set) => {
                    for index in repeated(items.iter().map(go::json)) {
                        errors.push(FieldError::duplicate(path.index(index), items[index].clone()));
                    }
                }
                Some(ListType::Map) => check_map(path, node, items, errors),
                _ => {}
            }
            if let Some(child) = node.items.as_deref() {
                for (index, item) in items.iter().enumerate() {
                    check(&path.index(index), child, item, errors);
                }
            }
        }
        _ => {}
    }
}

fn check_map(path: &FieldPath<'_>, node: &Node, items: &[Value], errors: &mut Vec<FieldError>) {
    let odd = items.iter().position(|item| !item.is_object() && !item.is_null());
    if let Some(index) = odd {
        let what = "must be an object for an array of list-type map";
        errors.push(FieldError::invalid(path.index(index), items[index].clone(), what));
        return;
    }
    let key = |item: &Value| {
        let named = node.map_keys.iter().filter_map(|name| Some((name.clone(), item.get(name)?.clone())));
        Value::Object(named.collect::<Map<_, _>>())
    };
    let keys: Vec<_> = items.iter().map(key).collect();
    for index in repeated(keys.iter().map(go::json)) {
        errors.push(FieldError::duplicate(path.index(index), keys[index].clone()));
    }
}

/// The places where something stands for the second time. A third time is not worth another complaint.
fn repeated(texts: impl Iterator<Item = String>) -> Vec<usize> {
    let mut times = BTreeMap::<String, usize>::new();
    let mut found = Vec::new();
    for (index, text) in texts.enumerate() {
        let times = times.entry(text).or_default();
        *times += 1;
        if *times == 2 {
            found.push(index);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value, list: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        check(&FieldPath::Root.field("l"), &Node::parse(schema), list, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sets_have_no_item_twice() {
        let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
        assert_eq!(found(&set, &json!(["a", "b", "a", "a"])), ["l[2]: Duplicate value: \"a\""]);
        assert_eq!(found(&set, &json!([1, "1", [1], [2]])).len(), 0);
        assert_eq!(found(&set, &json!([{"a": 1}, {"a": 1}])), ["l[1]: Duplicate value: {\"a\":1}"]);
    }

    #[test]
    fn maps_have_no_key_twice() {
        let map = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
            "items": {"type": "object"}});
        assert_eq!(found(&map, &json!([{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 3}])).len(), 0);
        assert_eq!(
            found(&map, &json!([{"a": 1, "b": 2, "c": 3}, {"b": 2, "a": 1}])),
            ["l[1]: Duplicate value: {\"a\":1,\"b\":2}"]
        );
        assert_eq!(
            found(&map, &json!([1])),
            ["l[0]: Invalid value: 1: must be an object for an array of list-type map"]
        );
    }
}
