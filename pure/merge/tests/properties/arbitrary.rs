//! Schemas, objects that fit them, and sets of fields, at random.

use bowline_merge::Schema;
use bowline_merge::fields::{Element, FieldSet, Item};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::rules::config;

fn name() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn word() -> impl Strategy<Value = String> {
    select(vec!["x", "y", "z"]).prop_map(str::to_owned)
}

/// The schema of one field.
fn field(depth: u32) -> BoxedStrategy<Value> {
    let scalar = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer", "default": 7})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"x-kubernetes-int-or-string": true})),
    ];
    let list = prop_oneof![
        Just(json!({"type": "array", "items": {"type": "string"}})),
        Just(json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})),
        Just(json!({"type": "object", "additionalProperties": {"type": "string"}})),
        Just(
            json!({"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}}})
        ),
        Just(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
    ];
    if depth == 0 {
        return prop_oneof![scalar, list].boxed();
    }
    let keyed = object(depth - 1).prop_map(|mut item| {
        item["properties"]["k"] = json!({"type": "string"});
        item["required"] = json!(["k"]);
        json!({"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]})
    });
    prop_oneof![2 => scalar, 2 => list, 1 => object(depth - 1), 2 => keyed].boxed()
}

fn object(depth: u32) -> BoxedStrategy<Value> {
    btree_map(name(), field(depth), 1..4)
        .prop_map(|properties| json!({"type": "object", "properties": properties}))
        .boxed()
}

/// A value that fits a schema. Lists of items are not empty: an empty one is nobody's, and who applies nothing
/// else owns nothing.
fn value(schema: &Value) -> BoxedStrategy<Value> {
    match (schema["type"].as_str(), schema["x-kubernetes-list-type"].as_str()) {
        (Some("string"), _) => word().prop_map(Value::from).boxed(),
        (Some("integer"), _) => (0_i64..3).prop_map(Value::from).boxed(),
        (Some("boolean"), _) => any::<bool>().prop_map(Value::from).boxed(),
        (None, _) => prop_oneof![word().prop_map(Value::from), (0_i64..3).prop_map(Value::from)].boxed(),
        (Some("array"), Some("set")) => btree_set(word(), 1..3).prop_shuffle_list().boxed(),
        (Some("array"), Some(_)) => {
            let item = value(&schema["items"]);
            btree_map(word(), item, 1..3)
                .prop_map(|items| {
                    let keyed = items.into_iter().map(|(key, mut item)| {
                        item["k"] = key.into();
                        item
                    });
                    keyed.collect::<Value>()
                })
                .boxed()
        }
        (Some("array"), None) => vec(word(), 0..3).prop_map(Value::from).boxed(),
        _ if schema.get("additionalProperties").is_some() => {
            btree_map(name(), word(), 0..3).prop_map(|m| json!(m)).boxed()
        }
        _ if schema.get("x-kubernetes-preserve-unknown-fields").is_some() => anything(2),
        _ => fields(schema),
    }
}

fn fields(schema: &Value) -> BoxedStrategy<Value> {
    let mut whole = Just(Map::new()).boxed();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let (name, property) = (name.clone(), proptest::option::of(value(property)));
        whole = (whole, property)
            .prop_map(move |(mut fields, value)| {
                fields.extend(value.map(|value| (name.clone(), value)));
                fields
            })
            .boxed();
    }
    whole.prop_map(Value::Object).boxed()
}

/// What nobody describes: maps all the way down, since a form that changes is a change of ownership too.
fn anything(depth: u32) -> BoxedStrategy<Value> {
    if depth == 0 {
        return word().prop_map(Value::from).boxed();
    }
    let deeper = btree_map(select(vec!["p", "q"]), anything(depth - 1), 0..2).prop_map(|map| json!(map));
    btree_map(select(vec!["r", "s"]), word(), 0..2)
        .prop_flat_map(move |words| {
            deeper.clone().prop_map(move |mut map| {
                map.as_object_mut().unwrap().extend(words.iter().map(|(k, v)| ((*k).to_owned(), json!(v))));
                map
            })
        })
        .boxed()
}

trait Shuffled {
    fn prop_shuffle_list(self) -> BoxedStrategy<Value>;
}

impl<S: Strategy<Value = std::collections::BTreeSet<String>> + 'static> Shuffled for S {
    fn prop_shuffle_list(self) -> BoxedStrategy<Value> {
        self.prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle().prop_map(Value::from).boxed()
    }
}

/// The schema of a spec, with that of the whole; a failure shows the former.
#[derive(Clone)]
pub(crate) struct Spec(pub(crate) Value, pub(crate) Schema);

impl std::fmt::Debug for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A value that a failure shows as JSON.
#[derive(Clone)]
pub(crate) struct Json(pub(crate) Value);

impl std::fmt::Debug for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

fn whole(spec: &Value) -> Spec {
    let schema = Schema::stored(&json!({"type": "object", "properties": {"spec": spec}}));
    Spec(spec.clone(), schema)
}

/// A schema and three configurations for it.
pub(crate) fn configs() -> impl Strategy<Value = (Spec, [Json; 3])> {
    object(2).prop_flat_map(|spec| {
        let one = || value(&spec).prop_map(|spec| Json(config(&spec)));
        ([one(), one(), one()], Just(spec.clone())).prop_map(|(configs, spec)| (whole(&spec), configs))
    })
}

/// A schema and an object that fits it.
pub(crate) fn objects() -> impl Strategy<Value = (Spec, Json)> {
    object(2).prop_flat_map(|spec| {
        (value(&spec), Just(spec)).prop_map(|(object, spec)| (whole(&spec), Json(config(&object))))
    })
}

/// A schema, an object that fits it, the same with strange fields, and how many.
pub(crate) fn strange() -> impl Strategy<Value = (Spec, Json, Json, usize)> {
    let spec = object(2).prop_flat_map(|spec| (value(&spec), Just(spec), vec(any::<bool>(), 24)));
    spec.prop_map(|(object, spec, mut choices)| {
        let (mut strange, mut count) = (object.clone(), 0);
        plant(&spec, &mut strange, &mut choices, &mut count);
        (whole(&spec), Json(config(&object)), Json(config(&strange)), count)
    })
}

fn plant(schema: &Value, object: &mut Value, choices: &mut Vec<bool>, count: &mut usize) {
    if let Some(items) = object.as_array_mut() {
        items.iter_mut().for_each(|item| plant(&schema["items"], item, choices, count));
    }
    let (Some(fields), Some(properties)) = (object.as_object_mut(), schema["properties"].as_object()) else {
        return;
    };
    for (name, value) in fields.iter_mut() {
        plant(&properties[name], value, choices, count);
    }
    if choices.pop().unwrap_or(false) {
        fields.insert("strange".to_owned(), json!({"deep": 1}));
        *count += 1;
    }
}

fn element() -> impl Strategy<Value = Element> {
    prop_oneof![
        4 => name().prop_map(Element::Field),
        1 => word().prop_map(|word| Element::Item(Item::Value(json!(word)))),
        1 => (word(), 0_i64..3).prop_map(|(word, number)| {
            Element::Item(Item::Key(vec![("k".to_owned(), json!(word)), ("n".to_owned(), json!(number))]))
        }),
        1 => (0_i64..3).prop_map(|index| Element::Item(Item::Index(index))),
    ]
}

/// A set of fields.
pub(crate) fn set() -> impl Strategy<Value = FieldSet> {
    vec(vec(element(), 1..4), 0..8).prop_map(|paths| {
        let mut set = FieldSet::default();
        paths.iter().for_each(|path| set.insert(path));
        set
    })
}
