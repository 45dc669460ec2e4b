//! Ownership after the schema changed.

use super::{MapTy, Shape, Ty};
use crate::fields::{Entry, FieldSet, Item};

/// What was owned part by part and is now owned whole is owned whole by those who owned parts. The other way
/// round needs nothing: owning the whole is owning that, and no parts.
pub(crate) fn reconcile(ty: Ty<'_>, set: &mut FieldSet) {
    match ty.shape(None) {
        Shape::Scalar(_) => {}
        Shape::List(list) => {
            for (item, entry) in set.items.iter_mut() {
                // Items of lists that were atomic once are found by their place.
                if !matches!(item, Item::Index(_)) {
                    one(list.element, entry);
                }
            }
        }
        Shape::Map(map) => {
            if map.is_free_form() {
                return;
            }
            for (name, entry) in set.fields.iter_mut() {
                if let Some(ty) = known(map, name) {
                    one(ty, entry);
                }
            }
        }
    }
}

/// What the schema no longer has is let be.
fn known<'a>(map: MapTy<'a>, name: &str) -> Option<Ty<'a>> {
    map.named(name).or_else(|| map.entries())
}

fn one(ty: Ty<'_>, entry: &mut Entry) {
    let whole = entry.member && entry.below.is_empty();
    let became_atomic = match ty.shape(None) {
        Shape::Scalar(_) => false,
        Shape::List(list) => list.is_atomic() && !whole,
        Shape::Map(map) => map.is_atomic() && !map.is_free_form() && !whole && !entry.below.is_empty(),
    };
    if became_atomic {
        *entry = Entry { member: true, below: FieldSet::default() };
    } else {
        reconcile(ty, &mut entry.below);
    }
}
