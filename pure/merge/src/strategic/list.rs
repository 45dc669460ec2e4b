//! Lists in strategic merge patches: merged by key, or as sets, in an order that respects both sides.

use serde_json::{Map, Value};

use super::place::{Field, Place};
use super::{DIRECTIVE, ELEMENT_ORDER, LIST, MAP, StrategicError, merge_map, without_directives};
use crate::go;
use crate::value::equal;

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
            let gone = |value: &Value| patch.iter().any(|other| equal(other, value));
            return Ok(original.into_iter().filter(|value| !gone(value)).collect());
        }
        let mut merged = original.clone();
        merged.extend(patch.iter().cloned());
        deduplicate(&mut merged);
        return order(merged, &patch, &original, "");
    }
    let key = field.merge_key;
    if key.is_empty() {
        let what = format!("cannot merge lists without merge key for {}", field.place.kind());
        return Err(StrategicError::internal(what));
    }
    let (original, patch) = directives(original, patch, key)?;
    let mut merged = original.clone();
    for value in patch.iter().cloned() {
        let Value::Object(patch) = value else { return Err(StrategicError::wrong_type(MAP, &value)) };
        let Some(wanted) = patch.get(key) else { return Err(StrategicError::no_merge_key(&patch, key)) };
        match find(&merged, key, wanted)? {
            Some(index) => {
                let Value::Object(current) = std::mem::take(&mut merged[index]) else { continue };
                merged[index] = Value::Object(merge_map(current, patch, field.place)?);
            }
            None => merged.push(Value::Object(patch)),
        }
    }
    order(merged, &patch, &original, key)
}

/// Carries out the directives among the items; what is left of the list and of the patch.
fn directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let mut rest = Vec::with_capacity(patch.len());
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
                while let Some(index) = find(&original, key, wanted)? {
                    original.remove(index);
                }
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(StrategicError::internal("merging lists cannot yet be specified in the patch"));
            }
            _ => return Err(StrategicError::unknown_directive(directive, map)),
        }
    }
    Ok(if replace { (rest, Vec::new()) } else { (original, rest) })
}

/// The first map with this value of the key.
fn find(list: &[Value], key: &str, wanted: &Value) -> Result<Option<usize>, StrategicError> {
    for (index, value) in list.iter().enumerate() {
        let Value::Object(map) = value else {
            return Err(StrategicError::internal(format!("value for key {index} is not a map")));
        };
        if map.get(key).is_some_and(|value| equal(value, wanted)) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// The Go type that all elements have.
fn element_type(lists: &[&[Value]]) -> Result<&'static str, StrategicError> {
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

/// Kubernetes fills the gap of a duplicate with the last element; the order is set right afterwards.
fn deduplicate(list: &mut Vec<Value>) {
    let mut first = 0;
    while first < list.len() {
        let mut second = first + 1;
        while second < list.len() {
            if equal(&list[first], &list[second]) {
                list.swap_remove(second);
            } else {
                second += 1;
            }
        }
        first += 1;
    }
}

/// Items of the patch in its order, the others in that of the list, those among these where the list had them.
fn order(
    merged: Vec<Value>,
    by_patch: &[Value],
    by_list: &[Value],
    key: &str,
) -> Result<Vec<Value>, StrategicError> {
    if !key.is_empty() {
        for list in [&merged[..], by_patch, by_list] {
            for value in list {
                match value {
                    Value::Object(map) if map.contains_key(key) => {}
                    Value::Object(map) => return Err(StrategicError::no_merge_key(map, key)),
                    other => return Err(StrategicError::wrong_type(MAP, other)),
                }
            }
        }
    }
    let (mut patched, mut others): (Vec<_>, Vec<_>) =
        merged.into_iter().partition(|value| place(by_patch, value, key).is_some());
    sort(&mut patched, by_patch, key);
    sort(&mut others, by_list, key);
    let mut all = Vec::with_capacity(patched.len() + others.len());
    let mut others = others.into_iter().peekable();
    for value in patched {
        let here = place(by_list, &value, key);
        while let Some(other) = others.next_if(
            |other| matches!((place(by_list, other, key), here), (Some(other), Some(here)) if other < here),
        ) {
            all.push(other);
        }
        all.push(value);
    }
    all.extend(others);
    Ok(all)
}

/// What tells an item from others.
fn identity<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    if key.is_empty() { Some(value) } else { value.get(key) }
}

fn place(list: &[Value], value: &Value, key: &str) -> Option<usize> {
    let wanted = identity(value, key)?;
    list.iter().position(|other| identity(other, key).is_some_and(|other| equal(other, wanted)))
}

/// What is not in the list of the order stays at the end, and what is to be deleted goes there.
fn sort(list: &mut [Value], order: &[Value], key: &str) {
    list.sort_by_cached_key(|value| {
        let deleted = !key.is_empty() && value.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
        (deleted, place(order, value, key).unwrap_or(usize::MAX))
    });
}

/// Carries out `$setElementOrder`, together with the patch of the list that it is about.
pub(super) fn set_order(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    at: Place<'_>,
) -> Result<(), StrategicError> {
    let directives: Vec<String> =
        patch.keys().filter(|key| key.starts_with(ELEMENT_ORDER)).cloned().collect();
    for directive in directives {
        let wanted = match patch.remove(&directive) {
            Some(Value::Array(wanted)) => wanted,
            Some(other) => return Err(StrategicError::wrong_type(LIST, &other)),
            None => continue,
        };
        let name = directive.strip_prefix(ELEMENT_ORDER).and_then(|rest| rest.strip_prefix('/'));
        let Some(name) = name else { return Err(StrategicError::bad_order()) };
        let list = |value: Option<&Value>| match value {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list.clone())),
            Some(other) => Err(StrategicError::wrong_type(LIST, other)),
        };
        let (live, patched) = (list(original.get(name))?, list(patch.get(name))?);
        let field = at.list(name)?;
        check_order(patched.as_deref().unwrap_or_default(), &wanted, field.merge_key)?;
        let merged = match (live.clone(), patched.clone()) {
            (None, None) => continue,
            (Some(live), None) => live,
            (None, Some(patched)) => match without_directives(Value::Array(patched)) {
                Some(Value::Array(list)) => list,
                _ => continue,
            },
            (Some(live), Some(patched)) => super::merge_list(live, patched, &field, false)?,
        };
        let (live, patched) = (live.unwrap_or_default(), patched.unwrap_or_default());
        element_type(&[&live, &patched])?;
        let key = field.merge_key;
        let live = if field.merges() && !key.is_empty() { overwritten(live, &patched, key) } else { live };
        original.insert(name.to_owned(), Value::Array(order(merged, &wanted, &live, key)?));
        patch.remove(name);
    }
    Ok(())
}

