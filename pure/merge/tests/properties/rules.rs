//! What the properties are put to: this crate, or something that is wrong in one way.

use bowline_merge::apply::{self, Manager, Operation};
use bowline_merge::fields::{Element, FieldSet};
use bowline_merge::{Schema, strategic};
use serde_json::{Value, json};

pub(crate) fn config(spec: &Value) -> Value {
    json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": spec})
}

fn time(second: u32) -> String {
    format!("2024-01-01T00:00:{second:02}Z")
}

pub(crate) trait Rules {
    fn apply(
        &self,
        schema: &Schema,
        live: Option<&Value>,
        config: &Value,
        name: &str,
        second: u32,
        force: bool,
    ) -> Result<Value, String> {
        let time = time(second);
        let by =
            Manager { name, operation: Operation::Apply, api_version: "a/v1", subresource: "", time: &time };
        apply::apply(schema, live, config, &by, force, &FieldSet::default())
            .map_err(|error| error.to_string())
    }

    fn conflicts(&self, schema: &Schema, live: &Value, config: &Value, name: &str) -> bool {
        Ours.apply(schema, Some(live), config, name, 9, false).is_err()
    }

    /// A write of the whole object.
    fn update(
        &self,
        schema: &Schema,
        live: Option<&Value>,
        config: &Value,
        name: &str,
        second: u32,
    ) -> Value {
        let time = time(second);
        let by =
            Manager { name, operation: Operation::Update, api_version: "a/v1", subresource: "", time: &time };
        let mut new = config.clone();
        apply::track(schema, live, &mut new, &by, &FieldSet::default());
        new
    }

    fn prune(&self, schema: &Schema, object: &mut Value) -> Vec<String> {
        schema.prune(object)
    }

    fn default(&self, schema: &Schema, object: &mut Value) {
        schema.default(object);
    }

    fn encode(&self, set: &FieldSet) -> Value {
        set.to_json()
    }

    fn difference(&self, left: &FieldSet, right: &FieldSet) -> FieldSet {
        left.difference(right)
    }

    fn patch(&self, schema: &Schema, current: &Value, patch: &Value) -> Result<Value, String> {
        strategic::patch(schema, current, patch).map_err(|error| error.to_string())
    }
}

/// The crate as it is.
pub(crate) struct Ours;

impl Rules for Ours {}

/// Wrong in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    AlwaysNow,
    IgnoresLists,
    LastOneOwnsAll,
    AlwaysForces,
    NeverRemoves,
    NotesEverything,
    PrunesShallowly,
    CountsDefaults,
    ForgetsDots,
    DifferenceIsRecursive,
    ForgetsOrder,
}

impl Rules for Mutant {
    fn apply(
        &self,
        schema: &Schema,
        live: Option<&Value>,
        config: &Value,
        name: &str,
        second: u32,
        force: bool,
    ) -> Result<Value, String> {
        match self {
            Mutant::AlwaysNow => {
                let mut made = Ours.apply(schema, live, config, name, second, force)?;
                for entry in entries(&mut made) {
                    entry["time"] = time(second).into();
                }
                Ok(made)
            }
            Mutant::IgnoresLists => {
                let mut without = config.clone();
                without["spec"].as_object_mut().unwrap().retain(|_, value| !value.is_array());
                Ours.apply(schema, live, &without, name, second, force)
            }
            Mutant::LastOneOwnsAll => {
                let mut made = Ours.apply(schema, live, config, name, second, force)?;
                entries(&mut made).retain(|entry| entry["manager"] == name);
                Ok(made)
            }
            Mutant::AlwaysForces => Ours.apply(schema, live, config, name, second, true),
            Mutant::NeverRemoves => {
                let mut live = live.cloned();
                for live in live.iter_mut() {
                    for entry in entries(live).iter_mut().filter(|entry| entry["manager"] == name) {
                        entry["manager"] = "forgotten".into();
                    }
                }
                Ours.apply(schema, live.as_ref(), config, name, second, force)
            }
            _ => Ours.apply(schema, live, config, name, second, force),
        }
    }

