//! What is wrong with a field, worded as Kubernetes does.

use std::fmt;

use serde_json::Value;

use crate::go;

/// The kind of fault, with the reason that a `Status` gives for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Something that is referred to is not there.
    NotFound,
    /// A value is missing.
    Required,
    /// A value that must be unique is there twice.
    Duplicate,
    /// A value is malformed or out of bounds.
    Invalid,
    /// A value is not one of those that are allowed.
    NotSupported,
    /// A value is well formed, but not allowed here.
    Forbidden,
    /// A string has too many characters.
    TooLong,
    /// A list or map has too many entries.
    TooMany,
    /// The server is at fault.
    Internal,
    /// A value has the wrong type.
    TypeInvalid,
}

impl Cause {
    /// The reason in `details.causes` of a `Status`.
    pub fn reason(self) -> &'static str {
        match self {
            Cause::NotFound => "FieldValueNotFound",
            Cause::Required => "FieldValueRequired",
            Cause::Duplicate => "FieldValueDuplicate",
            Cause::Invalid => "FieldValueInvalid",
            Cause::NotSupported => "FieldValueNotSupported",
            Cause::Forbidden => "FieldValueForbidden",
            Cause::TooLong => "FieldValueTooLong",
            Cause::TooMany => "FieldValueTooMany",
            Cause::Internal => "InternalError",
            Cause::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Cause::NotFound => "Not found",
            Cause::Required => "Required value",
            Cause::Duplicate => "Duplicate value",
            Cause::Invalid | Cause::TypeInvalid => "Invalid value",
            Cause::NotSupported => "Unsupported value",
            Cause::Forbidden => "Forbidden",
            Cause::TooLong => "Too long",
            Cause::TooMany => "Too many",
            Cause::Internal => "Internal error",
        }
    }

    /// These texts show the value.
    fn shows_value(self) -> bool {
        !matches!(self, Cause::Required | Cause::Forbidden | Cause::TooLong | Cause::Internal)
    }
}

/// One fault of one field. It displays as in the message of a `Status`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// The kind of fault.
    pub kind: Cause,
    /// The field: `spec.list[0].name`.
    pub path: String,
    /// The value that is wrong, where the message shows it.
    pub value: Option<Value>,
    /// What is wrong with it; may be empty.
    pub detail: String,
}

impl FieldError {
    pub(crate) fn new(
        kind: Cause,
        path: impl fmt::Display,
        value: Option<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, path: path.to_string(), value, detail: detail.into() }
    }

    /// A value is missing.
    pub fn required(path: impl fmt::Display, detail: impl Into<String>) -> Self {
        Self::new(Cause::Required, path, None, detail)
    }

    /// A value is malformed.
    pub fn invalid(path: impl fmt::Display, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(Cause::Invalid, path, Some(value.into()), detail)
    }

    /// A value is there twice.
    pub fn duplicate(path: impl fmt::Display, value: impl Into<Value>) -> Self {
        Self::new(Cause::Duplicate, path, Some(value.into()), "")
    }

    /// A value is not allowed here.
    pub fn forbidden(path: impl fmt::Display, detail: impl Into<String>) -> Self {
        Self::new(Cause::Forbidden, path, None, detail)
    }

    /// A value is not one of these.
    pub fn not_supported(path: impl fmt::Display, value: impl Into<Value>, supported: &[&str]) -> Self {
        let supported: Vec<_> = supported.iter().map(|value| go::quote(value)).collect();
        let detail = if supported.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", supported.join(", "))
        };
        Self::new(Cause::NotSupported, path, Some(value.into()), detail)
    }

    /// The reason in `details.causes`.
    pub fn reason(&self) -> &'static str {
        self.kind.reason()
    }

    /// The message in `details.causes`: all but the field.
    pub fn message(&self) -> String {
        let mut text = self.kind.title().to_owned();
        if let Some(value) = self.value.as_ref().filter(|_| self.kind.shows_value()) {
            text.push_str(": ");
            match value {
                Value::String(string) => text.push_str(&go::quote(string)),
                Value::Number(number) => text.push_str(&go::number(number)),
                other => text.push_str(&go::json(other)),
            }
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }

    /// Several as one text, as `KIND "name" is invalid: …` ends: one alone, or all in brackets, each once.
    pub fn aggregate(errors: &[FieldError]) -> String {
        let mut texts: Vec<String> = Vec::with_capacity(errors.len());
        for error in errors {
            let text = error.to_string();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message())
    }
}

impl std::error::Error for FieldError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_worded_as_kubernetes_does() {
        let check = |error: FieldError, expected: &str| assert_eq!(error.to_string(), expected);
        check(FieldError::required("a.b", "needed"), "a.b: Required value: needed");
        check(FieldError::required("a", ""), "a: Required value");
        check(FieldError::invalid("a", "x\"y", "why"), "a: Invalid value: \"x\\\"y\": why");
        check(FieldError::invalid("a", 1.5, "why"), "a: Invalid value: 1.5: why");
        check(FieldError::invalid("a", Value::Null, "why"), "a: Invalid value: null: why");
        check(FieldError::invalid("a", json!({"b": [1]}), "why"), "a: Invalid value: {\"b\":[1]}: why");
        check(FieldError::forbidden("a", "why"), "a: Forbidden: why");
        check(
            FieldError::not_supported("a", 1, &["x", "y"]),
            "a: Unsupported value: 1: supported values: \"x\", \"y\"",
        );
        check(FieldError::new(Cause::TooMany, "a", None, "why"), "a: Too many: why");
    }

    #[test]
    fn several_errors_are_one_text() {
        let a = FieldError::required("a", "");
        let b = FieldError::required("b", "");
        assert_eq!(FieldError::aggregate(std::slice::from_ref(&a)), "a: Required value");
        assert_eq!(FieldError::aggregate(&[a.clone(), b, a]), "[a: Required value, b: Required value]");
    }
}