/// The list by whose order Kubernetes goes: it merges in place, so that what comes new stands where something was
/// deleted.
fn overwritten(mut live: Vec<Value>, patch: &[Value], key: &str) -> Vec<Value> {
    let mut length = live.len();
    let at = |live: &[Value], item: &Value| live.iter().position(|other| other.get(key) == item.get(key));
    let directive = |item: &Value| item.get(DIRECTIVE).and_then(Value::as_str).map(ToOwned::to_owned);
    for item in patch.iter().filter(|item| directive(item).as_deref() == Some("delete")) {
        while let Some(index) = at(&live[..length], item) {
            let last = live[length - 1].clone();
            live[index..length].rotate_left(1);
            live[length - 1] = last;
            length -= 1;
        }
    }
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace")) {
        return live;
    }
    for item in patch.iter().filter(|item| directive(item).is_none()) {
        if length < live.len() && at(&live[..length], item).is_none() {
            live[length] = item.clone();
            length += 1;
        }
    }
    live
}

/// The order and the patch agree, as far as they are about the same items.
fn check_order(patch: &[Value], wanted: &[Value], key: &str) -> Result<(), StrategicError> {
    if patch.is_empty() || wanted.is_empty() {
        return Ok(());
    }
    let directive = |value: &Value| value.get(DIRECTIVE).cloned();
    let deletes = |value: &Value| directive(value).is_some_and(|directive| directive == "delete");
    let mut items = patch.iter().filter(|value| key.is_empty() || !deletes(value)).peekable();
    let mut wanted_items = wanted.iter().peekable();
    // Directives are passed over, but not at the end: then they do not match, as in Kubernetes.
    while let (Some(item), Some(value)) = (items.peek(), wanted_items.peek()) {
        if directive(item).is_some() {
            items.next();
            continue;
        }
        if same(item, value, key)? {
            items.next();
        }
        wanted_items.next();
    }
    if items.peek().is_none() {
        return Ok(());
    }
    let (patch, wanted) = (go::show(&Value::Array(patch.to_vec())), go::show(&Value::Array(wanted.to_vec())));
    Err(StrategicError::internal(format!(
        "The order in patch list:\n{patch}\n doesn't match {ELEMENT_ORDER} list:\n{wanted}\n"
    )))
}

fn same(left: &Value, right: &Value, key: &str) -> Result<bool, StrategicError> {
    if key.is_empty() {
        return Ok(equal(left, right));
    }
    let identity = |value: &Value| -> Result<Value, StrategicError> {
        let map = value.as_object().ok_or_else(|| StrategicError::wrong_type(MAP, value))?;
        map.get(key).cloned().ok_or_else(|| StrategicError::no_merge_key(map, key))
    };
    Ok(equal(&identity(left)?, &identity(right)?))
}
