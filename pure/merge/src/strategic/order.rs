//! In which order the items of a merged list stand: one that respects both sides, or what `$setElementOrder` says.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Map, Value};

use super::identity::{Identity, Places};
use super::list::element_type;
use super::place::Place;
use super::{DIRECTIVE, ELEMENT_ORDER, LIST, MAP, StrategicError, without_directives};
use crate::go;
use crate::value::equal;

/// Items of the patch in its order, the others in that of the list, those among these where the list had them.
pub(super) fn order(
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
    let (by_patch, by_list) = (Places::of(by_patch, key), Places::of(by_list, key));
    let (mut patched, mut others): (Vec<_>, Vec<_>) =
        merged.into_iter().partition(|value| by_patch.get(value).is_some());
    sort(&mut patched, &by_patch, key);
    sort(&mut others, &by_list, key);
    let mut all = Vec::with_capacity(patched.len() + others.len());
    let mut others = others.into_iter().peekable();
    for value in patched {
        let here = by_list.get(&value);
        while let Some(other) = others
            .next_if(|other| matches!((by_list.get(other), here), (Some(other), Some(here)) if other < here))
        {
            all.push(other);
        }
        all.push(value);
    }
    all.extend(others);
    Ok(all)
}

/// What is not in the list of the order stays at the end, and what is to be deleted goes there.
fn sort(list: &mut [Value], order: &Places<'_>, key: &str) {
    list.sort_by_cached_key(|value| {
        let deleted = !key.is_empty() && value.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
        (deleted, order.get(value).unwrap_or(usize::MAX))
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
        let live = if field.merges() && !key.is_empty() { overwritten(&live, &patched, key) } else { live };
        original.insert(name.to_owned(), Value::Array(order(merged, &wanted, &live, key)?));
        patch.remove(name);
    }
    Ok(())
}

/// The list by whose order Kubernetes goes: it merges in place, so that what comes new stands where something was
/// deleted.
pub(super) fn overwritten(live: &[Value], patch: &[Value], key: &str) -> Vec<Value> {
    let directive = |item: &Value| item.get(DIRECTIVE).and_then(Value::as_str).map(ToOwned::to_owned);
    let mut places = BTreeMap::<Option<Identity<'_>>, Vec<usize>>::new();
    for (index, value) in live.iter().enumerate() {
        places.entry(Identity::of(value, key)).or_default().push(index);
    }
    let mut stays = vec![true; live.len()];
    // What moves up by one leaves the last where it was, too.
    let mut left_over = Vec::new();
    let mut last = live.len();
    for item in patch.iter().filter(|item| directive(item).as_deref() == Some("delete")) {
        for index in places.remove(&Identity::of(item, key)).unwrap_or_default() {
            while last > 0 && !stays[last - 1] {
                last -= 1;
            }
            left_over.extend(last.checked_sub(1).map(|last| live[last].clone()));
            stays[index] = false;
        }
    }
    let mut by: Vec<Value> =
        live.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(value, _)| value.clone()).collect();
    let mut length = by.len();
    by.extend(left_over.into_iter().rev());
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace")) {
        return by;
    }
    for item in patch.iter().filter(|item| directive(item).is_none()) {
        if length < by.len()
            && let Entry::Vacant(new) = places.entry(Identity::of(item, key))
        {
            new.insert(Vec::new());
            by[length] = item.clone();
            length += 1;
        }
    }
    by
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
