//! Arbitrary values that a schema lets in.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Map, Value, json};

/// Any value of a schema. What may be left out sometimes is; what is empty is left out, because the two mean the same.
pub(crate) fn value(schema: &Value) -> BoxedStrategy<Value> {
    match schema["type"].as_str() {
        Some("object") => object(schema),
        Some("array") => array(schema),
        Some("string") => string(schema),
        Some("integer") => integer(schema),
        Some("boolean") => Just(json!(true)).boxed(),
        _ => anything(),
    }
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let required: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut all: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let name = name.clone();
        let field = value(property);
        let field =
            if required.contains(&name.as_str()) { field.prop_map(Some).boxed() } else { maybe(field) };
        all = (all, field)
            .prop_map(move |(mut object, field)| {
                object.extend(field.map(|value| (name.clone(), value)));
                object
            })
            .boxed();
    }
    if schema["additionalProperties"].is_object() {
        let entries = vec(("[a-z]{1,8}", value(&schema["additionalProperties"])), 1..3);
        return entries.prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()).boxed();
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == json!(true) {
        return ("[a-z]{1,8}", anything()).prop_map(|(key, value)| json!({key: value})).boxed();
    }
    all.prop_map(Value::Object).boxed()
}

fn maybe(field: BoxedStrategy<Value>) -> BoxedStrategy<Option<Value>> {
    proptest::option::of(field).boxed()
}

/// The items of a set, or of a map by keys, are all different.
fn array(schema: &Value) -> BoxedStrategy<Value> {
    let keys: Option<Vec<String>> = match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => Some(Vec::new()),
        Some("map") => serde_json::from_value(schema["x-kubernetes-list-map-keys"].clone()).ok(),
        _ => None,
    };
    let most = schema["maxItems"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(3).min(3);
    let items = vec(value(&schema["items"]), 1..=most);
    items
        .prop_map(move |items| {
            let mut kept: Vec<Value> = Vec::new();
            for item in items {
                let same = |keys: &[String], other: &Value| match keys {
                    [] => *other == item,
                    keys => keys.iter().all(|key| other[key] == item[key]),
                };
                if !keys.as_deref().is_some_and(|keys| kept.iter().any(|other| same(keys, other))) {
                    kept.push(item);
                }
            }
            kept.into()
        })
        .boxed()
}

fn string(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(choices) = schema["enum"].as_array() {
        return proptest::sample::select(choices.clone()).boxed();
    }
    if schema["format"] == json!("date-time") {
        let moment = (2000..2100_u32, 1..13_u32, 1..29_u32, 0..24_u32, 0..60_u32, 0..60_u32);
        return moment
            .prop_map(|(y, mo, d, h, m, s)| json!(format!("{y}-{mo:02}-{d:02}T{h:02}:{m:02}:{s:02}Z")))
            .boxed();
    }
    let most = schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let pattern = schema["pattern"].as_str().unwrap_or("[a-zA-Z0-9 äß\"\\\\]{1,12}");
    let inner = pattern.trim_start_matches('^').trim_end_matches('$');
    // A pattern without an end says how a text begins.
    let ended = if pattern.starts_with('^') && !pattern.ends_with('$') {
        format!("{inner}[a-z]{{0,8}}")
    } else {
        inner.to_owned()
    };
    let text = string_regex(&ended).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    text.prop_filter("too long", move |text| text.chars().count() <= most && !text.contains('\n'))
        .prop_map(Value::from)
        .boxed()
}

fn integer(schema: &Value) -> BoxedStrategy<Value> {
    // Bounds are floating point in the types of a schema; those that we have are exact.
    let bound = |keyword: &str, without: i64| {
        schema[keyword].as_f64().and_then(|bound| format!("{bound:.0}").parse().ok()).unwrap_or(without)
    };
    let (least, most) = (bound("minimum", 0), bound("maximum", i64::MAX));
    prop_oneof![Just(least), Just(most), least..=most].prop_map(Value::from).boxed()
}

/// Where a schema says nothing.
fn anything() -> BoxedStrategy<Value> {
    prop_oneof![
        "[a-z*:]{1,8}".prop_map(Value::from),
        vec("[a-z*:]{1,8}", 1..3).prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{1,4}".prop_map(|key| json!({key: [true]})),
    ]
    .boxed()
}
