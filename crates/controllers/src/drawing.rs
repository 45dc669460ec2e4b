//! How parts of an object's JSON are changed without touching the rest.

use kube::core::DynamicObject;
use serde_json::{Map, Value};

/// The status in an object, which is made if it is not there.
pub(crate) fn status(raw: &mut DynamicObject) -> &mut Map<String, Value> {
    part(raw, "status")
}

/// A part of an object, such as its spec, which is made if it is not there.
pub(crate) fn part<'a>(raw: &'a mut DynamicObject, name: &str) -> &'a mut Map<String, Value> {
    if !raw.data.is_object() {
        raw.data = Value::Object(Map::new());
    }
    let part = &mut raw.data[name];
    if !part.is_object() {
        *part = Value::Object(Map::new());
    }
    match part {
        Value::Object(fields) => fields,
        _ => unreachable!("it was just made an object"),
    }
}

/// Puts a field, or takes it away.
pub(crate) fn put(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields.insert(name.to_owned(), value)),
        None => drop(fields.remove(name)),
    }
}

/// A text that a server takes: so many characters.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some(_) => text.chars().take(longest - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_a_server_would_refuse_it() {
        assert_eq!((cut("äöü", 3).as_str(), cut("äöüß", 3).as_str()), ("äöü", "äö…"));
    }
}
