//! Servers that do their chores wrong.

use std::sync::Arc;

use bowline_kernel::{Deletion, Expect, Finalizer, Head, Object, Request, Version};

use super::{COLLECTOR, Chores, NAMESPACES, Rules, SHIPPED, look};
use crate::kernel::thing::{HOME, Performed, Thing, edited, perform};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal of $entry:ident.$build:ident($size:literal) by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: $entry.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = $entry.size($size).expect("a size that works");
                Box::new(Chores::$build(&size, &RULES))
            },
        }
    };
}

pub(in crate::kernel) const MUTANTS: &[Mutant] = &[
    mutant!("removes what was adopted meanwhile" breaks "StaleDecisionsRefused"
        of COLLECTOR.collector("objects=2,held=0") by look: unguarded),
    mutant!("removes what was adopted meanwhile" breaks "OnlyUnownedCollected"
        of COLLECTOR.collector("objects=2,held=0,writes=2") by look: unguarded),
    mutant!("removes what has lost one of its owners" breaks "OnlyUnownedCollected"
        of COLLECTOR.collector("held=0,writes=0") by look: one_is_enough),
    mutant!("lets an owner go before its orphans forget it" breaks "OrphansSurvive"
        of COLLECTOR.collector("objects=2,held=0") by look: skips_orphans),
    mutant!("does not wait for what blocks" breaks "ForegroundLast"
        of COLLECTOR.collector("objects=2") by look: waits_for_nothing),
    mutant!("waits in circles" breaks "DeletionEnds"
        of COLLECTOR.collector("objects=2,held=0") by look: waits_in_circles),
    mutant!("forgets at a restart what is due" breaks "AgendaComplete"
        of COLLECTOR.collector("objects=2,held=0,restarts=1") by load: forgets_agenda),
    mutant!("looks only at what is being deleted" breaks "UnownedGo"
        of COLLECTOR.collector("objects=2,held=0") by look: blind_to_owners),
    mutant!("goes by what was taken back" breaks "OnlyUnownedCollected"
        of COLLECTOR.collector("objects=2,held=0,writes=0,refusals=1") by reconsiders: false),
    mutant!("lets objects into a namespace that goes" breaks "NothingEnters"
        of NAMESPACES.namespaces("contents=1") by perform: lets_in),
    mutant!("lets a namespace go before what is in it" breaks "NoStrays"
        of NAMESPACES.namespaces("contents=1") by look: leaves_early),
    mutant!("leaves alone what is in a namespace" breaks "DeletionEnds"
        of NAMESPACES.namespaces("contents=1") by look: leaves_contents),
];

/// The same request, and nobody is asked whether the object is still the one that was looked at.
fn unguarded(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    let lax = |expect: Expect<u8>| Expect { version: None, ..expect };
    Some(match look(head, object)? {
        Request::Delete { key, expect, propagation, grace_s, at } => {
            Request::Delete { key, expect: lax(expect), propagation, grace_s, at }
        }
        Request::Replace(thing, expect) => Request::Replace(thing, lax(expect)),
        other => other,
    })
}

fn one_is_enough(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    let meta = object.meta();
    let is_gone = |key| head.get(key).is_none();
    if meta.deletion.is_some() || !meta.owners.iter().filter_map(|owner| owner.key.as_ref()).any(is_gone) {
        return look(head, object);
    }
    let expect = Expect { version: Some(meta.version), uid: Some(meta.uid) };
    Some(Request::Delete { key: object.place, expect, propagation: None, grace_s: 0, at: () })
}

/// The object without one of its finalizers.
fn without(object: &Arc<Thing>, finalizer: &Finalizer<()>) -> Request<Thing> {
    let mut thing = Thing::clone(object);
    thing.meta.finalizers.retain(|other| other != finalizer);
    let expect = Expect { version: Some(thing.meta.version), uid: Some(thing.meta.uid) };
    Request::Replace(thing, expect)
}

fn has(object: &Arc<Thing>, finalizer: &Finalizer<()>) -> bool {
    object.meta.deletion.is_some() && object.meta.has(finalizer)
}

fn skips_orphans(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    if has(object, &Finalizer::Orphan) {
        return Some(without(object, &Finalizer::Orphan));
    }
    look(head, object)
}

fn waits_for_nothing(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    if has(object, &Finalizer::Foreground) {
        return Some(without(object, &Finalizer::Foreground));
    }
    look(head, object)
}

fn waits_in_circles(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    let blocks = |dependent: &Arc<Thing>| {
        dependent.meta.owners.iter().any(|owner| owner.blocks && owner.uid == object.meta.uid)
    };
    if has(object, &Finalizer::Foreground) && head.dependents(&object.meta.uid).any(blocks) {
        return None;
    }
    look(head, object)
}

fn blind_to_owners(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    object.meta.deletion.as_ref().and_then(|_| look(head, object))
}

fn forgets_agenda(objects: Vec<Arc<Thing>>) -> Head<Thing> {
    let mut head = Head::load(Version(0), objects);
    for place in head.agenda().clone() {
        head.settled(&place);
    }
    head
}

fn lets_in(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let Request::Create(_) = request else { return perform(head, request) };
    let home = head.get(&HOME).and_then(|home| home.meta.deletion.clone());
    let mut lied_to = edited(head, HOME, |home| home.meta.deletion = None);
    let performed = perform(&mut lied_to, request);
    let deletion: Option<Deletion<()>> = home;
    *head = edited(&lied_to, HOME, |home| home.meta.deletion.clone_from(&deletion));
    performed
}

fn leaves_early(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    let is_going = |content: &Arc<Thing>| content.meta.deletion.is_some();
    if has(object, &Finalizer::Contents) && head.contents(&object.place).all(is_going) {
        return Some(without(object, &Finalizer::Contents));
    }
    look(head, object)
}

fn leaves_contents(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    if has(object, &Finalizer::Contents) && head.contents(&object.place).next().is_some() {
        return None;
    }
    look(head, object)
}
