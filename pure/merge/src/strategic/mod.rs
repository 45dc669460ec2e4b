//! Strategic merge patches: merge patches that know the keys of lists, with directives for the rest.

mod identity;
mod list;
mod order;
mod place;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use crate::go;
use crate::schema::{Dialect, Schema};
use place::{Field, Place};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_PRIMITIVES: &str = "$deleteFromPrimitiveList";
const ELEMENT_ORDER: &str = "$setElementOrder";

/// What kind of answer an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 400, reason `BadRequest`.
    BadRequest,
    /// 422, without a reason.
    Unprocessable,
    /// 500, without a reason.
    Internal,
}

/// Why a patch cannot be applied. It displays as Kubernetes says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategicError {
    /// The kind of answer.
    pub fault: Fault,
    message: String,
}

impl StrategicError {
    fn bad(message: &str) -> Self {
        Self { fault: Fault::BadRequest, message: message.to_owned() }
    }

    fn internal(message: impl Into<String>) -> Self {
        Self { fault: Fault::Internal, message: message.into() }
    }

    fn bad_order() -> Self {
        Self::bad("invalid patch format of setElementOrder list")
    }

    fn no_merge_key(map: &Map<String, Value>, key: &str) -> Self {
        let map = go::show(&Value::Object(map.clone()));
        Self::internal(format!("map: {map} does not contain declared merge key: {key}"))
    }

    fn wrong_type(expected: &str, found: &Value) -> Self {
        Self::internal(format!("expected a {expected}, but received a {}", go::type_name(found)))
    }

    fn unknown_directive(directive: &Value, map: &Map<String, Value>) -> Self {
        let (directive, map) = (go::show(directive), go::show(&Value::Object(map.clone())));
        Self::internal(format!("unknown patch type: {directive} in map: {map}"))
    }
}

impl fmt::Display for StrategicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StrategicError {}

/// A patch as messages show it: `map[spec:map[replicas:many]]`.
pub fn shown(patch: &Value) -> String {
    go::show(patch)
}

const MAP: &str = "map[string]interface {}";
const LIST: &str = "[]interface {}";

/// The object that a patch makes of another.
pub fn patch(schema: &Schema, current: &Value, patch: &Value) -> Result<Value, StrategicError> {
    if schema.dialect == Dialect::Structural {
        return Err(StrategicError::bad("strategic merge patch format is not supported"));
    }
    let (Value::Object(current), Value::Object(patch)) = (current, patch) else {
        return Err(StrategicError::bad("invalid JSON document"));
    };
    merge_map(current.clone(), patch.clone(), Place::root(schema)).map(Value::Object)
}

fn merge_map(
    mut original: Map<String, Value>,
    mut patch: Map<String, Value>,
    place: Place<'_>,
) -> Result<Map<String, Value>, StrategicError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(StrategicError::unknown_directive(directive, &patch)),
        };
    }
    retain_keys(&mut original, &mut patch)?;
    order::set_order(&mut original, &mut patch, place)?;
    for (key, value) in patch {
        let (key, deletes) = match key.strip_prefix(DELETE_PRIMITIVES) {
            None => (key, false),
            Some(rest) => match rest.strip_prefix('/') {
                Some(name) => (name.to_owned(), true),
                None => return Err(StrategicError::bad("invalid patch format of primitive list")),
            },
        };
        merge_field(&mut original, key, value, deletes, place)?;
    }
    Ok(original)
}

fn merge_field(
    original: &mut Map<String, Value>,
    key: String,
    value: Value,
    deletes: bool,
    place: Place<'_>,
) -> Result<(), StrategicError> {
    if value.is_null() {
        original.remove(&key);
        return Ok(());
    }
    match (original.get_mut(&key).map(std::mem::take), value) {
        (Some(Value::Object(current)), Value::Object(patch)) => {
            let field = place.field(&key)?;
            let merged = if field.replaces() { patch } else { merge_map(current, patch, field.place)? };
            original.insert(key, Value::Object(merged));
        }
        (Some(Value::Array(current)), Value::Array(patch)) => {
            let field = place.list(&key)?;
            let merged = merge_list(current, patch, &field, deletes)?;
            original.insert(key, Value::Array(merged));
        }
        // Items are deleted from a list or from nothing.
        (current, _) if deletes => {
            if let Some(current) = current {
                original.insert(key, current);
            }
        }
        (current, value) => {
            // Scalars of one type are replaced as they come, and have no nulls to lose.
            let mut value = value;
            if current.as_ref().is_none_or(|current| go::type_name(current) != go::type_name(&value)) {
                discard_nulls(&mut value);
            }
            match without_directives(value) {
                Some(value) => original.insert(key, value),
                None => original.remove(&key),
            };
        }
    }
    Ok(())
}

fn merge_list(
    current: Vec<Value>,
    patch: Vec<Value>,
    field: &Field<'_>,
    deletes: bool,
) -> Result<Vec<Value>, StrategicError> {
    if field.merges() || deletes { list::merge(current, patch, field, deletes) } else { Ok(patch) }
}

/// Takes away what the patch does not say to keep.
fn retain_keys(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), StrategicError> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let refuse = || StrategicError::bad("invalid patch format of retainKeys");
    let Value::Array(keys) = keys else { return Err(refuse()) };
    let keys: BTreeSet<&str> = keys.iter().filter_map(Value::as_str).collect();
    let directive = |key: &str| key.starts_with(DELETE_PRIMITIVES) || key.starts_with(ELEMENT_ORDER);
    let stray =
        |(key, value): (&String, &Value)| !value.is_null() && !directive(key) && !keys.contains(key.as_str());
    if patch.iter().any(stray) {
        return Err(refuse());
    }
    original.retain(|key, _| keys.contains(key.as_str()));
    Ok(())
}

/// A value that is taken over as it is has no directives; none if it is one itself.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => {
            let kept = fields.into_iter().filter_map(|(key, value)| Some((key, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(without_directives).collect())),
        scalar => Some(scalar),
    }
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|_, value| {
            discard_nulls(value);
            !value.is_null()
        }),
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
