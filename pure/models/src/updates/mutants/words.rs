//! Controllers that say the wrong thing.

use bowline_control::{EffectOf, Moment, Standing, Write};
use bowline_updates::{Object, Step, Wait};

use super::super::shape::{Shown, Thing};
use super::super::{SHAPE, Shape};
use super::rewritten;

/// Nobody is told what is put right.
pub(super) fn mends_silently(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |before, after| after.told.clone_from(&before.told))
}

/// A stack that is being deleted says what it would say otherwise.
pub(super) fn goes_silently(
    shown: &Shown,
    standing: Standing<'_, Wait>,
    now: Moment,
) -> Option<Write<Thing>> {
    let mut other = shown.clone();
    let deleting = other.stack.as_mut().map(|stack| std::mem::replace(&mut stack.deleting, false));
    let mut write = (SHAPE.report)(&other, standing, now)?;
    if let (Write::Status { before: Object::Stack(before), after: Object::Stack(after) }, Some(deleting)) =
        (&mut write, deleting)
    {
        (before.deleting, after.deleting) = (deleting, deleting);
    }
    Some(write)
}
