//! Validating a value. Errors, their words and even which of several are told follow Kubernetes' validator:
//! clients and tests of theirs compare them.

mod combine;
mod scalar;
mod verdict;

use serde_json::{Map, Value};

use super::node::{Additional, Bounds, MapType, Node, Type};
use super::rules::previous;
use super::{Schema, embedded, lists};
use crate::error::{Cause, FieldError};
use crate::go;
use crate::path::FieldPath;
use verdict::{Failure, Verdict};

impl Schema {
    /// What is wrong with an object, as far as its schema can tell. Rules (`x-kubernetes-validations`) are
    /// not evaluated here.
    pub fn validate(&self, object: &Value) -> Vec<FieldError> {
        self.validate_update(&FieldPath::Root, object, None)
    }

    /// The same for an object that replaces another: what was wrong before and did not change is let be
    /// (ratcheting). Paths begin at `at`: a subresource is validated alone.
    pub fn validate_update(
        &self,
        at: &FieldPath<'_>,
        object: &Value,
        old: Option<&Value>,
    ) -> Vec<FieldError> {
        let mut errors = check(at, &self.root, object, old);
        let lists_of = |value: &Value| {
            let mut found = Vec::new();
            lists::check(at, &self.root, value, &mut found);
            found
        };
        let duplicates = lists_of(object);
        if !duplicates.is_empty() && old.is_none_or(|old| lists_of(old).is_empty()) {
            errors.extend(duplicates);
        }
        embedded::check(at, &self.root, object, self.resource, &mut errors);
        errors
    }
}

/// What is wrong with a value, with paths that begin at `at`.
pub(super) fn check(at: &FieldPath<'_>, node: &Node, value: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let verdict = validate(&FieldPath::Root, node, value, Old::of(old));
    verdict.failures.into_iter().map(|failure| failure.at(at)).collect()
}

/// What a value replaces.
#[derive(Clone, Copy)]
enum Old<'a> {
    /// It is new, or nothing can be told about what it replaces.
    Unknown,
    Was(&'a Value),
}

impl<'a> Old<'a> {
    fn of(old: Option<&'a Value>) -> Self {
        old.map_or(Old::Unknown, Old::Was)
    }

    fn value(self) -> Option<&'a Value> {
        match self {
            Old::Unknown => None,
            Old::Was(value) => Some(value),
        }
    }
}

/// An error in what did not change is none.
fn validate(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>) -> Verdict {
    let verdict = judge(path, node, value, old);
    if verdict.is_valid() {
        return verdict;
    }
    match old {
        Old::Was(old) if crate::value::equal(old, value) => Verdict { failures: Vec::new(), ..verdict },
        _ => verdict,
    }
}

/// The checks in Kubernetes' order. Each that applies counts, because of several alternatives that all fail
/// the one that got furthest is explained.
fn judge(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    if value.is_null() {
        verdict.merge(type_check(path, node, value));
        verdict.merge(enumeration(path, node, value));
        return verdict;
    }
    if node.kind.is_some() || node.int_or_string || !scalar::format_of(node).is_empty() {
        verdict.merge(type_check(path, node, value));
        verdict.count();
    }
    verdict.merge(combine::check(path, node, value, old));
    verdict.count();
    let bounds = node.bounds.as_deref();
    match value {
        Value::String(text) => {
            verdict.merge(scalar::string(path, bounds, text));
            verdict.count();
            if scalar::is_checked(node) {
                verdict.merge(scalar::format(path, node, text));
                verdict.count();
            }
        }
        Value::Number(number) => {
            verdict.merge(scalar::number(path, bounds, number));
            verdict.count();
        }
        Value::Array(items) => {
            verdict.merge(list(path, node, items, old));
            verdict.count();
        }
        _ => {}
    }
    verdict.merge(enumeration(path, node, value));
    verdict.count();
    if let Value::Object(fields) = value {
        verdict.merge(map(path, node, fields, old));
        verdict.count();
    }
    verdict.count();
    verdict
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn type_check(path: &FieldPath<'_>, node: &Node, value: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.count();
    let wanted = match node.kind {
        _ if node.int_or_string => "integer,string",
        Some(kind) => kind.name(),
        None => "",
    };
    let numeric = node.int_or_string || matches!(node.kind, Some(Type::Integer | Type::Number));
    let found = type_of(value);
    let matches = match value {
        Value::Null => wanted.is_empty() || node.nullable,
        // A format stands for the type of a string or list, as long as no number is wanted.
        Value::String(_) | Value::Array(_) if !numeric && !scalar::format_of(node).is_empty() => true,
        Value::Number(number) if number.is_i64() => wanted.starts_with("integer") || wanted == "number",
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(scalar::is_whole);
            wanted == "number" || (whole && wanted.starts_with("integer"))
        }
        _ => wanted.split(',').any(|wanted| wanted == found),
    };
    if !matches {
        let format = scalar::format_of(node);
        match value {
            // Where there is a format, it is the type that was wanted, and only numbers have one themselves.
            Value::Bool(_) | Value::Number(_) | Value::Object(_) if !format.is_empty() => {
                let found = match value {
                    Value::Number(number) if number.is_i64() => "int64",
                    Value::Number(_) => "float64",
                    _ => "",
                };
                verdict.add(Failure::wrong_type(path, format, found));
            }
            _ => verdict.add(Failure::wrong_type(path, wanted, found)),
        }
    }
    verdict
}

