//! Giving an object back: it says again what it said before somebody had it, save what others have set since.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Entry, FieldSet, Item};

/// A value as it was, but for the fields that others own now: these stay as they are.
///
/// `shape` is everything that anybody owns or owned: it tells what is owned field by field from what is owned whole. What is gone
/// comes back, whoever took it away: nobody owns what is not there.
pub fn given_back(now: Value, was: &Value, others: &FieldSet, shape: &FieldSet) -> Value {
    match now {
        Value::Object(fields) => Value::Object(map(fields, was.as_object(), others, shape)),
        other => other,
    }
}

fn back(
    now: Option<Value>,
    was: Option<&Value>,
    others: Option<&Entry>,
    shape: Option<&Entry>,
) -> Option<Value> {
    let (Some(now), Some(others)) = (now, others) else { return was.cloned() };
    let Some(Entry { below: shape, .. }) = shape.filter(|entry| !entry.below.is_empty()) else {
        return Some(now);
    };
    Some(match now {
        Value::Object(fields) => {
            Value::Object(map(fields, was.and_then(Value::as_object), &others.below, shape))
        }
        Value::Array(items) => Value::Array(list(items, was.and_then(Value::as_array), &others.below, shape)),
        one => one,
    })
}

fn map(
    now: Map<String, Value>,
    was: Option<&Map<String, Value>>,
    others: &FieldSet,
    shape: &FieldSet,
) -> Map<String, Value> {
    let gone = was.into_iter().flatten().filter(|(name, _)| !now.contains_key(*name));
    let gone: Vec<_> = gone.map(|(name, was)| (name.clone(), was.clone())).collect();
    let mut fields = Map::new();
    for (name, value) in now {
        let was = was.and_then(|was| was.get(&name));
        let entry = others.fields.get(name.as_str());
        if let Some(value) = back(Some(value), was, entry, shape.fields.get(name.as_str())) {
            fields.insert(name, value);
        }
    }
    fields.extend(gone);
    fields
}

fn list(now: Vec<Value>, was: Option<&Vec<Value>>, others: &FieldSet, shape: &FieldSet) -> Vec<Value> {
    let named = |value: &Value| shape.items.iter().find_map(|(like, _)| alike(like, value));
    let before: BTreeMap<Item, &Value> =
        was.into_iter().flatten().filter_map(|item| Some((named(item)?, item))).collect();
    let mut seen = BTreeSet::new();
    let mut items = Vec::new();
    for value in now {
        // What has no name of its own is nobody's but the list's.
        let Some(name) = named(&value) else {
            items.push(value);
            continue;
        };
        let was = before.get(&name).copied();
        items.extend(back(Some(value), was, others.items.get(&name), shape.items.get(&name)));
        seen.insert(name);
    }
    for (index, item) in was.into_iter().flatten().enumerate() {
        if named(item).is_some_and(|name| !seen.contains(&name)) {
            items.insert(index.min(items.len()), item.clone());
        }
    }
    items
}

/// How an item of a list is found again, in the way in which another of the list is.
fn alike(like: &Item, value: &Value) -> Option<Item> {
    match like {
        Item::Key(keys) => {
            let keys = keys.iter().map(|(name, _)| Some((name.clone(), value.get(name)?.clone())));
            Some(Item::Key(keys.collect::<Option<_>>()?))
        }
        Item::Value(_) => Some(Item::Value(value.clone())),
        Item::Index(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is given back if this is what is there, was there, and is owned by others and by whoever gives it back.
    fn check(now: Value, was: Value, others: Value, ours: Value, expected: Value) {
        let set = |json: Value| FieldSet::from_json(&json).expect("a set");
        let (others, ours) = (set(others), set(ours));
        assert_eq!(given_back(now, &was, &others, &ours.union(&others)), expected);
    }

    #[test]
    fn what_nobody_else_owns_is_as_it_was() {
        check(
            json!({ "data": { "x": "ours", "new": "ours", "same": "1" }, "by_default": 1 }),
            json!({ "data": { "x": "1", "same": "1", "gone": "1" } }),
            json!({ "f:data": { ".": {}, "f:same": {} } }),
            json!({ "f:data": { "f:x": {}, "f:new": {} } }),
            json!({ "data": { "x": "1", "same": "1", "gone": "1" } }),
        );
    }

    #[test]
    fn what_others_have_set_since_stays() {
        check(
            json!({ "data": { "x": "ours", "theirs": "new", "both": "now" } }),
            json!({ "data": { "x": "1", "both": "then" } }),
            json!({ "f:data": { "f:theirs": {}, "f:both": {} } }),
            json!({ "f:data": { "f:x": {}, "f:both": {} } }),
            json!({ "data": { "x": "1", "theirs": "new", "both": "now" } }),
        );
    }

    #[test]
    fn what_was_not_there_goes_with_all_that_its_server_filled_in() {
        check(
            json!({ "spec": { "probe": { "port": 1, "timeout": 10 }, "type": "Rolling", "rolling": { "surge": 1 } } }),
            json!({ "spec": { "type": "Recreate" } }),
            json!({}),
            json!({ "f:spec": { "f:probe": { "f:port": {} }, "f:type": {} } }),
            json!({ "spec": { "type": "Recreate" } }),
        );
    }

    #[test]
    fn who_owns_a_map_by_itself_does_not_own_what_is_in_it() {
        check(
            json!({ "data": { "x": "ours" } }),
            json!({ "data": { "x": "1" } }),
            json!({ "f:data": { ".": {} } }),
            json!({ "f:data": { "f:x": {} } }),
            json!({ "data": { "x": "1" } }),
        );
        // Owned whole by all: who changed it last has it.
        check(
            json!({ "selector": { "x": "theirs" } }),
            json!({ "selector": { "y": "1" } }),
            json!({ "f:selector": {} }),
            json!({}),
            json!({ "selector": { "x": "theirs" } }),
        );
    }

    #[test]
    fn items_of_lists_are_known_by_their_keys() {
        let item = |name: &str, image: &str| json!({ "name": name, "image": image });
        check(
            json!({ "l": [item("ours", "1"), item("a", "ours"), item("theirs", "1")] }),
            json!({ "l": [item("gone", "1"), item("a", "1")] }),
            json!({ "f:l": { r#"k:{"name":"theirs"}"#: { ".": {}, "f:name": {}, "f:image": {} }, r#"k:{"name":"a"}"#: { ".": {}, "f:name": {} } } }),
            json!({ "f:l": { r#"k:{"name":"ours"}"#: { ".": {}, "f:name": {}, "f:image": {} }, r#"k:{"name":"a"}"#: { "f:image": {} } } }),
            json!({ "l": [item("gone", "1"), item("a", "1"), item("theirs", "1")] }),
        );
        check(
            json!({ "l": ["ours", "theirs", "a"] }),
            json!({ "l": ["a"] }),
            json!({ "f:l": { r#"v:"theirs""#: {} } }),
            json!({ "f:l": { r#"v:"ours""#: {} } }),
            json!({ "l": ["theirs", "a"] }),
        );
    }
}
