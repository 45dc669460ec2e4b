//! A patch that makes one object of another: what a client computes, so that the server can be put to the test.

use std::sync::Arc;

use bowline_merge::{Definitions, Schema};
use proptest::collection::btree_map;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

pub(crate) fn schema() -> Schema {
    let definitions = Definitions::parse(&json!({
        "t.Top": {"type": "object", "properties": {
            "word": {"type": "string"},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "plain": {"type": "array", "items": {"type": "string"}},
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
            "items": {"type": "array", "items": {"$ref": "t.Item"}, "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "name"},
        }},
        "t.Item": {"type": "object", "properties": {
            "name": {"type": "string"},
            "value": {"type": "string"},
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
        }},
    }));
    Schema::builtin(&Arc::new(definitions), "t.Top").unwrap()
}

const WORDS: &[&str] = &["p", "q", "r", "s"];

fn words() -> impl Strategy<Value = Value> {
    subsequence(WORDS.to_vec(), 0..=WORDS.len()).prop_shuffle().prop_map(Value::from)
}

fn item() -> impl Strategy<Value = Map<String, Value>> {
    let value = proptest::option::of(select(WORDS).prop_map(Value::from));
    (value, proptest::option::of(words())).prop_map(|(value, set)| fields([("value", value), ("set", set)]))
}

fn fields<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

pub(crate) fn object() -> impl Strategy<Value = Value> {
    let items = btree_map(select(WORDS), item(), 0..4).prop_map(|items| {
        let named = items.into_iter().map(|(name, mut item)| {
            item.insert("name".to_owned(), name.into());
            Value::Object(item)
        });
        named.collect::<Vec<_>>()
    });
    let items = items.prop_shuffle().prop_map(Value::Array);
    let map = btree_map(select(WORDS), select(WORDS), 0..3).prop_map(|map| json!(map));
    let option = proptest::option::of::<BoxedStrategy<Value>>;
    (
        option(select(WORDS).prop_map(Value::from).boxed()),
        option(map.boxed()),
        option(words().boxed()),
        option(words().boxed()),
        option(items.boxed()),
    )
        .prop_map(|(word, map, plain, set, items)| {
            Value::Object(fields([
                ("word", word),
                ("map", map),
                ("plain", plain),
                ("set", set),
                ("items", items),
            ]))
        })
}

pub(crate) fn diff(from: &Value, to: &Value) -> Value {
    let (from, to) = (from.as_object().unwrap(), to.as_object().unwrap());
    let mut patch = Map::new();
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, new) in to {
        match (name.as_str(), from.get(name)) {
            (_, Some(old)) if old == new => {}
            ("map", Some(old)) => drop(patch.insert(name.clone(), diff(old, new))),
            ("set", Some(old)) => set(name, old, new, &mut patch),
            ("items", Some(old)) => items(name, old, new, &mut patch),
            _ => drop(patch.insert(name.clone(), new.clone())),
        }
    }
    Value::Object(patch)
}

fn set(name: &str, old: &Value, new: &Value, patch: &mut Map<String, Value>) {
    let (old, new) = (old.as_array().unwrap(), new.as_array().unwrap());
    let gone: Vec<_> = old.iter().filter(|word| !new.contains(word)).cloned().collect();
    let come: Vec<_> = new.iter().filter(|word| !old.contains(word)).cloned().collect();
    if !gone.is_empty() {
        patch.insert(format!("$deleteFromPrimitiveList/{name}"), gone.into());
    }
    if !come.is_empty() {
        patch.insert(name.to_owned(), come.into());
    }
    if !old.is_empty() {
        patch.insert(format!("$setElementOrder/{name}"), new.clone().into());
    }
}

fn items(name: &str, old: &Value, new: &Value, patch: &mut Map<String, Value>) {
    let (old, new) = (old.as_array().unwrap(), new.as_array().unwrap());
    let find =
        |list: &[Value], item: &Value| list.iter().find(|other| other["name"] == item["name"]).cloned();
    let mut changes = Vec::new();
    for item in new {
        match find(old, item) {
            None => changes.push(item.clone()),
            Some(was) if was == *item => {}
            Some(was) => {
                let mut change = diff(&was, item);
                change["name"] = item["name"].clone();
                changes.push(change);
            }
        }
    }
    let gone = old.iter().filter(|item| find(new, item).is_none());
    changes.extend(gone.map(|item| json!({"name": item["name"], "$patch": "delete"})));
    if !changes.is_empty() {
        patch.insert(name.to_owned(), changes.into());
    }
    if !old.is_empty() {
        let order: Vec<_> = new.iter().map(|item| json!({"name": item["name"]})).collect();
        patch.insert(format!("$setElementOrder/{name}"), order.into());
    }
}