fn enumeration(path: &FieldPath<'_>, node: &Node, value: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    let allowed = &node.enumeration;
    if !allowed.is_empty() && !allowed.iter().any(|allowed| is_allowed(allowed, value)) {
        let text = |value: &Value| value.as_str().map_or_else(|| go::json(value), ToOwned::to_owned);
        let texts: Vec<_> = allowed.iter().map(text).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let name = path.relative();
        let shown: Vec<_> = allowed.iter().map(go::show).collect();
        let message = format!("{name} in body should be one of [{}]", shown.join(" "));
        let error = FieldError::not_supported(path.relative(), value.clone(), &texts);
        verdict.add(Failure::worded(error, message));
    }
    verdict
}

/// Go converts the value to the type of what is allowed: a float loses its fraction, and an integer becomes the
/// character of that number.
fn is_allowed(allowed: &Value, value: &Value) -> bool {
    match (allowed, value) {
        (Value::Null, _) => false,
        (Value::Number(allowed), Value::Number(value)) if allowed.is_i64() && !value.is_i64() => {
            value.as_f64().map(|float| float as i64) == allowed.as_i64()
        }
        (Value::String(allowed), Value::Number(value)) => {
            let character = value.as_u64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
            character.is_some_and(|character| allowed.chars().eq([character]))
        }
        (allowed, value) => crate::value::equal(allowed, value),
    }
}

fn list(path: &FieldPath<'_>, node: &Node, items: &[Value], old: Old<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    if let Some(child) = node.items.as_deref() {
        let before = previous(node, old.value());
        for (index, item) in items.iter().enumerate() {
            let old = Old::of(before.as_ref().and_then(|before| before.find(node, item)));
            verdict.merge(validate(&path.index(index), child, item, old));
        }
    }
    if let Some(bounds) = node.bounds.as_deref() {
        let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(least) = bounds.min_items.filter(|least| size < *least) {
            let what = format!("should have at least {least} items");
            verdict.add(Failure::invalid(path, Some(size.into()), &what));
        }
        if let Some(most) = bounds.max_items.filter(|most| size > *most) {
            verdict.add(Failure::too_many(path, size, most, "items"));
        }
        if bounds.unique_items && repeats(items) {
            verdict.add(Failure::invalid(path, None, "shouldn't contain duplicates"));
        }
    }
    verdict.count();
    verdict
}

fn repeats(items: &[Value]) -> bool {
    items
        .iter()
        .enumerate()
        .any(|(index, item)| items[..index].iter().any(|other| crate::value::equal(item, other)))
}

fn map(path: &FieldPath<'_>, node: &Node, fields: &Map<String, Value>, old: Old<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    if let Some(bounds) = node.bounds.as_deref() {
        size_of_map(path, bounds, fields.len(), &mut verdict);
    }
    // What an atomic map had is not compared entry by entry.
    let old = if node.map == Some(MapType::Atomic) { Old::Unknown } else { old };
    let before = |name: &str| Old::of(old.value().and_then(|old| old.get(name)));
    for (name, value) in fields.iter().filter(|(name, _)| !node.properties.contains_key(*name)) {
        match &node.additional {
            Additional::Of(child) => verdict.merge(validate(&path.field(name), child, value, before(name))),
            Additional::Denied => {
                let what = format!("{}.{name} in body is a forbidden property", path.relative());
                let error = FieldError::invalid(path.relative(), name.as_str(), what.clone());
                verdict.add(Failure::worded(error, what));
            }
            Additional::Any | Additional::Unsaid => {}
        }
    }
    for (name, child) in &node.properties {
        if let Some(value) = fields.get(name) {
            // The version of an object is converted before it gets here: it never changes visibly.
            let visible =
                !(matches!(path, FieldPath::Root) && matches!(name.as_str(), "kind" | "apiVersion"));
            let old = if visible { before(name) } else { Old::Unknown };
            verdict.merge(validate(&path.field(name), child, value, old));
        }
    }
    for name in node.required.iter().filter(|name| !fields.contains_key(*name)) {
        let at = path.field(name);
        let message = format!("{}.{name} in body is required", path.relative());
        verdict.add(Failure::worded(FieldError::required(at, ""), message));
    }
    verdict
}

fn size_of_map(path: &FieldPath<'_>, bounds: &Bounds, size: usize, verdict: &mut Verdict) {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if let Some(least) = bounds.min_properties.filter(|least| size < *least) {
        let what = format!("should have at least {least} properties");
        verdict.add(Failure::invalid(path, Some(size.into()), &what));
    }
    if let Some(most) = bounds.max_properties.filter(|most| size > *most) {
        verdict.add(Failure::too_many(path, size, most, "properties"));
    }
}

impl Failure {
    fn wrong_type(path: &FieldPath<'_>, wanted: &str, found: &str) -> Failure {
        let what = format!("{} in body must be of type {wanted}: {}", path.relative(), go::quote(found));
        let error = FieldError::new(Cause::TypeInvalid, path.relative(), Some(found.into()), what.clone());
        Failure::worded(error, what)
    }

    fn invalid(path: &FieldPath<'_>, value: Option<Value>, what: &str) -> Failure {
        let what = format!("{} in body {what}", path.relative());
        let value = value.unwrap_or_else(|| "".into());
        Failure::worded(FieldError::invalid(path.relative(), value, what.clone()), what)
    }

    fn too_many(path: &FieldPath<'_>, size: i64, most: i64, what: &str) -> Failure {
        let message = format!("{} in body should have at most {most} {what}", path.relative());
        let detail = format!("must have at most {most} item{}", if most == 1 { "" } else { "s" });
        Failure::worded(FieldError::new(Cause::TooMany, path.relative(), Some(size.into()), detail), message)
    }
}

#[cfg(test)]
mod tests;
