//! One value laid over another.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value};

use super::check::check_scalar;
use super::{Faults, List, MapTy, Shape, Ty, fields, items};
use crate::fields::Item;

/// The live value with a configuration laid over it.
pub(crate) fn merge(ty: Ty<'_>, live: &Value, config: &Value) -> Result<Value, Faults> {
    let mut faults = Faults::default();
    let merged = visit(ty, Some(live), Some(config), &mut faults);
    if faults.is_empty() { Ok(merged.unwrap_or(Value::Null)) } else { Err(faults) }
}

type Pair<'a> = (Option<&'a Value>, Option<&'a Value>);

/// None if nothing is left of it.
fn visit(ty: Ty<'_>, live: Option<&Value>, config: Option<&Value>, faults: &mut Faults) -> Option<Value> {
    // The configuration decides what it is; where it says nothing, the live value does.
    let shape = ty.shape(config.or(live));
    handle(shape, (live, config), faults)
}

fn handle(shape: Shape<'_>, pair: Pair<'_>, faults: &mut Faults) -> Option<Value> {
    let (live, config) = pair;
    match shape {
        Shape::Scalar(kind) => {
            let check = |value: Option<&Value>, prefix| {
                value.map_or_else(Faults::default, |value| check_scalar(kind, value, prefix))
            };
            let (left, right) = (check(live, "lhs: "), check(config, "rhs: "));
            if !left.is_empty() && !right.is_empty() {
                faults.extend(&"", left);
                faults.extend(&"", right);
                return None;
            }
            leaf(pair)
        }
        Shape::List(list) => {
            let (left, right) = (items(live), items(config));
            let empty = left.is_none_or(Vec::is_empty) && right.is_none_or(Vec::is_empty);
            if list.is_atomic() || empty {
                return leaf(pair);
            }
            let merged = merge_items(list, left, right, faults);
            (!merged.is_empty()).then_some(Value::Array(merged))
        }
        Shape::Map(map) => {
            let (left, right) = (fields(live), fields(config));
            let empty = left.is_none_or(Map::is_empty) && right.is_none_or(Map::is_empty);
            if map.is_atomic() || empty {
                return leaf(pair);
            }
            let merged = merge_fields(map, left, right, faults);
            (!merged.is_empty()).then_some(Value::Object(merged))
        }
    }
}

fn leaf((live, config): Pair<'_>) -> Option<Value> {
    config.or(live).cloned()
}

fn merge_fields(
    map: MapTy<'_>,
    live: Option<&Map<String, Value>>,
    config: Option<&Map<String, Value>>,
    faults: &mut Faults,
) -> Map<String, Value> {
    let mut merged = Map::new();
    let mut step = |name: &String, live: Option<&Value>, config: Option<&Value>| {
        let mut below = Faults::default();
        if let Some(value) = visit(map.field(name), live, config, &mut below) {
            merged.insert(name.clone(), value);
        }
        if !below.is_empty() {
            faults.extend(&format!(".{name}"), below);
        }
    };
    for (name, value) in live.into_iter().flatten() {
        step(name, Some(value), config.and_then(|config| config.get(name)));
    }
    for (name, value) in config.into_iter().flatten() {
        if !live.is_some_and(|live| live.contains_key(name)) {
            step(name, None, Some(value));
        }
    }
    merged
}

/// The items of one list, by what they are found by.
struct Index<'a> {
    order: Vec<(Item, &'a Value)>,
    by_item: BTreeMap<Item, &'a Value>,
}

impl<'a> Index<'a> {
    fn of(list: List<'_>, items: Option<&'a Vec<Value>>, duplicates: bool, faults: &mut Faults) -> Self {
        let mut index = Index { order: Vec::new(), by_item: BTreeMap::new() };
        for (place, value) in items.into_iter().flatten().enumerate() {
            let item = match list.item(value) {
                Ok(item) => item,
                Err(why) => {
                    faults.add(format!("element {place}: {why}"));
                    continue;
                }
            };
            match index.by_item.get_mut(&item) {
                Some(_) if !duplicates => {
                    faults.add(format!("duplicate entries for key {item}"));
                    continue;
                }
                // Which of several is meant cannot be told: none is merged with.
                Some(known) => *known = &Value::Null,
                None => {
                    index.by_item.insert(item.clone(), value);
                }
            }
            index.order.push((item, value));
        }
        index
    }

    fn get(&self, item: &Item) -> Option<&'a Value> {
        self.by_item.get(item).copied()
    }

    fn has(&self, item: &Item) -> bool {
        self.by_item.contains_key(item)
    }
}

/// Items of both keep the order of the configuration; those of the live list alone stay where they are
/// among the others.
fn merge_items(
    list: List<'_>,
    live: Option<&Vec<Value>>,
    config: Option<&Vec<Value>>,
    faults: &mut Faults,
) -> Vec<Value> {
    let right = Index::of(list, config, false, faults);
    let left = Index::of(list, live, true, faults);
    if !faults.is_empty() {
        return Vec::new();
    }
    let mut shared: VecDeque<&Item> =
        right.order.iter().map(|(item, _)| item).filter(|item| left.has(item)).collect();
    let mut next = shared.pop_front();
    let mut merged = Vec::with_capacity(left.order.len().max(right.order.len()));
    let mut placed = std::collections::BTreeSet::new();
    let mut put = |item: &Item, live: Option<&Value>, config: Option<&Value>| {
        let mut below = Faults::default();
        merged.extend(visit(list.element, live, config, &mut below));
        faults.extend(item, below);
    };
    let (mut l, mut r) = (0, 0);
    while l < left.order.len() || r < right.order.len() {
        if let (Some((item, _)), Some((wanted, _))) = (left.order.get(l), right.order.get(r)) {
            if item == wanted {
                placed.insert(item);
                put(item, left.get(item), right.get(item));
                (l, r) = (l + 1, r + 1);
                next = shared.pop_front();
                continue;
            }
            if right.has(item) && next.is_some_and(|next| next != item) {
                // It is in both, but another one comes first.
                l += 1;
                continue;
            }
        }
        if let Some((item, value)) = left.order.get(l) {
            if !right.has(item) {
                put(item, Some(value), None);
                l += 1;
                continue;
            }
            if placed.contains(item) {
                l += 1;
            }
        }
        if let Some((item, _)) = right.order.get(r) {
            placed.insert(item);
            put(item, left.get(item), right.get(item));
            r += 1;
            if next == Some(item) {
                next = shared.pop_front();
            }
        }
    }
    merged
}
