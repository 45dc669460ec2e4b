//! A value without some of its fields.

use serde_json::Value;

use super::{List, MapTy, Shape, Ty};
use crate::fields::FieldSet;

/// The value without these fields and items. What has nothing left becomes null.
pub(crate) fn remove(ty: Ty<'_>, value: &Value, set: &FieldSet) -> Value {
    match (ty.shape(Some(value)), value) {
        (Shape::Scalar(_), value) => value.clone(),
        (Shape::List(list), Value::Array(items)) if !list.is_atomic() => remove_items(list, items, set),
        (Shape::Map(map), Value::Object(fields)) if !map.is_atomic() => remove_fields(map, fields, set),
        // Only a path into something that is owned whole leads here: whoever wrote it took it for something
        // else.
        _ => Value::Null,
    }
}

fn remove_items(list: List<'_>, items: &[Value], set: &FieldSet) -> Value {
    let mut kept = Vec::with_capacity(items.len());
    for value in items {
        let entry = list.item(value).ok().and_then(|item| set.items.get(&item));
        match entry {
            None => kept.push(value.clone()),
            Some(entry) if entry.member => {}
            Some(entry) => kept.push(remove(list.element, value, &entry.below)),
        }
    }
    if kept.is_empty() { Value::Null } else { Value::Array(kept) }
}

fn remove_fields(map: MapTy<'_>, fields: &serde_json::Map<String, Value>, set: &FieldSet) -> Value {
    let mut kept = serde_json::Map::new();
    for (name, value) in fields {
        let value = match set.fields.get(name) {
            None => value.clone(),
            Some(entry) if entry.member => continue,
            Some(entry) => remove(map.field(name), value, &entry.below),
        };
        kept.insert(name.clone(), value);
    }
    if kept.is_empty() { Value::Null } else { Value::Object(kept) }
}
