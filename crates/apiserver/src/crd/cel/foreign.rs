//! Values of the rules here and of kube-cel there.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::Value as Foreign;
use kube_cel::cel::objects::{Key as ForeignKey, Map, OptionalValue};

use super::eval::Failure;
use super::value::{Key, Value};

/// A value for kube-cel.
///
/// # Errors
/// Moments and durations as arguments of its functions: only their texts can be.
pub(super) fn from(value: Value) -> Result<Foreign, Failure> {
    Ok(match value {
        Value::Null => Foreign::Null,
        Value::Bool(flag) => Foreign::Bool(flag),
        Value::Int(number) => Foreign::Int(number),
        Value::Uint(number) => Foreign::UInt(number),
        Value::Double(number) => Foreign::Float(number),
        Value::String(text) => Foreign::String(Arc::new(text.to_string())),
        Value::Bytes(bytes) => Foreign::Bytes(Arc::new(bytes.to_vec())),
        Value::List(list) => {
            let items = list.items.iter().cloned().map(from).collect::<Result<Vec<_>, _>>()?;
            Foreign::List(Arc::new(items))
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| Ok((foreign_key(key), from(value.clone())?)));
            Foreign::Map(Map { map: Arc::new(entries.collect::<Result<HashMap<_, _>, Failure>>()?) })
        }
        Value::Opaque(inner) => inner,
        Value::Type(name) => Foreign::String(Arc::new(name.to_string())),
        Value::Optional(inner) => {
            let inner = inner.map(|inner| from((*inner).clone())).transpose()?;
            Foreign::Opaque(Arc::new(inner.map_or_else(OptionalValue::none, OptionalValue::of)))
        }
        // Only `format` takes them, and it prints their texts.
        value @ (Value::Timestamp(_) | Value::Duration(_)) => match super::convert::convert("string", &value) {
            Some(Ok(Value::String(text))) => Foreign::String(Arc::new(text.to_string())),
            _ => return Err(Failure::NoSuchOverload),
        },
    })
}

fn foreign_key(key: &Key) -> ForeignKey {
    match key {
        Key::Bool(flag) => ForeignKey::Bool(*flag),
        Key::Number(number) => match i64::try_from(*number) {
            Ok(number) => ForeignKey::Int(number),
            Err(_) => ForeignKey::Uint(u64::try_from(*number).unwrap_or(u64::MAX)),
        },
        Key::String(text) => ForeignKey::String(Arc::new(text.to_string())),
    }
}

/// A value of kube-cel.
pub(super) fn into(value: Foreign) -> Value {
    match value {
        Foreign::Null => Value::Null,
        Foreign::Bool(flag) => Value::Bool(flag),
        Foreign::Int(number) => Value::Int(number),
        Foreign::UInt(number) => Value::Uint(number),
        Foreign::Float(number) => Value::Double(number),
        Foreign::String(text) => Value::text(&text),
        Foreign::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
        Foreign::List(items) => Value::list(items.iter().cloned().map(into).collect()),
        Foreign::Map(map) => {
            let entries = map.map.iter().map(|(key, value)| (own_key(key), into(value.clone())));
            Value::Map(Arc::new(entries.collect()))
        }
        Foreign::Opaque(inner) => match inner.downcast_ref::<OptionalValue>() {
            Some(optional) => Value::Optional(optional.value().cloned().map(into).map(Arc::new)),
            None => Value::Opaque(Foreign::Opaque(inner)),
        },
        other => Value::Opaque(other),
    }
}

fn own_key(key: &ForeignKey) -> Key {
    match key {
        ForeignKey::Bool(flag) => Key::Bool(*flag),
        ForeignKey::Int(number) => Key::Number(i128::from(*number)),
        ForeignKey::Uint(number) => Key::Number(i128::from(*number)),
        ForeignKey::String(text) => Key::String(text.as_str().into()),
    }
}
