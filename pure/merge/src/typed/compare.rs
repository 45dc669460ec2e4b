//! What differs between two values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::check::check_scalar;
use super::{Faults, List, MapTy, Scalar, Shape, Ty, fields, items};
use crate::fields::{Entry, FieldSet, Item};
use crate::value::equal;

/// Fields that the second value lacks, and those that it has differently or beyond the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) removed: FieldSet,
    pub(crate) changed: FieldSet,
}

/// Compares two values of one type.
pub(crate) fn compare(ty: Ty<'_>, old: &Value, new: &Value) -> Result<Comparison, Faults> {
    let mut comparison = Comparison::default();
    let faults = visit(ty, Some(old), Some(new), &At::Root, &mut comparison);
    if faults.is_empty() { Ok(comparison) } else { Err(faults) }
}

/// Where the walk is: a chain on the stack, so that what did not change costs nothing.
enum At<'a> {
    Root,
    Field(&'a At<'a>, &'a str),
    Item(&'a At<'a>, &'a Item),
}

impl At<'_> {
    /// Adds the path. The whole object is never in a set.
    fn mark(&self, set: &mut FieldSet) {
        if let Some(entry) = self.entry(set) {
            entry.member = true;
        }
    }

    fn entry<'s>(&self, set: &'s mut FieldSet) -> Option<&'s mut Entry> {
        match self {
            At::Root => None,
            At::Field(above, name) => Some(above.below(set).fields.slot(*name)),
            At::Item(above, item) => Some(above.below(set).items.slot(*item)),
        }
    }

    fn below<'s>(&self, set: &'s mut FieldSet) -> &'s mut FieldSet {
        match self {
            At::Root => set,
            At::Field(above, name) => &mut above.below(set).fields.slot(*name).below,
            At::Item(above, item) => &mut above.below(set).items.slot(*item).below,
        }
    }
}

/// A value on each side, if it is there.
type Pair<'a, T = Value> = (Option<&'a T>, Option<&'a T>);

fn visit(
    ty: Ty<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
    at: &At<'_>,
    found: &mut Comparison,
) -> Faults {
    let (left, right) = (ty.shape(old), ty.shape(new));
    let mut faults = Faults::default();
    let leaf = match (old, new) {
        (_, None) => handle(left, (old, new), at, found, &mut faults),
        (None, _) => handle(right, (old, new), at, found, &mut faults),
        _ if same(&left, &right) => handle(right, (old, new), at, found, &mut faults),
        // The value changed its form: what it was is gone, and what it is is there.
        _ => {
            handle(left, (old, new), at, found, &mut faults);
            handle(right, (old, new), at, found, &mut faults)
        }
    };
    if !leaf {
        match (old, new) {
            (None, _) => at.mark(&mut found.changed),
            (_, None) => at.mark(&mut found.removed),
            _ => {}
        }
    }
    faults
}

/// A null is whatever the other is.
fn same(left: &Shape<'_>, right: &Shape<'_>) -> bool {
    matches!(
        (left, right),
        (Shape::Scalar(_), Shape::Scalar(_))
            | (Shape::List(_), Shape::List(_))
            | (Shape::Map(_), Shape::Map(_))
    )
}

/// Compares as one form; true if as a whole.
fn handle(
    shape: Shape<'_>,
    pair: Pair<'_>,
    at: &At<'_>,
    found: &mut Comparison,
    faults: &mut Faults,
) -> bool {
    let (old, new) = pair;
    match shape {
        Shape::Scalar(kind) => scalar(kind, pair, at, found, faults),
        Shape::List(list) => {
            let (left, right) = (items(old), items(new));
            let empty = left.is_none_or(Vec::is_empty) && right.is_none_or(Vec::is_empty);
            if list.is_atomic() || empty {
                return leaf(pair, at, found);
            }
            faults.extend(&"", compare_items(list, (left, right), at, found));
            false
        }
        Shape::Map(map) => {
            let (left, right) = (fields(old), fields(new));
            let empty = left.is_none_or(Map::is_empty) && right.is_none_or(Map::is_empty);
            if map.is_atomic() || empty {
                return leaf(pair, at, found);
            }
            compare_fields(map, (left, right), at, found, faults);
            false
        }
    }
}

