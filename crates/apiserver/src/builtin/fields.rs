//! Getting at the fields of JSON objects. What is not there is like what is empty, as in Go.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::document::Json;

static NONE: LazyLock<Json> = LazyLock::new(Json::new);

/// A text; empty if there is none.
pub(crate) fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A text, if there is one.
pub(crate) fn maybe_text<'a>(object: &'a Json, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

/// A number, if there is one.
pub(crate) fn number(object: &Json, name: &str) -> Option<i64> {
    object.get(name).and_then(Value::as_i64)
}

/// Whether it says yes.
pub(crate) fn flag(object: &Json, name: &str) -> bool {
    object.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// An object; empty if there is none.
pub(crate) fn object<'a>(object: &'a Json, name: &str) -> &'a Json {
    maybe_object(object, name).unwrap_or(&NONE)
}

/// An object, if there is one.
pub(crate) fn maybe_object<'a>(object: &'a Json, name: &str) -> Option<&'a Json> {
    object.get(name).and_then(Value::as_object)
}

/// The object at the end of a path of names; empty if there is none.
pub(crate) fn at<'a>(json: &'a Json, path: &[&str]) -> &'a Json {
    path.iter().fold(json, |json, name| object(json, name))
}

/// The items of a list.
pub(crate) fn list<'a>(object: &'a Json, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The items of a list of objects.
pub(crate) fn objects<'a>(object: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    list(object, name).iter().map(|item| item.as_object().unwrap_or(&NONE))
}

/// The items of a list of texts.
pub(crate) fn texts<'a>(object: &'a Json, name: &str) -> impl Iterator<Item = &'a str> {
    list(object, name).iter().map(|item| item.as_str().unwrap_or_default())
}

/// The object by this name, which is made if it is not there.
pub(crate) fn enter<'a>(object: &'a mut Json, name: &str) -> &'a mut Json {
    let value = object.entry(name).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut().expect("it was just made one")
}

/// The object by this name, if there is one.
pub(crate) fn object_mut<'a>(object: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    object.get_mut(name).and_then(Value::as_object_mut)
}

/// The items of a list of objects.
pub(crate) fn objects_mut<'a>(object: &'a mut Json, name: &str) -> impl Iterator<Item = &'a mut Json> {
    let list = object.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Puts a value where there is none.
pub(crate) fn fill(object: &mut Json, name: &str, value: impl Into<Value>) {
    if object.get(name).is_none_or(Value::is_null) {
        object.insert(name.to_owned(), value.into());
    }
}

/// Puts what is in `from` by this name in place of what is in `to`.
pub(crate) fn copy(to: &mut Json, from: &Json, name: &str) {
    match from.get(name) {
        Some(value) => drop(to.insert(name.to_owned(), value.clone())),
        None => drop(to.remove(name)),
    }
}
