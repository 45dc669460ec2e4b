//! Objects of built-in kinds as Go reads and writes them.
//!
//! The real server decodes a body into Go structs and encodes them again. What that does to an object is done
//! here: fields that nobody knows and nulls go, amounts and times take their usual form, what is empty is
//! dropped, and structs that are no pointers are always written.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value, json};

use super::mistyped::Mistyped;
use super::{gotime, nothing};
use crate::document::Json;
use crate::protobuf::table::{Count, Field, Message, Special, Table, Type};
use crate::quantity::{self, Quantity};

/// Pointers that are written as `null` where there is nothing.
const NULLS: [(&str, &str); 2] =
    [("TypedLocalObjectReference", "apiGroup"), ("TypedObjectReference", "apiGroup")];

/// Lists that say something also if they are empty: that who manages what shall be forgotten, or, in a message, that
/// there is none.
const SPEAKING: [(&str, &str); 2] =
    [("ObjectMeta", "managedFields"), ("CustomResourceDefinitionSpec", "versions")];

/// Reads an object of a built-in kind: the paths of the fields that the kind does not have, which are dropped.
///
/// Kinds that are not built in have only their metadata read.
///
/// # Errors
/// At the first value with a wrong type.
pub(super) fn read(group: &str, version: &str, kind: &str, json: &mut Json) -> Result<Vec<String>, Mistyped> {
    let table = Table::get();
    let mut reading = Reading { table, unknown: Vec::new() };
    match table.kind(group, version, kind) {
        Some(message) => reading.object(message, json, &Place::Root)?,
        None => {
            if let Some(metadata) = json.get_mut("metadata") {
                let place = Place::Field(&Place::Root, "metadata");
                let context = Context { holder: kind, place: &place };
                reading.message(table.object_meta(), metadata, context)?;
            }
        }
    }
    Ok(reading.unknown)
}

/// Makes an object of a built-in kind as it is answered.
///
/// Kinds that are not built in have only their metadata written.
pub(super) fn write(group: &str, version: &str, kind: &str, json: &mut Json) {
    let table = Table::get();
    match table.kind(group, version, kind) {
        Some(message) => write_object(table, message, json),
        None => {
            if let Some(Value::Object(metadata)) = json.get_mut("metadata") {
                write_object(table, table.object_meta(), metadata);
            }
        }
    }
}

/// Where a value is, for messages.
enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// `spec.containers[0].name`
    fn path(&self) -> String {
        match self {
            Place::Root => String::new(),
            Place::Field(Place::Root, name) => (*name).to_owned(),
            Place::Field(parent, name) => format!("{}.{name}", parent.path()),
            Place::Index(parent, index) => format!("{}[{index}]", parent.path()),
        }
    }

    /// `spec.containers.name`: Go's errors have no indices.
    fn names(&self) -> String {
        match self {
            Place::Root => String::new(),
            Place::Field(parent, name) => {
                let before = parent.names();
                if before.is_empty() { (*name).to_owned() } else { format!("{before}.{name}") }
            }
            Place::Index(parent, _) => parent.names(),
        }
    }
}

/// The Go struct that has the field of a value, and where that is.
#[derive(Clone, Copy)]
struct Context<'a> {
    holder: &'a str,
    place: &'a Place<'a>,
}

impl Context<'_> {
    fn mistyped(self, value: &Value, wanted: &str) -> Mistyped {
        let found = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
            Value::Number(number) if is_number(wanted) => format!("number {number}"),
            Value::Number(_) => "number".to_owned(),
        };
        let (holder, names) = (self.holder, self.place.names());
        let told =
            format!("json: cannot unmarshal {found} into Go struct field {holder}.{names} of type {wanted}");
        Mistyped::new(told, value, wanted)
    }
}

fn is_number(wanted: &str) -> bool {
    wanted.starts_with("int") || wanted.starts_with("uint") || wanted.starts_with("float")
}

struct Reading<'t> {
    table: &'t Table,
    unknown: Vec<String>,
}

