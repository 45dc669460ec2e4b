//! Controllers that take what they have seen for something else.

use bowline_control::{Decision, Moment};
use bowline_updates::{Object, Step, Wait, Whose};

use super::SHAPE;
use crate::updates::shape::{Known, Shown, Thing};

pub(crate) fn takes_all_for_its_own(objects: &[&Thing], memory: &Known) -> Shown {
    let mut shown = (SHAPE.snapshot)(objects, memory);
    if let Some(look) = &mut shown.memory.look {
        for sight in std::sync::Arc::make_mut(&mut look.sights).values_mut() {
            if let Some(live) = &mut sight.live {
                live.whose = Whose::Ours;
            }
        }
    }
    shown
}

/// As if its namespace might always use the cluster.
pub(super) fn may_be_everywhere(objects: &[&Thing], memory: &Known) -> Shown {
    let mut shown = (SHAPE.snapshot)(objects, memory);
    if let Some(look) = &mut shown.memory.look {
        look.allowed = true;
    }
    shown
}

pub(super) fn mends_everywhere(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    does_everywhere(shown, now, |step| step == Step::Mend)
}

pub(super) fn writes_everywhere(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    does_everywhere(shown, now, |step| matches!(step, Step::Write(_)))
}

/// As if its namespace might always use the cluster for this.
fn does_everywhere(shown: &Shown, now: Moment, what: fn(Step) -> bool) -> Decision<Step, Wait> {
    let mut other = shown.clone();
    if let Some(look) = &mut other.memory.look {
        look.allowed = true;
    }
    match (SHAPE.decide)(&other, now) {
        Decision::Do(step) if what(step) => Decision::Do(step),
        _ => (SHAPE.decide)(shown, now),
    }
}

/// As if it had been at the cluster that is there.
pub(super) fn trusts_any_look(objects: &[&Thing], memory: &Known) -> Shown {
    let mut memory = memory.clone();
    let there = objects.iter().find_map(|object| match object {
        Object::Cluster(cluster) => Some(cluster.uid),
        _ => None,
    });
    if let Some(look) = &mut memory.look {
        look.on = there;
    }
    (SHAPE.snapshot)(objects, &memory)
}
