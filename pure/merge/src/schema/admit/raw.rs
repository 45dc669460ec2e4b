//! A schema as it was written: admission looks at what the walks have no use for, too.

use serde_json::{Map, Value};

/// One schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<'a>(pub(super) &'a Map<String, Value>);

/// What stands under `items`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Items<'a> {
    None,
    One(Raw<'a>),
    Many(&'a [Value]),
}

/// What stands under `additionalProperties`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Additional<'a> {
    None,
    Bool(bool),
    Of(Raw<'a>),
}

impl<'a> Raw<'a> {
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Raw)
    }

    /// The keyword, if it is there: a null is not.
    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A list or map is there, and something in it.
    pub(super) fn has_some(self, key: &str) -> bool {
        self.get(key).is_some_and(|value| match value {
            Value::Object(map) => !map.is_empty(),
            Value::Array(list) => !list.is_empty(),
            Value::String(text) => !text.is_empty(),
            _ => true,
        })
    }

    pub(super) fn text(self, key: &str) -> &'a str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn kind(self) -> &'a str {
        self.text("type")
    }

    pub(super) fn flag(self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn properties(self) -> impl Iterator<Item = (&'a str, Raw<'a>)> {
        let map = self.get("properties").and_then(Value::as_object);
        map.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), Raw::of(value)?)))
    }

    pub(super) fn property(self, name: &str) -> Option<Raw<'a>> {
        self.get("properties")?.as_object()?.get(name).and_then(Raw::of)
    }

    pub(super) fn child(self, key: &str) -> Option<Raw<'a>> {
        self.get(key).and_then(Raw::of)
    }

    pub(super) fn list(self, key: &str) -> &'a [Value] {
        self.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn schemas(self, key: &str) -> impl Iterator<Item = (usize, Raw<'a>)> {
        self.list(key).iter().enumerate().filter_map(|(index, value)| Some((index, Raw::of(value)?)))
    }

    pub(super) fn items(self) -> Items<'a> {
        match self.get("items") {
            Some(Value::Object(map)) => Items::One(Raw(map)),
            Some(Value::Array(list)) => Items::Many(list),
            _ => Items::None,
        }
    }

    pub(super) fn item(self) -> Option<Raw<'a>> {
        match self.items() {
            Items::One(item) => Some(item),
            _ => None,
        }
    }

    pub(super) fn additional(self) -> Additional<'a> {
        match self.get("additionalProperties") {
            Some(Value::Bool(allowed)) => Additional::Bool(*allowed),
            Some(Value::Object(map)) => Additional::Of(Raw(map)),
            _ => Additional::None,
        }
    }

    pub(super) fn has_additional(self) -> bool {
        !matches!(self.additional(), Additional::None)
    }
}
