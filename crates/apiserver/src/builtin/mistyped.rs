//! Values of wrong types, in Go's words.

use serde_json::Value;

/// A value has a type that its field does not take: in Go's words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{told}")]
pub(crate) struct Mistyped {
    told: String,
    /// What is said where the object was not read from a text, but patched.
    pub patched: String,
}

impl Mistyped {
    /// In the words of whoever reads the text; `wanted` is the type of the field.
    pub(super) fn new(told: String, value: &Value, wanted: &str) -> Mistyped {
        Mistyped { told, patched: unconverted(value, wanted) }
    }

    /// Said by who reads a text, which a patched object makes of a value first.
    pub(super) fn decoded(told: String) -> Mistyped {
        Mistyped { patched: format!("error decoding from json: {told}"), told }
    }

    /// Said in one way only.
    pub(super) fn plain(told: impl Into<String>) -> Mistyped {
        let told = told.into();
        Mistyped { patched: told.clone(), told }
    }
}

/// What Go's conversion of maps to structs says of a value that a field of type `wanted` does not take.
fn unconverted(value: &Value, wanted: &str) -> String {
    let (kind, found) = match value {
        Value::Null => ("ptr", "nil"),
        Value::Bool(_) => ("bool", "bool"),
        Value::String(_) => ("string", "string"),
        Value::Array(_) => ("slice", "[]interface {}"),
        Value::Object(_) => ("map", "map[string]interface {}"),
        Value::Number(number) if number.is_i64() => ("int64", "int64"),
        Value::Number(_) => ("float64", "float64"),
    };
    if wanted.starts_with("[]") {
        format!("cannot restore slice from {kind}")
    } else if wanted.starts_with("map[") {
        format!("cannot restore map from {kind}")
    } else if wanted.contains('.') {
        format!("cannot restore struct from: {kind}")
    } else {
        format!("cannot convert {found} to {wanted}")
    }
}
