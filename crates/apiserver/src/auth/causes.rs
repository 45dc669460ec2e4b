//! What is wrong with the fields of an object, and the answer that says so.

use http::StatusCode;
use serde_json::Value;

use super::words;
use crate::status::{Cause, Details, Status};

/// Everything that is wrong with an object.
#[derive(Debug, Default)]
pub(super) struct Causes(Vec<Cause>);

impl Causes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value cannot be; `value` is its JSON.
    pub(super) fn invalid(&mut self, field: impl Into<String>, value: impl ToString, why: &str) {
        self.add("FieldValueInvalid", field, format!("Invalid value: {}: {why}", value.to_string()));
    }

    /// The string cannot be.
    pub(super) fn invalid_text(&mut self, field: impl Into<String>, value: &str, why: &str) {
        self.invalid(field, words::quote(value), why);
    }

    pub(super) fn required(&mut self, field: impl Into<String>, why: &str) {
        let colon = if why.is_empty() { "" } else { ": " };
        self.add("FieldValueRequired", field, format!("Required value{colon}{why}"));
    }

    pub(super) fn forbidden(&mut self, field: impl Into<String>, why: &str) {
        self.add("FieldValueForbidden", field, format!("Forbidden: {why}"));
    }

    pub(super) fn unsupported(&mut self, field: impl Into<String>, value: &str, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|value| words::quote(value)).collect();
        let message =
            format!("Unsupported value: {}: supported values: {}", words::quote(value), supported.join(", "));
        self.add("FieldValueNotSupported", field, message);
    }

    fn add(&mut self, reason: &str, field: impl Into<String>, message: String) {
        self.0.push(Cause { reason: reason.into(), message, field: field.into() });
    }

    /// Nothing, or the answer: 422 for the object `name` of `kind` in `group`.
    pub(super) fn check(self, group: &str, kind: &str, name: &str) -> Result<(), Status> {
        if self.is_empty() {
            return Ok(());
        }
        let each = self.0.iter().map(|cause| format!("{}: {}", cause.field, cause.message));
        let message = format!("{kind}.{group} {} is invalid: {}", words::quote(name), words::aggregate(each));
        let details = Details {
            name: name.into(),
            group: group.into(),
            kind: kind.into(),
            causes: self.0,
            ..Details::default()
        };
        Err(Status::failure(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).of(details))
    }
}

/// There is no such object.
pub(super) fn not_found(group: &str, plural: &str, name: &str) -> Status {
    let dot = if group.is_empty() { "" } else { "." };
    let message = format!("{plural}{dot}{group} {} not found", words::quote(name));
    let details =
        Details { name: name.into(), group: group.into(), kind: plural.into(), ..Details::default() };
    Status::failure(StatusCode::NOT_FOUND, "NotFound", message).of(details)
}

/// The string at `field` of a JSON object; empty if there is none.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The strings at `field` of a JSON object.
pub(super) fn texts(value: &Value, field: &str) -> Vec<String> {
    let list = value.get(field).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}
