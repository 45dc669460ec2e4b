//! YAML and JSON as Kubernetes reads them: YAML of version 1.1, keys that are not texts written out, and no key twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, Options};

/// How deep values may be nested: twice as deep as the definitions that people have, and not so deep that a thread runs out of its
/// stack.
const DEEPEST: usize = 64;

/// How documents are read. A list of everything in a cluster is one document, so it may be long; what aliases make of
/// one may not.
pub(super) fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEEPEST,
            max_events: 20_000_000,
            max_nodes: 10_000_000,
            max_total_scalar_bytes: crate::MAX_TEXT_BYTES,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 200_000 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        legacy_octal_numbers: true,
        with_snippet: false,
    }
}

/// A value that was read.
pub(super) struct Yaml(pub(super) Value);

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(Reader).map(Yaml)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom(format!("{value} is no number in JSON")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Yaml(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(Yaml(key)) = entries.next_key()? {
            let key = written_out(key).map_err(A::Error::custom)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
            let Yaml(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// A key as a text.
pub(super) fn written_out(key: Value) -> Result<String, &'static str> {
    match key {
        Value::String(text) => Ok(text),
        Value::Bool(flag) => Ok(flag.to_string()),
        // Whole numbers are written as such, however they were.
        Value::Number(number) => Ok(match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        }),
        Value::Null => Err("a key is null"),
        Value::Array(_) | Value::Object(_) => Err("a key is a list or a map"),
    }
}
