//! One step of a path: a field of a map, or an item of a list.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

use crate::{go, value};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// A field of a struct, or a key of a map.
    Field(String),
    /// An item of a list.
    Item(Item),
}

/// How an item of a list is found again.
#[derive(Clone, Debug)]
pub enum Item {
    /// By the values of its keys, which are sorted by name.
    Key(Vec<(String, Value)>),
    /// By itself: the item of a set.
    Value(Value),
    /// By its place.
    Index(i64),
}

impl Item {
    fn rank(&self) -> u8 {
        match self {
            Item::Key(_) => 0,
            Item::Value(_) => 1,
            Item::Index(_) => 2,
        }
    }
}

/// Not derived: numbers are equal as numbers, however they are written.
impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Item::Key(left), Item::Key(right)) => {
                let pairs = left.iter().zip(right);
                let different = pairs
                    .map(|((a, left), (b, right))| a.cmp(b).then_with(|| value::compare(left, right)))
                    .find(|order| order.is_ne());
                different.unwrap_or_else(|| left.len().cmp(&right.len()))
            }
            (Item::Value(left), Item::Value(right)) => value::compare(left, right),
            (Item::Index(left), Item::Index(right)) => left.cmp(right),
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Item {}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Field(name) => write!(f, ".{name}"),
            Element::Item(item) => item.fmt(f),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Key(fields) => {
                f.write_str("[")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    write!(f, "{comma}{name}={}", readable(value))?;
                }
                f.write_str("]")
            }
            Item::Value(value) => write!(f, "[={}]", readable(value)),
            Item::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A value inside a path or a complaint about one.
fn readable(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => go::number(number),
        Value::String(text) => go::quote(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(readable).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}={}", readable(value))).collect()
        }
    }
}

/// A whole path, as conflicts print it: `.spec.ports[port=80].name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Element>);

impl Path {
    /// A path of field names.
    pub fn of(names: &[&str]) -> Self {
        Path(names.iter().map(|name| Element::Field((*name).to_owned())).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_printed_as_conflicts_print_them() {
        let key = Item::Key(vec![("name".into(), json!("a")), ("port".into(), json!(80))]);
        let path = Path(vec![
            Element::Field("spec".into()),
            Element::Item(key),
            Element::Item(Item::Value(json!("x"))),
            Element::Item(Item::Index(2)),
        ]);
        assert_eq!(path.to_string(), r#".spec[name="a",port=80][="x"][2]"#);
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        assert_eq!(Item::Value(json!(1)), Item::Value(json!(1.0)));
        assert_ne!(Item::Value(json!(1)), Item::Value(json!("1")));
        assert!(Item::Key(vec![]) < Item::Value(json!(null)));
    }
}
