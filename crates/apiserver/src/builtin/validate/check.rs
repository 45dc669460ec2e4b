//! Collecting what is wrong.

use std::fmt::Display;

use bowline_merge::{Cause, FieldError};
use serde_json::Value;

use crate::builtin::fields::number;
use crate::document::Json;
use crate::metadata::{self, names::Faults};

/// What is wrong so far.
#[derive(Default)]
pub(super) struct Check {
    errors: Vec<FieldError>,
}

impl Check {
    /// All of it.
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// How much it is.
    pub(super) fn count(&self) -> usize {
        self.errors.len()
    }

    pub(super) fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    pub(super) fn extend(&mut self, errors: Vec<FieldError>) {
        self.errors.extend(errors);
    }

    pub(super) fn required(&mut self, path: impl Display, detail: &str) {
        self.push(FieldError::required(path, detail));
    }

    pub(super) fn invalid(&mut self, path: impl Display, value: impl Into<Value>, detail: impl Into<String>) {
        self.push(FieldError::invalid(path, value, detail));
    }

    /// A value whose JSON is not in the order of its names: Go writes structs as they are declared.
    pub(super) fn invalid_struct(&mut self, path: impl Display, written: &str, detail: &str) {
        let detail = format!("{written}: {detail}");
        self.push(FieldError { kind: Cause::Invalid, path: path.to_string(), value: None, detail });
    }

    pub(super) fn forbidden(&mut self, path: impl Display, detail: impl Into<String>) {
        self.push(FieldError::forbidden(path, detail));
    }

    pub(super) fn duplicate(&mut self, path: impl Display, value: impl Into<Value>) {
        self.push(FieldError::duplicate(path, value));
    }

    pub(super) fn not_found(&mut self, path: impl Display, value: impl Into<Value>) {
        let (path, value) = (path.to_string(), Some(value.into()));
        self.push(FieldError { kind: Cause::NotFound, path, value, detail: String::new() });
    }

    pub(super) fn too_long(&mut self, path: impl Display, most: usize) {
        self.push(metadata::too_long(&path.to_string(), most));
    }

    pub(super) fn too_many(&mut self, path: impl Display, found: usize, most: usize) {
        let items = if most == 1 { "item" } else { "items" };
        let detail = format!("must have at most {most} {items}");
        self.push(FieldError {
            kind: Cause::TooMany,
            path: path.to_string(),
            value: Some(found.into()),
            detail,
        });
    }

    /// One error for each fault of a value.
    pub(super) fn faults(&mut self, path: impl Display, value: impl Into<Value>, faults: Faults) {
        let value = value.into();
        for fault in faults {
            self.invalid(&path, value.clone(), fault);
        }
    }

    /// The value is one of these.
    pub(super) fn one_of(&mut self, path: impl Display, value: &str, supported: &[&str]) {
        if !supported.contains(&value) {
            self.push(FieldError::not_supported(path, value, supported));
        }
    }

    /// A number is zero or more.
    pub(super) fn not_negative(&mut self, path: impl Display, value: i64) {
        if value < 0 {
            self.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    /// The number by this name, if there is one, is zero or more.
    pub(super) fn field_not_negative(&mut self, holder: &Json, path: &str, name: &str) {
        if let Some(value) = number(holder, name) {
            self.not_negative(format!("{path}.{name}"), value);
        }
    }

    /// Two values are the same.
    pub(super) fn unchanged(&mut self, path: &str, new: Option<&Value>, old: Option<&Value>) {
        if new != old {
            self.push(metadata::immutable(path, new.cloned().unwrap_or(Value::Null)));
        }
    }
}

/// A list has too many items: in the words for texts.
pub(super) fn too_long_list(path: &str, most: usize) -> FieldError {
    metadata::too_long(path, most)
}

/// A struct is not one of these.
pub(super) fn not_supported_struct(path: &str, written: &str, supported: &[&str]) -> FieldError {
    let names: Vec<_> = supported.iter().map(|name| format!("{name:?}")).collect();
    let detail = format!("{written}: supported values: {}", names.join(", "));
    FieldError { kind: Cause::NotSupported, path: path.to_owned(), value: None, detail }
}

/// A struct is there twice.
pub(super) fn duplicate_struct(path: &str, written: &str, why: &str) -> FieldError {
    let detail = if why.is_empty() { written.to_owned() } else { format!("{written}: {why}") };
    FieldError { kind: Cause::Duplicate, path: path.to_owned(), value: None, detail }
}
