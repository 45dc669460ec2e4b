//! What did not change is let be, even if it breaks a rule.

use serde_json::Value as Json;

/// Whether what is looked at is what it was: then an error that it had before is not held against it.
#[derive(Clone, Copy)]
pub(super) struct Ratchet<'a> {
    /// What it was, if that can be told.
    pub(super) here: Option<(&'a Json, &'a Json, &'a Json)>,
    /// The same of the nearest around it of which it can be told.
    pub(super) around: Option<(&'a Json, &'a Json, &'a Json)>,
}

impl<'a> Ratchet<'a> {
    pub(super) fn root(object: &'a Json, old: Option<&'a Json>, schema: &'a Json) -> Ratchet<'a> {
        Ratchet { here: old.map(|old| (object, old, schema)), around: None }
    }

    pub(super) fn below(self, here: Option<(&'a Json, &'a Json, &'a Json)>) -> Ratchet<'a> {
        match self.here {
            None => self,
            Some(_) => Ratchet { here, around: self.here },
        }
    }

    /// A field and what it was.
    pub(super) fn field(self, name: &str, schema: &'a Json) -> Option<(&'a Json, &'a Json, &'a Json)> {
        let (new, old, _) = self.here?;
        Some((new.get(name)?, old.get(name)?, schema))
    }

    pub(super) fn is_unchanged(self) -> bool {
        self.here.or(self.around).is_some_and(|(new, old, schema)| unchanged(new, old, schema))
    }
}

/// Whether two values are the same; items of lists are found by their keys, and what no schema tells of is not
/// looked into.
fn unchanged(new: &Json, old: &Json, schema: &Json) -> bool {
    match (new, old) {
        (Json::Object(new), Json::Object(old)) => {
            new.len() == old.len()
                && new.iter().all(|(name, value)| {
                    let below = schema.get("properties").and_then(|all| all.get(name));
                    let below =
                        below.or_else(|| schema.get("additionalProperties").filter(|all| all.is_object()));
                    below.zip(old.get(name)).is_some_and(|(schema, old)| unchanged(value, old, schema))
                })
        }
        (Json::Array(new), Json::Array(old)) => {
            let below = schema.get("items").unwrap_or(&Json::Null);
            match keys(schema) {
                None => new == old,
                Some(keys) => {
                    new.len() == old.len()
                        && new
                            .iter()
                            .all(|item| find(old, item, &keys).is_some_and(|old| unchanged(item, old, below)))
                }
            }
        }
        (new, old) => new == old,
    }
}

/// The keys of a list of type map.
pub(super) fn keys(schema: &Json) -> Option<Vec<&str>> {
    let is_map = schema.get("x-kubernetes-list-type").and_then(Json::as_str) == Some("map");
    let keys = schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array).filter(|_| is_map)?;
    Some(keys.iter().filter_map(Json::as_str).collect())
}

/// The item with the same keys.
pub(super) fn find<'a>(items: &'a [Json], item: &Json, keys: &[&str]) -> Option<&'a Json> {
    items.iter().find(|other| other.is_object() && keys.iter().all(|key| other.get(key) == item.get(key)))
}
