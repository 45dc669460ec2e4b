//! What patches make of objects.

use std::cell::Cell;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::schema::Definitions;

thread_local! {
    /// How many items were compared with each other.
    pub(super) static COMPARED: Cell<usize> = const { Cell::new(0) };
}

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

/// A key as a patch may have it. Few, so that they meet; and some that no kind has.
fn keys() -> impl Strategy<Value = Value> {
    let odd = [json!(1), json!(1.0), json!(null), json!({"a": null}), json!({"a": 1}), json!({"a": 1.0})];
    prop_oneof![
        8 => (0..6_u8).prop_map(|number| json!(format!("k{number}"))),
        1 => proptest::sample::select(odd.to_vec()),
    ]
}

fn items(directives: bool) -> impl Strategy<Value = Vec<Value>> {
    let directive = if directives { 3 } else { 0 };
    let plain = (keys(), 0..3_u8).prop_map(|(key, v)| json!({"name": key, "v": v}));
    let one = prop_oneof![
        8 => plain,
        directive => keys().prop_map(|key| json!({"name": key, "$patch": "delete"})),
    ];
    let many = proptest::collection::vec(one, 0..10);
    (many, 0..20_u8).prop_map(move |(mut items, dice)| {
        if directives && dice == 0 {
            items.push(json!({"$patch": "replace"}));
        }
        items
    })
}

fn words() -> impl Strategy<Value = Vec<Value>> {
    let texts = proptest::collection::vec((0..12_u8).prop_map(|word| json!(format!("w{word}"))), 0..15);
    let numbers = proptest::collection::vec((0..5_i64).prop_map(|word| json!(word)), 0..15);
    prop_oneof![4 => texts, 1 => numbers]
}

proptest! {
    #[test]
    fn lists_come_out_as_if_every_pair_had_been_compared(original in items(false), patch in items(true)) {
        let schema = schema();
        let field = Place::root(&schema).field("spec").unwrap().place.list("items").unwrap();
        let quick = list::merge(original.clone(), patch.clone(), &field, false);
        if original.is_empty() && patch.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(quick.ok(), naive::merge(&original, &patch, field.place, "name"));
        prop_assert_eq!(
            order::overwritten(&original, &patch, "name"),
            naive::overwritten(original, &patch, "name")
        );
    }

    #[test]
    fn orders_come_out_as_if_every_pair_had_been_compared(
        merged in items(true), patch in items(true), list in items(false),
    ) {
        let quick = order::order(merged.clone(), &patch, &list, "name");
        prop_assert_eq!(quick.ok(), naive::order(merged, &patch, &list, "name"));
    }

    #[test]
    fn sets_come_out_as_if_every_pair_had_been_compared(original in words(), patch in words()) {
        let schema = schema();
        let field = Place::root(&schema).field("spec").unwrap().place.list("words").unwrap();
        let Ok(quick) = list::merge(original.clone(), patch.clone(), &field, false) else {
            // Texts and numbers.
            prop_assert!(original.iter().chain(&patch).any(Value::is_number));
            return Ok(());
        };
        prop_assert_eq!(Some(quick), naive::merge(&original, &patch, field.place, ""));
        let kept = list::merge(original.clone(), patch.clone(), &field, true).unwrap();
        let gone = |value: &Value| patch.contains(value);
        prop_assert_eq!(kept, original.into_iter().filter(|value| !gone(value)).collect::<Vec<_>>());
    }
}

/// Each item is looked up a few times, in a tree. Every pair would be ten times as much, and more the longer the list.
#[test]
fn long_lists_are_not_compared_pair_by_pair() {
    const COUNT: usize = 8000;
    let name = |number: usize| format!("n{}", number * 7919 % COUNT);
    let words: Vec<_> = (0..COUNT).map(name).collect();
    let others: Vec<_> = (COUNT / 2..COUNT * 2).map(|number| format!("n{number}")).collect();
    let items: Vec<_> = words.iter().map(|name| json!({"name": name, "v": 1})).collect();
    let gone: Vec<_> = words.iter().map(|name| json!({"name": name, "$patch": "delete"})).collect();
    let again: Vec<_> = others.iter().map(|name| json!({"name": name})).collect();
    for (current, change) in [
        (json!({"words": words}), json!({"words": others})),
        (json!({"words": words}), json!({"words": vec!["same"; COUNT]})),
        (json!({"words": words}), json!({"$deleteFromPrimitiveList/words": others})),
        (json!({"words": words}), json!({"$setElementOrder/words": others, "words": others})),
        (json!({"items": items}), json!({"items": again})),
        (json!({"items": items}), json!({"items": gone})),
        (json!({"items": items}), json!({"items": vec![json!({"name": {"a": null}}); COUNT]})),
        (json!({"items": items}), json!({"$setElementOrder/items": again, "items": again})),
        (json!({"items": items}), json!({"$setElementOrder/items": again, "items": gone})),
    ] {
        COMPARED.set(0);
        patched(&current, &change).unwrap();
        let compared = COMPARED.get();
        assert!(
            (COUNT..800 * COUNT).contains(&compared),
            "{compared} comparisons: {:.80}",
            change.to_string()
        );
    }
}
