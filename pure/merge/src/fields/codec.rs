//! The form of a set on the wire, `FieldsV1`: a tree whose keys are steps, `.` for a path that ends there.

use std::fmt;

use serde_json::{Map, Value};

use super::{Entry, FieldSet, Item};
use crate::go;

/// Why a value is not `FieldsV1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

impl FieldSet {
    /// The set as `fieldsV1` of a managedFields entry.
    pub fn to_json(&self) -> Value {
        Value::Object(self.to_map())
    }

    fn to_map(&self) -> Map<String, Value> {
        let fields = self.fields.iter().map(|(name, entry)| (format!("f:{name}"), entry.to_json()));
        fields.chain(self.items.iter().map(|(item, entry)| (item_key(item), entry.to_json()))).collect()
    }

    /// Reads `fieldsV1`. Steps of a kind that is not known are passed over, as Kubernetes does: a later
    /// version may have written them.
    pub fn from_json(json: &Value) -> Result<FieldSet, DecodeError> {
        let mut set = FieldSet::default();
        let Value::Object(map) = json else {
            return match json {
                Value::Null => Ok(set),
                _ => Err(DecodeError("expected a map of fields".to_owned())),
            };
        };
        for (key, below) in map.iter().filter(|(key, _)| *key != ".") {
            let below = if below.is_null() { FieldSet::default() } else { FieldSet::from_json(below)? };
            // A step that leads nowhere is itself in the set.
            let member = below.is_empty() || map_has_dot(&map[key]);
            let entry = Entry { member, below };
            match key.split_once(':') {
                _ if key.len() < 2 => return Err(DecodeError("key must be 2 characters long:".to_owned())),
                Some(("f", name)) => set.fields.insert(name.to_owned(), entry),
                Some((kind, text)) if kind.len() == 1 => {
                    if let Some(item) = item(kind, text)? {
                        set.items.insert(item, entry);
                    }
                }
                _ => return Err(DecodeError(format!("missing colon: {key}"))),
            }
        }
        Ok(set)
    }
}

impl Entry {
    fn to_json(&self) -> Value {
        let mut map = self.below.to_map();
        if self.member && !map.is_empty() {
            map.insert(".".to_owned(), Value::Object(Map::new()));
        }
        Value::Object(map)
    }
}

fn map_has_dot(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.contains_key("."))
}

fn item_key(item: &Item) -> String {
    match item {
        Item::Key(fields) => {
            let fields: Map<_, _> = fields.iter().cloned().collect();
            format!("k:{}", go::json(&Value::Object(fields)))
        }
        Item::Value(value) => format!("v:{}", go::json(value)),
        Item::Index(index) => format!("i:{index}"),
    }
}

fn item(kind: &str, text: &str) -> Result<Option<Item>, DecodeError> {
    let parse =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|error| DecodeError(error.to_string()));
    match kind {
        "v" => Ok(Some(Item::Value(parse(text)?))),
        "k" => match parse(text)? {
            Value::Object(fields) => Ok(Some(Item::Key(fields.into_iter().collect()))),
            _ => Err(DecodeError(format!("the key {text} is not a map"))),
        },
        "i" => {
            let index = text.parse().map_err(|_| DecodeError(format!("the index {text} is not a number")))?;
            Ok(Some(Item::Index(index)))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_is_that_of_the_wire() {
        let wire = json!({
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            "f:spec": {
                "f:finalizers": {".": {}, "v:\"x\\u003c\"": {}},
                "f:list": {"i:3": {}},
                "f:ports": {"k:{\"name\":\"a\",\"port\":80}": {".": {}, "f:port": {}}},
            },
        });
        let set = FieldSet::from_json(&wire).unwrap();
        assert_eq!(set.to_json(), wire);
        let paths: Vec<_> = set.paths().iter().map(ToString::to_string).collect();
        assert_eq!(
            paths,
            [
                ".metadata.labels",
                ".metadata.labels.a",
                ".spec.finalizers",
                ".spec.finalizers[=\"x<\"]",
                ".spec.list[3]",
                ".spec.ports[name=\"a\",port=80]",
                ".spec.ports[name=\"a\",port=80].port",
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_passed_over_and_nonsense_refused() {
        assert_eq!(FieldSet::from_json(&json!({"z:1": {}, "f:a": {}})).unwrap(), FieldSet::of(&["a"]));
        for nonsense in [json!(1), json!({"f": {}}), json!({"ab": {}}), json!({"k:1": {}}), json!({"v:": {}})]
        {
            assert!(FieldSet::from_json(&nonsense).is_err(), "{nonsense}");
        }
    }
}
