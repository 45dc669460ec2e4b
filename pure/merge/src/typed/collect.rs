//! The fields that a value has.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{List, MapTy, Shape, Ty};
use crate::fields::{Entry, FieldSet, Item};

/// Every leaf and every item of a value. Structs are not in the set: those who own their fields do.
pub(crate) fn collect(ty: Ty<'_>, value: &Value) -> FieldSet {
    let mut root = Entry::default();
    visit(ty, value, &mut root);
    root.below
}

fn visit(ty: Ty<'_>, value: &Value, entry: &mut Entry) {
    match ty.shape(Some(value)) {
        Shape::Scalar(_) => entry.member = true,
        Shape::List(list) if list.is_atomic() => entry.member = true,
        Shape::Map(map) if map.is_atomic() => entry.member = true,
        Shape::List(list) => {
            if let Value::Array(items) = value {
                visit_items(list, items, entry);
            }
        }
        Shape::Map(map) => {
            if let Value::Object(fields) = value {
                visit_fields(map, fields, entry);
            }
        }
    }
}

fn visit_items(list: List<'_>, items: &[Value], entry: &mut Entry) {
    let keyed: Vec<_> = items.iter().filter_map(|value| Some((list.item(value).ok()?, value))).collect();
    let mut seen = BTreeSet::new();
    let repeated: BTreeSet<Item> =
        keyed.iter().filter(|(item, _)| !seen.insert(item)).map(|(item, _)| item.clone()).collect();
    for (item, value) in keyed {
        // What is in an item that is there twice cannot be told apart: the item is owned, not its fields.
        let whole = repeated.contains(&item);
        let entry = entry.below.items.slot(&item);
        if !whole {
            visit(list.element, value, entry);
        }
        entry.member = true;
    }
}

fn visit_fields(map: MapTy<'_>, fields: &serde_json::Map<String, Value>, entry: &mut Entry) {
    for (name, value) in fields {
        let mut below = Entry::default();
        visit(map.field(name), value, &mut below);
        let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        below.member |= empty || map.named(name).is_none();
        if below.member || !below.below.is_empty() {
            entry.below.fields.insert(name.clone(), below);
        }
    }
}

/// Adds every struct field that has owned fields below it. Taking those away takes it away too.
pub(crate) fn ensure_named(ty: Option<Ty<'_>>, set: &FieldSet) -> FieldSet {
    let map = ty.and_then(Ty::as_map);
    let list = ty.and_then(Ty::as_list);
    let fields = set.fields.iter().map(|(name, entry)| {
        let named = map.is_some_and(|map| map.named(name).is_some());
        let member = entry.member || (named && !entry.below.is_empty());
        let below = ensure_named(map.map(|map| map.field(name)), &entry.below);
        (name.clone(), Entry { member, below })
    });
    let items = set.items.iter().map(|(item, entry)| {
        let ty = list.map(|list| list.element).filter(|_| matches!(item, Item::Key(_)));
        (item.clone(), Entry { member: entry.member, below: ensure_named(ty, &entry.below) })
    });
    FieldSet { fields: fields.collect(), items: items.collect() }
}