    fn update(
        &self,
        schema: &Schema,
        live: Option<&Value>,
        config: &Value,
        name: &str,
        second: u32,
    ) -> Value {
        let mut made = Ours.update(schema, live, config, name, second);
        if *self == Mutant::NotesEverything {
            let noted = Ours.update(schema, None, config, name, second);
            let noted = noted["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
            entries(&mut made).extend(noted);
        }
        made
    }

    fn prune(&self, schema: &Schema, object: &mut Value) -> Vec<String> {
        let before = object.clone();
        let unknown = Ours.prune(schema, object);
        if *self == Mutant::PrunesShallowly {
            *object = before;
            for path in unknown.iter().filter(|path| path.matches('.').count() < 2 && !path.contains('[')) {
                if let Some(spec) = object["spec"].as_object_mut() {
                    spec.remove(path.trim_start_matches("spec."));
                }
            }
        }
        unknown
    }

    fn default(&self, schema: &Schema, object: &mut Value) {
        Ours.default(schema, object);
        if *self == Mutant::CountsDefaults {
            for value in object["spec"].as_object_mut().unwrap().values_mut().filter(|value| value.is_i64()) {
                *value = (value.as_i64().unwrap() + 1).into();
            }
        }
    }

    fn encode(&self, set: &FieldSet) -> Value {
        fn without_dots(value: &mut Value) {
            if let Value::Object(map) = value {
                map.remove(".");
                map.values_mut().for_each(without_dots);
            }
        }
        let mut encoded = Ours.encode(set);
        if *self == Mutant::ForgetsDots {
            without_dots(&mut encoded);
        }
        encoded
    }

    fn difference(&self, left: &FieldSet, right: &FieldSet) -> FieldSet {
        if *self == Mutant::DifferenceIsRecursive {
            left.recursive_difference(right)
        } else {
            left.difference(right)
        }
    }

    fn patch(&self, schema: &Schema, current: &Value, patch: &Value) -> Result<Value, String> {
        fn without_order(value: &mut Value) {
            match value {
                Value::Object(map) => {
                    map.retain(|key, _| !key.starts_with("$setElementOrder"));
                    map.values_mut().for_each(without_order);
                }
                Value::Array(list) => list.iter_mut().for_each(without_order),
                _ => {}
            }
        }
        let mut patch = patch.clone();
        if *self == Mutant::ForgetsOrder {
            without_order(&mut patch);
        }
        Ours.patch(schema, current, &patch)
    }
}

fn entries(object: &mut Value) -> &mut Vec<Value> {
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.entry("managedFields").or_insert_with(|| json!([])).as_array_mut().unwrap()
}

/// What one manager owns.
pub(crate) fn owned(object: &Value, name: &str) -> FieldSet {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut set = FieldSet::default();
    for entry in entries.filter(|entry| entry["manager"] == name) {
        set.extend(&FieldSet::from_json(&entry["fieldsV1"]).unwrap());
    }
    set
}

/// The scalars that stand in structs: whoever applies them owns them, whatever the schema says of lists.
pub(crate) fn collected(config: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    for (name, value) in config["spec"].as_object().into_iter().flatten() {
        if !value.is_object() && !value.is_array() {
            set.insert(&[Element::Field("spec".into()), Element::Field(name.clone())]);
        }
    }
    set
}

/// All that a configuration says is in the object: lists that are owned whole are equal, items of others are there.
pub(crate) fn holds(schema: &Schema, object: &Value, config: &Value) -> bool {
    // Applying what is there already changes nothing but who owns it.
    let again = Ours.apply(schema, Some(object), config, "witness", 9, false);
    again.is_ok_and(|again| again["spec"] == object["spec"]) && within(&config["spec"], &object["spec"])
}

fn within(config: &Value, object: &Value) -> bool {
    match (config, object) {
        (Value::Object(config), Value::Object(object)) => {
            config.iter().all(|(name, value)| object.get(name).is_some_and(|object| within(value, object)))
        }
        (Value::Array(config), Value::Array(object)) => config.len() <= object.len(),
        (Value::Object(config), Value::Null) => config.is_empty(),
        (config, object) => config == object,
    }
}

/// The object with its lists sorted, as the order of items is that of those who came first, and without times:
/// who comes to own only what is there already has none.
pub(crate) fn unordered(object: &Value) -> Value {
    match object {
        Value::Object(map) => {
            let fields = map.iter().filter(|(name, _)| *name != "time");
            Value::Object(fields.map(|(name, value)| (name.clone(), unordered(value))).collect())
        }
        Value::Array(list) => {
            let mut list: Vec<_> = list.iter().map(unordered).collect();
            list.sort_by_cached_key(ToString::to_string);
            Value::Array(list)
        }
        scalar => scalar.clone(),
    }
}

/// Nothing but empty maps and lists is in it.
pub(crate) fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().all(is_hollow),
        Value::Array(list) => list.is_empty(),
        other => other.is_null(),
    }
}