impl Reading<'_> {
    fn object(&mut self, message: &Message, json: &mut Json, place: &Place<'_>) -> Result<(), Mistyped> {
        let names: Vec<String> = json.keys().cloned().collect();
        for name in names {
            let here = Place::Field(place, &name);
            let Some(field) = self.table.field(message, &name) else {
                if !(is_type(&name) && has_types(message, place)) {
                    // More are not told; and a long path for each would be much.
                    if self.unknown.len() < bowline_merge::json::MAX_ODD {
                        self.unknown.push(here.path());
                    }
                    json.remove(&name);
                }
                continue;
            };
            let value = json.get_mut(&name).map_or(Value::Null, Value::take);
            if value.is_null() {
                json.remove(&name);
                continue;
            }
            let mut value = value;
            self.field(field, &mut value, Context { holder: &message.name, place: &here })?;
            // Who sends an empty list where there was none has changed something, and owns it.
            let speaks = nothing::is_always_many(field) || SPEAKING.contains(&(&*message.name, &*name));
            let speaks = value.is_array() && speaks;
            if is_empty(field, &value) && !speaks {
                json.remove(&name);
            } else {
                json.insert(name, value);
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, value: &mut Value, context: Context<'_>) -> Result<(), Mistyped> {
        match field.count {
            Count::One => self.one(field.kind, value, context),
            Count::List => {
                let Value::Array(items) = value else {
                    return Err(context.mistyped(value, &format!("[]{}", self.go_type(field.kind))));
                };
                for (index, item) in items.iter_mut().enumerate() {
                    let place = Place::Index(context.place, index);
                    self.item(field.kind, item, Context { place: &place, ..context })?;
                }
                Ok(())
            }
            Count::Map => {
                let Value::Object(entries) = value else {
                    let wanted = format!("map[string]{}", self.go_type(field.kind));
                    return Err(context.mistyped(value, &wanted));
                };
                for entry in entries.values_mut() {
                    self.item(field.kind, entry, context)?;
                }
                Ok(())
            }
        }
    }

    /// An item of a list or map: nothing there is an empty one.
    fn item(&mut self, kind: Type, value: &mut Value, context: Context<'_>) -> Result<(), Mistyped> {
        if value.is_null() {
            *value = zero(self.table, kind);
            return Ok(());
        }
        self.one(kind, value, context)
    }

    fn one(&mut self, kind: Type, value: &mut Value, context: Context<'_>) -> Result<(), Mistyped> {
        let fits = match kind {
            Type::Message(index) => return self.message(self.table.at(index), value, context),
            Type::String => value.is_string(),
            Type::Bool => value.is_boolean(),
            Type::Int32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Type::Int64 => value.as_i64().is_some(),
            Type::Uint32 => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
            Type::Uint64 => value.as_u64().is_some(),
            Type::Double | Type::Float => value.is_number(),
            Type::Bytes => return bytes(value, context),
        };
        if fits { Ok(()) } else { Err(context.mistyped(value, &self.go_type(kind))) }
    }

    fn message(
        &mut self,
        message: &Message,
        value: &mut Value,
        context: Context<'_>,
    ) -> Result<(), Mistyped> {
        if let Some(special) = message.special {
            return convert(special, value, context);
        }
        match value {
            Value::Object(json) => self.object(message, json, context.place),
            other => Err(context.mistyped(other, &message.qualified)),
        }
    }

    fn go_type(&self, kind: Type) -> String {
        match kind {
            Type::String => "string".into(),
            Type::Bool => "bool".into(),
            Type::Int32 => "int32".into(),
            Type::Int64 => "int64".into(),
            Type::Uint32 => "uint32".into(),
            Type::Uint64 => "uint64".into(),
            Type::Double => "float64".into(),
            Type::Float => "float32".into(),
            Type::Bytes => "[]uint8".into(),
            Type::Message(index) => self.table.at(index).qualified.to_string(),
        }
    }
}

fn is_type(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind")
}

/// Whether an object says its type: it is a whole one, not the template of one.
fn has_types(message: &Message, place: &Place<'_>) -> bool {
    let template = message.name.ends_with("TemplateSpec") || message.name.ends_with("ClaimTemplate");
    matches!(place, Place::Root) || (message.by_name.contains_key("metadata") && !template)
}

/// Base64 as Go reads it, which does not mind what the last letter says too much.
const AS_GO: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

fn bytes(value: &mut Value, context: Context<'_>) -> Result<(), Mistyped> {
    let Value::String(text) = value else { return Err(context.mistyped(value, "[]uint8")) };
    // Go passes over line breaks.
    let packed: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    let decoded = AS_GO.decode(&packed).map_err(|error| {
        let at = match error {
            base64::DecodeError::InvalidByte(at, _) => at,
            _ => packed.len() / 4 * 4,
        };
        Mistyped::decoded(format!("illegal base64 data at input byte {at}"))
    })?;
    *value = STANDARD.encode(decoded).into();
    Ok(())
}

fn convert(special: Special, value: &mut Value, context: Context<'_>) -> Result<(), Mistyped> {
    match special {
        Special::Quantity => {
            let text = match &*value {
                Value::String(text) => text.trim().to_owned(),
                other => other.to_string(),
            };
            let parsed = Quantity::parse(&text).ok_or_else(|| Mistyped::plain(quantity::MALFORMED))?;
            *value = parsed.to_string().into();
        }
        Special::Time | Special::MicroTime => {
            let Value::String(text) = &*value else { return Err(context.mistyped(value, "string")) };
            let read = if special == Special::Time { gotime::seconds(text) } else { gotime::micros(text) };
            *value = read.map_err(Mistyped::plain)?;
        }
        Special::IntOrString => {
            let fits =
                value.is_string() || value.as_i64().is_some_and(|number| i32::try_from(number).is_ok());
            if !fits {
                return Err(context.mistyped(value, "int32"));
            }
        }
        Special::Duration if !value.is_string() => return Err(context.mistyped(value, "string")),
        Special::StringList if !value.is_array() => return Err(context.mistyped(value, "[]string")),
        _ => {}
    }
    Ok(())
}

/// Whether Go would leave the value out, were it the field's.
fn is_empty(field: &Field, value: &Value) -> bool {
    let nothing = match value {
        Value::Null => return true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        // A struct, which is not left out, or what a pointer points to.
        Value::Object(_) if field.count == Count::One => false,
        Value::Object(entries) => entries.is_empty(),
    };
    let special = matches!(field.kind, Type::Message(_)) && field.count == Count::One;
    nothing && !field.pointer && !special
}

fn zero(table: &Table, kind: Type) -> Value {
    match kind {
        Type::String => "".into(),
        Type::Bool => false.into(),
        Type::Bytes => Value::Null,
        Type::Message(index) => match table.at(index).special {
            None => {
                let mut json = Map::new();
                write_object(table, table.at(index), &mut json);
                Value::Object(json)
            }
            Some(Special::Quantity) => "0".into(),
            Some(Special::IntOrString) => 0.into(),
            Some(Special::Duration) => "0s".into(),
            Some(Special::StringList) => json!([]),
            Some(_) => Value::Null,
        },
        _ => 0.into(),
    }
}

fn write_object(table: &Table, message: &Message, json: &mut Json) {
    for name in message.by_name.keys() {
        let Some(field) = table.field(message, name) else { continue };
        match json.get_mut(&**name) {
            Some(value) if !is_empty(field, value) => write_value(table, field, value),
            _ => match absent(table, message, field) {
                Some(value) => drop(json.insert(name.to_string(), value)),
                None => drop(json.remove(&**name)),
            },
        }
    }
}

/// What is written where there is nothing.
fn absent(table: &Table, message: &Message, field: &Field) -> Option<Value> {
    if field.pointer {
        return NULLS.contains(&(&*message.name, &*field.name)).then_some(Value::Null);
    }
    let is_struct = matches!(field.kind, Type::Message(_)) && field.count == Count::One;
    if field.omitzero || !(field.always || is_struct) {
        return None;
    }
    Some(if field.count == Count::One { zero(table, field.kind) } else { Value::Null })
}

fn write_value(table: &Table, field: &Field, value: &mut Value) {
    let Type::Message(index) = field.kind else { return };
    let message = table.at(index);
    if message.special.is_some() {
        return;
    }
    match (field.count, value) {
        (Count::List, Value::Array(items)) => {
            for item in items {
                write_one(table, message, item);
            }
        }
        (Count::Map, Value::Object(entries)) => {
            for entry in entries.values_mut() {
                write_one(table, message, entry);
            }
        }
        (_, value) => write_one(table, message, value),
    }
}

fn write_one(table: &Table, message: &Message, value: &mut Value) {
    if let Value::Object(json) = value {
        write_object(table, message, json);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Taken from the real server's answers.
    #[test]
    fn wrong_types_are_told_in_gos_words() {
        let check = |group: &str, kind: &str, object: Value, expected: &str| {
            let Value::Object(mut object) = object else { panic!("an object") };
            let error = read(group, "v1", kind, &mut object).expect_err("a type is wrong");
            assert_eq!(error.to_string().replace("json: cannot unmarshal ", ""), expected);
        };
        let field = |what: &str| what.replacen(" into ", " into Go struct field ", 1);
        let deployment = |spec: Value, expected: &str| {
            check("apps", "Deployment", json!({"spec": spec}), &field(expected));
        };
        deployment(json!({"replicas": "3"}), "string into DeploymentSpec.spec.replicas of type int32");
        deployment(json!({"replicas": 1.5}), "number 1.5 into DeploymentSpec.spec.replicas of type int32");
        deployment(
            json!({"replicas": 5_000_000_000_i64}),
            "number 5000000000 into DeploymentSpec.spec.replicas of type int32",
        );
        deployment(json!({"paused": "x"}), "string into DeploymentSpec.spec.paused of type bool");
        let pod = |spec: Value| json!({"template": {"spec": spec}});
        let at = "PodSpec.spec.template.spec.containers";
        deployment(pod(json!({"containers": {}})), &format!("object into {at} of type []v1.Container"));
        deployment(pod(json!({"containers": [1]})), &format!("number into {at} of type v1.Container"));
        let at = "Container.spec.template.spec.containers.name";
        deployment(pod(json!({"containers": [{"name": 1}]})), &format!("number into {at} of type string"));
        let surge = json!({"strategy": {"rollingUpdate": {"maxSurge": true}}});
        let at = "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge";
        deployment(surge, &format!("bool into {at} of type int32"));
        let amount = json!({"containers": [{"resources": {"limits": {"cpu": "x"}}}]});
        deployment(pod(amount), quantity::MALFORMED);
        let labels = |labels: Value| json!({"metadata": {"labels": labels}});
        let at = "ObjectMeta.metadata.labels";
        check("", "Pod", labels(json!({"a": 1})), &field(&format!("number into {at} of type string")));
        check("", "Pod", labels(json!([])), &field(&format!("array into {at} of type map[string]string")));
        check("", "Pod", json!({"metadata": []}), &field("array into Pod.metadata of type v1.ObjectMeta"));
        check("", "Pod", json!({"spec": 5}), &field("number into Pod.spec of type v1.PodSpec"));
        check("", "Secret", json!({"data": {"x": "??"}}), "illegal base64 data at input byte 0");
        check("", "Secret", json!({"data": {"x": 1}}), &field("number into Secret.data of type []uint8"));
    }

    #[test]
    fn bytes_are_what_go_makes_of_them() {
        let Value::Object(mut object) = json!({"data": {"a": "YR==", "b": "Y\r\nQ==\n"}}) else {
            panic!("an object")
        };
        read("", "v1", "Secret", &mut object).expect("it is base64");
        assert_eq!(object["data"], json!({"a": "YQ==", "b": "YQ=="}));
    }

    #[test]
    fn what_the_kind_does_not_have_is_dropped_and_told() {
        let object = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a", "x": 1, "labels": null},
            "spec": {"containers": [{"name": "c", "y": {}}], "hostNetwork": false},
        });
        let Value::Object(mut object) = object else { panic!("an object") };
        let unknown = read("", "v1", "Pod", &mut object).expect("the types are right");
        assert_eq!(unknown, ["metadata.x", "spec.containers[0].y"]);
        let expected = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a"},
            "spec": {"containers": [{"name": "c"}]},
        });
        assert_eq!(Value::Object(object), expected);
    }
}
