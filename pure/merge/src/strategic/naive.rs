//! Lists merged by looking at every pair, as Kubernetes does it: what the quick way has to come to.

use serde_json::Value;

use super::*;
use crate::value::equal;

pub(super) fn merge(original: &[Value], patch: &[Value], at: Place<'_>, key: &str) -> Option<Vec<Value>> {
    if key.is_empty() {
        let mut merged = original.to_vec();
        merged.extend_from_slice(patch);
        deduplicate(&mut merged);
        return order(merged, patch, original, key);
    }
    let mut original = original.to_vec();
    let is = |item: &Value, directive: &str| item[DIRECTIVE] == directive;
    for item in patch.iter().filter(|item| is(item, "delete")) {
        let wanted = item.get(key)?;
        while let Some(index) = find(&original, wanted, key) {
            original.remove(index);
        }
    }
    let rest: Vec<_> = patch.iter().filter(|item| item.get(DIRECTIVE).is_none()).cloned().collect();
    if patch.iter().any(|item| is(item, "replace")) {
        return order(rest.clone(), &[], &rest, key);
    }
    let mut merged = original.clone();
    for item in &rest {
        match find(&merged, item.get(key)?, key) {
            Some(index) => {
                let (Value::Object(current), Value::Object(patch)) = (merged[index].clone(), item.clone())
                else {
                    return None;
                };
                merged[index] = Value::Object(merge_map(current, patch, at).ok()?);
            }
            None => merged.push(item.clone()),
        }
    }
    order(merged, &rest, &original, key)
}

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

fn identity<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    if key.is_empty() { Some(value) } else { value.get(key) }
}

fn find(list: &[Value], wanted: &Value, key: &str) -> Option<usize> {
    list.iter().position(|other| identity(other, key).is_some_and(|other| equal(other, wanted)))
}

pub(super) fn order(
    merged: Vec<Value>,
    by_patch: &[Value],
    by_list: &[Value],
    key: &str,
) -> Option<Vec<Value>> {
    for value in merged.iter().chain(by_patch).chain(by_list) {
        identity(value, key)?;
    }
    let place = |list: &[Value], value: &Value| find(list, identity(value, key)?, key);
    let (mut patched, mut others): (Vec<_>, Vec<_>) =
        merged.into_iter().partition(|value| place(by_patch, value).is_some());
    for (list, order) in [(&mut patched, by_patch), (&mut others, by_list)] {
        list.sort_by_key(|value| {
            let deleted = !key.is_empty() && value.get(DIRECTIVE).is_some_and(|is| is == "delete");
            (deleted, place(order, value).unwrap_or(usize::MAX))
        });
    }
    let mut all = Vec::new();
    let mut others = others.into_iter().peekable();
    for value in patched {
        let here = place(by_list, &value);
        while let Some(other) = others.next_if(
            |other| matches!((place(by_list, other), here), (Some(other), Some(here)) if other < here),
        ) {
            all.push(other);
        }
        all.push(value);
    }
    all.extend(others);
    Some(all)
}

pub(super) fn overwritten(mut live: Vec<Value>, patch: &[Value], key: &str) -> Vec<Value> {
    let mut length = live.len();
    for item in patch.iter().filter(|item| item[DIRECTIVE] == "delete") {
        while let Some(index) = find(&live[..length], &item[key], key) {
            live[index..length].rotate_left(1);
            if index < length - 1 {
                live[length - 1] = live[length - 2].clone();
            }
            length -= 1;
        }
    }
    if patch.iter().any(|item| item[DIRECTIVE] == "replace") {
        return live;
    }
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        if length < live.len() && find(&live[..length], &item[key], key).is_none() {
            live[length] = item.clone();
            length += 1;
        }
    }
    live
}
