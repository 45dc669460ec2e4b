//! What patches make of objects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::schema::Definitions;

fn schema() -> Schema {
    let definitions = Definitions::parse(&json!({
        "a.Top": {"type": "object", "properties": {
            "spec": {"allOf": [{"$ref": "a.Spec"}], "default": {}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        }},
        "a.Spec": {"type": "object", "properties": {
            "items": {"type": "array", "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
                "items": {"$ref": "a.Item"}},
            "words": {"type": "array", "x-kubernetes-patch-strategy": "merge", "items": {"type": "string"}},
            "plain": {"type": "array", "items": {"type": "string"}},
            "mode": {"allOf": [{"$ref": "a.Mode"}], "x-kubernetes-patch-strategy": "retainKeys"},
            "whole": {"allOf": [{"$ref": "a.Mode"}], "x-kubernetes-patch-strategy": "replace"},
        }},
        "a.Item": {"type": "object", "properties": {"name": {"type": "string"}, "v": {"type": "integer"},
            "w": {"type": "integer"}}},
        "a.Mode": {"type": "object", "properties": {"type": {"type": "string"}, "x": {"type": "integer"}}},
    }));
    Schema::builtin(&Arc::new(definitions), "a.Top").unwrap()
}

fn patched(current: &Value, change: &Value) -> Result<Value, String> {
    let current = json!({"spec": current});
    let result = patch(&schema(), &current, &json!({"spec": change})).map_err(|error| error.to_string())?;
    Ok(result["spec"].clone())
}

fn check(current: Value, change: Value, expected: Value) {
    assert_eq!(patched(&current, &change), Ok(expected), "{current} {change}");
}

#[test]
fn lists_merge_by_key_and_in_order() {
    let current = json!({"items": [{"name": "a", "v": 1}, {"name": "b", "v": 2}, {"name": "c"}]});
    check(
        current.clone(),
        json!({"items": [{"name": "b", "w": 3}, {"name": "d"}]}),
        json!({"items": [{"name": "a", "v": 1}, {"name": "b", "v": 2, "w": 3}, {"name": "d"}, {"name": "c"}]}),
    );
    check(
        current.clone(),
        json!({"items": [{"name": "b", "$patch": "delete"}]}),
        json!({"items": [{"name": "a", "v": 1}, {"name": "c"}]}),
    );
    check(
        current.clone(),
        json!({"items": [{"name": "z"}, {"$patch": "replace"}]}),
        json!({"items": [{"name": "z"}]}),
    );
    check(
        current,
        json!({"$setElementOrder/items": [{"name": "c"}, {"name": "a"}], "items": [{"name": "a", "v": 9}]}),
        json!({"items": [{"name": "b", "v": 2}, {"name": "c"}, {"name": "a", "v": 9}]}),
    );
}

#[test]
fn sets_of_words_merge_and_lose() {
    let current = json!({"words": ["a", "b", "c"]});
    check(current.clone(), json!({"words": ["d", "b"]}), json!({"words": ["d", "a", "b", "c"]}));
    check(current.clone(), json!({"$deleteFromPrimitiveList/words": ["b"]}), json!({"words": ["a", "c"]}));
    check(
        current,
        json!({"$deleteFromPrimitiveList/words": ["b"], "$setElementOrder/words": ["c", "a"]}),
        json!({"words": ["c", "a"]}),
    );
}

#[test]
fn other_lists_and_scalars_are_replaced_and_nulls_delete() {
    check(json!({"plain": ["a"]}), json!({"plain": ["b"]}), json!({"plain": ["b"]}));
    check(json!({"plain": ["a"], "words": ["x"]}), json!({"plain": null}), json!({"words": ["x"]}));
    check(json!({}), json!({"mode": {"type": "a", "x": null}}), json!({"mode": {"type": "a"}}));
}

#[test]
fn directives_of_maps() {
    let current = json!({"mode": {"type": "a", "x": 1}});
    check(
        current.clone(),
        json!({"mode": {"$patch": "replace", "type": "b"}}),
        json!({"mode": {"type": "b"}}),
    );
    check(current.clone(), json!({"mode": {"$patch": "delete"}}), json!({"mode": {}}));
    check(
        current.clone(),
        json!({"mode": {"$retainKeys": ["type"], "type": "b"}}),
        json!({"mode": {"type": "b"}}),
    );
    check(
        json!({"whole": {"type": "a", "x": 1}}),
        json!({"whole": {"type": "b"}}),
        json!({"whole": {"type": "b"}}),
    );
}

#[test]
fn patches_that_are_refused() {
    let current = json!({"items": [{"name": "a"}], "mode": {"type": "a"}, "words": ["a"]});
    for (change, expected) in [
        (json!({"items": [{"v": 1}]}), "map: map[v:1] does not contain declared merge key: name"),
        (json!({"mode": {"$patch": "odd"}}), "unknown patch type: odd in map: map[$patch:odd]"),
        (json!({"mode": {"$retainKeys": ["x"], "type": "b"}}), "invalid patch format of retainKeys"),
        (json!({"$deleteFromPrimitiveList": ["a"]}), "invalid patch format of primitive list"),
        (json!({"words": [1]}), "list element types are not identical: [[a] [1]]"),
        (
            json!({"$setElementOrder/items": [{"name": "b"}], "items": [{"name": "a"}]}),
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
        ),
        (
            json!({"$setElementOrder/odd": ["b"], "odd": ["b"]}),
            "unable to find api field in struct Spec for the json field \"odd\"",
        ),
    ] {
        assert_eq!(patched(&current, &change), Err(expected.to_owned()), "{change}");
    }
    let custom = Schema::anything();
    let error = patch(&custom, &json!({}), &json!({})).unwrap_err();
    assert_eq!(error.fault, Fault::BadRequest);
}
