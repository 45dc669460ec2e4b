//! YAML as the real server reads it: that of version 1.1, with keys of maps that are not texts written out.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::DuplicateKeyPolicy;

/// So much may come of aliases, in parts of a document: what they make of a small one must not take long.
const ALIASED: usize = 10_000;

/// The value of a document. Of what is there twice, the last counts.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    read(text, DuplicateKeyPolicy::LastWins).map_err(|error| error.to_string())
}

/// What a strict reader says of what is there twice.
pub(crate) fn repeated(text: &str) -> Option<String> {
    match read(text, DuplicateKeyPolicy::Error) {
        Err(serde_saphyr::Error::DuplicateMappingKey { key: Some(key), location }) => Some(format!(
            "yaml: unmarshal errors:\n  line {}: key {} already set in map",
            location.line(),
            Value::from(key)
        )),
        _ => None,
    }
}

fn read(text: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Value, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: ALIASED },
        duplicate_keys: duplicate_keys,
        legacy_octal_numbers: true,
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Yaml>(text, options.clone()) {
        // Of several documents the first is meant.
        Err(serde_saphyr::Error::MultipleDocuments { .. }) => {
            let mut bytes = text.as_bytes();
            let first = serde_saphyr::read_with_options::<_, Yaml>(&mut bytes, options).next();
            first.unwrap_or(Ok(Yaml(Value::Null))).map(|Yaml(value)| value)
        }
        read => read.map(|Yaml(value)| value),
    }
}

struct Yaml(Value);

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
            .ok_or_else(|| E::custom(format!("unsupported value: {value}")))
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
        while let Some((Yaml(key), Yaml(value))) = entries.next_entry()? {
            let key = match key {
                Value::String(text) => text,
                Value::Bool(flag) => flag.to_string(),
                // Whole numbers are written as such, however they were.
                Value::Number(number) => match number.as_f64() {
                    Some(float) if number.is_f64() => float.to_string(),
                    _ => number.to_string(),
                },
                Value::Null => {
                    return Err(A::Error::custom(format!(
                        "unsupported map key of type: %!s(<nil>), key: <nil>, value: {value}"
                    )));
                }
                Value::Array(_) | Value::Object(_) => return Err(A::Error::custom("invalid map key")),
            };
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_written_out_as_the_real_server_does() {
        for (key, written) in [
            ("yes", "true"),
            ("y", "true"),
            ("off", "false"),
            ("TRUE", "true"),
            ("\"yes\"", "yes"),
            ("1", "1"),
            ("1.50", "1.5"),
            ("1e3", "1000"),
            ("0x10", "16"),
            ("010", "8"),
            (".5", "0.5"),
            ("2020-01-01", "2020-01-01"),
        ] {
            assert_eq!(parse(&format!("{key}: x\n")), Ok(json!({written: "x"})), "{key}");
        }
        assert!(parse("~: x\n").is_err() && parse("[a]: x\n").is_err());
    }

    #[test]
    fn values_are_what_they_look_like() {
        let text = "a: [1, -2, 1.5, yes, \"no\", ~, text]\nb: {}\n";
        assert_eq!(parse(text), Ok(json!({"a": [1, -2, 1.5, true, "no", null, "text"], "b": {}})));
        assert_eq!(parse(""), Ok(Value::Null));
    }

    #[test]
    fn of_several_documents_the_first_is_meant() {
        assert_eq!(parse("a: 1\n---\na: 2\n"), Ok(json!({"a": 1})));
        assert_eq!(parse("---\na: 1\n---\n- [\n"), Ok(json!({"a": 1})));
    }

    #[test]
    fn what_is_there_twice_is_told() {
        let text = "a: 1\nb: 2\na: 3\n";
        assert_eq!(parse(text), Ok(json!({"a": 3, "b": 2})));
        let told = "yaml: unmarshal errors:\n  line 3: key \"a\" already set in map";
        assert_eq!(repeated(text).as_deref(), Some(told));
        assert_eq!(repeated("{a: 1, b: 2}"), None);
    }
}