fn leaf((old, new): Pair<'_>, at: &At<'_>, found: &mut Comparison) -> bool {
    match (old, new) {
        (None, _) => at.mark(&mut found.changed),
        (_, None) => at.mark(&mut found.removed),
        (Some(old), Some(new)) if !equal(old, new) => at.mark(&mut found.changed),
        _ => {}
    }
    true
}

fn scalar(kind: Scalar, pair: Pair<'_>, at: &At<'_>, found: &mut Comparison, faults: &mut Faults) -> bool {
    let check =
        |value: Option<&Value>, prefix| value.map_or_else(Faults::default, |v| check_scalar(kind, v, prefix));
    let (left, right) = (check(pair.0, "lhs: "), check(pair.1, "rhs: "));
    // One side may have been something else before the schema changed; both may not.
    if !left.is_empty() && !right.is_empty() {
        faults.extend(&"", left);
        faults.extend(&"", right);
        return false;
    }
    leaf(pair, at, found)
}

fn compare_fields(
    map: MapTy<'_>,
    (old, new): Pair<'_, Map<String, Value>>,
    at: &At<'_>,
    found: &mut Comparison,
    faults: &mut Faults,
) {
    let mut step = |name: &str, old: Option<&Value>, new: Option<&Value>| {
        let below = visit(map.field(name), old, new, &At::Field(at, name), found);
        if !below.is_empty() {
            faults.extend(&format!(".{name}"), below);
        }
    };
    for (name, value) in old.into_iter().flatten() {
        step(name, Some(value), new.and_then(|new| new.get(name)));
    }
    for (name, value) in new.into_iter().flatten() {
        if !old.is_some_and(|old| old.contains_key(name)) {
            step(name, None, Some(value));
        }
    }
}

fn compare_items(
    list: List<'_>,
    (old, new): Pair<'_, Vec<Value>>,
    at: &At<'_>,
    found: &mut Comparison,
) -> Faults {
    let mut faults = Faults::default();
    if let (Some(old), Some(new)) = (old, new)
        && old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| equal(old, new))
    {
        return faults;
    }
    let left = index(list, old, &mut faults);
    let right = index(list, new, &mut faults);
    let none = Vec::new();
    for item in left.keys().chain(right.keys()).collect::<BTreeSet<_>>() {
        let (left, right) = (left.get(item).unwrap_or(&none), right.get(item).unwrap_or(&none));
        let at = At::Item(at, item);
        let mut step = |old: Option<&Value>, new: Option<&Value>| {
            let below = visit(list.element, old, new, &at, found);
            if !below.is_empty() {
                faults.extend(item, below);
            }
        };
        match (&left[..], &right[..]) {
            ([] | [_], [] | [_]) => step(left.first().copied(), right.first().copied()),
            // Items that are there several times are owned as if they were one value.
            ([_, _, ..], [_, _, ..]) => {
                let unchanged = left.len() == right.len()
                    && left.iter().zip(right).all(|(left, right)| equal(left, right));
                if !unchanged {
                    at.mark(&mut found.changed);
                }
            }
            ([_, _, ..], _) => {
                if let Some(only) = right.first() {
                    step(None, Some(only));
                }
                at.mark(&mut found.removed);
            }
            _ => {
                if let Some(only) = left.first() {
                    step(Some(only), None);
                }
                at.mark(&mut found.changed);
            }
        }
    }
    faults
}

fn index<'a>(
    list: List<'_>,
    items: Option<&'a Vec<Value>>,
    faults: &mut Faults,
) -> BTreeMap<Item, Vec<&'a Value>> {
    let mut found = BTreeMap::<Item, Vec<&Value>>::new();
    for (index, value) in items.into_iter().flatten().enumerate() {
        match list.item(value) {
            Ok(item) => found.entry(item).or_default().push(value),
            Err(why) => faults.add(format!("element {index}: {why}")),
        }
    }
    found
}
