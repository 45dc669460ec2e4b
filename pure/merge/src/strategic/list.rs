//! Lists in strategic merge patches: merged by key, or as sets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::identity::Identity;
use super::order::order;
use super::place::{Field, Place};
use super::{DIRECTIVE, LIST, MAP, StrategicError, merge_map};
use crate::go;

/// Merges a list into another; or, if the patch lists what to delete, deletes that.
pub(super) fn merge(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: &Field<'_>,
    deletes: bool,
) -> Result<Vec<Value>, StrategicError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    if element_type(&[&original, &patch])? != MAP {
        if deletes {
            let gone: BTreeSet<_> = patch.iter().map(Identity::by).collect();
            return Ok(original.into_iter().filter(|value| !gone.contains(&Identity::by(value))).collect());
        }
        let mut known = BTreeSet::new();
        let both = original.iter().chain(&patch);
        let merged = both.filter(|value| known.insert(Identity::by(value))).cloned().collect();
        return order(merged, &patch, &original, "");
    }
    let key = field.merge_key;
    if key.is_empty() {
        let what = format!("cannot merge lists without merge key for {}", field.place.kind());
        return Err(StrategicError::internal(what));
    }
    let (original, patch) = directives(original, patch, key)?;
    let merged = merge_items(&original, &patch, key, field.place)?;
    order(merged, &patch, &original, key)
}

/// Merges each item of the patch into the first that has its key.
fn merge_items(
    original: &[Value],
    patch: &[Value],
    key: &str,
    at: Place<'_>,
) -> Result<Vec<Value>, StrategicError> {
    let mut merged = original.to_vec();
    let mut places = BTreeMap::<Identity<'_>, BTreeSet<usize>>::new();
    for (index, value) in original.iter().enumerate() {
        if let Some(identity) = Identity::of(value, key) {
            places.entry(identity).or_default().insert(index);
        }
    }
    for value in patch {
        let Value::Object(patch) = value else { return Err(StrategicError::wrong_type(MAP, value)) };
        let Some(wanted) = patch.get(key) else { return Err(StrategicError::no_merge_key(patch, key)) };
        let wanted = Identity::by(wanted);
        let Some(index) = places.get(&wanted).and_then(|places| places.first().copied()) else {
            places.entry(wanted).or_default().insert(merged.len());
            merged.push(value.clone());
            continue;
        };
        let Value::Object(current) = std::mem::take(&mut merged[index]) else { continue };
        merged[index] = Value::Object(merge_map(current, patch.clone(), at)?);
        // A null takes the key away, and one that is a map may come out as another.
        let now = Identity::of(&merged[index], key);
        if now.as_ref() != Some(&wanted) {
            places.entry(wanted).or_default().remove(&index);
            if let Some(now) = now {
                places.entry(now.owned()).or_default().insert(index);
            }
        }
    }
    Ok(merged)
}

/// Carries out the directives among the items; what is left of the list and of the patch.
fn directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let mut rest = Vec::with_capacity(patch.len());
    let mut gone = BTreeSet::new();
    let mut replace = false;
    for value in patch {
        let Some((map, directive)) = value.as_object().and_then(|map| Some((map, map.get(DIRECTIVE)?)))
        else {
            rest.push(value);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let Some(wanted) = map.get(key) else { return Err(StrategicError::no_merge_key(map, key)) };
                gone.insert(Identity::by(wanted).owned());
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(StrategicError::internal("merging lists cannot yet be specified in the patch"));
            }
            _ => return Err(StrategicError::unknown_directive(directive, map)),
        }
    }
    original.retain(|value| Identity::of(value, key).is_none_or(|identity| !gone.contains(&identity)));
    Ok(if replace { (rest, Vec::new()) } else { (original, rest) })
}

/// The Go type that all elements have.
pub(super) fn element_type(lists: &[&[Value]]) -> Result<&'static str, StrategicError> {
    let mut known = None;
    for value in lists.iter().copied().flatten() {
        let name = go::type_name(value);
        if name == LIST {
            let message = "lists of lists are not supported".to_owned();
            return Err(StrategicError { fault: super::Fault::Unprocessable, message });
        }
        if *known.get_or_insert(name) != name {
            let lists = lists.iter().map(|list| Value::Array(list.to_vec())).collect();
            let shown = go::show(&Value::Array(lists));
            return Err(StrategicError::internal(format!("list element types are not identical: {shown}")));
        }
    }
    known.ok_or_else(|| StrategicError::internal("no elements in any of the given slices"))
}
