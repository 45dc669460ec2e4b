//! The garbage collector: what an object's owners, or what it owns, ask for.
//!
//! One look at one object gives at most one request. It is guarded by the version that was looked at: an
//! object that is adopted meanwhile is not removed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::head::{Head, waits};
use crate::object::{Finalizer, MetaOf, Object, OwnerOf};
use crate::request::{Expect, Propagation, Request};

/// What is to be done about `object` now, if anything.
pub fn look<O: Object>(head: &Head<O>, object: &Arc<O>, now: &O::Time) -> Option<Request<O>> {
    let meta = object.meta();
    if meta.deletion.is_none() {
        return judge_owners(head, object, now);
    }
    if meta.has(&Finalizer::Orphan) {
        return orphan(head, object);
    }
    if meta.has(&Finalizer::Foreground) && !is_blocked(head, object) {
        return Some(without(object, &Finalizer::Foreground));
    }
    None
}

/// Whether it is not being deleted, and all of its owners live: most objects are so, most of the time.
pub(crate) fn is_kept<O: Object>(head: &Head<O>, object: &Arc<O>) -> bool {
    let meta = object.meta();
    meta.deletion.is_none() && meta.owners.iter().all(|owner| standing(head, owner) == Standing::Lives)
}

/// What an owner is to what it owns.
#[derive(PartialEq)]
enum Standing {
    /// It lives.
    Lives,
    /// It lives until what it owns is gone.
    Waits,
    /// It is gone.
    Gone,
}

fn judge_owners<O: Object>(head: &Head<O>, object: &Arc<O>, now: &O::Time) -> Option<Request<O>> {
    let meta = object.meta();
    let standings: Vec<_> = meta.owners.iter().map(|owner| standing(head, owner)).collect();
    if standings.iter().all(|standing| *standing == Standing::Lives) {
        return None;
    }
    if standings.contains(&Standing::Lives) {
        // One owner that lives keeps it; the others are forgotten.
        let mut kept = standings.iter();
        return Some(restamped(object, |meta| meta.owners.retain(|_| kept.next() == Some(&Standing::Lives))));
    }
    let in_turn = standings.contains(&Standing::Waits) && head.dependents(&meta.uid).next().is_some();
    let end = object.end(now);
    Some(Request::Delete {
        key: object.key().clone(),
        expect: Expect { version: Some(meta.version), uid: Some(meta.uid.clone()) },
        // Else its own finalizers say what becomes of what it owns.
        propagation: in_turn.then_some(Propagation::Foreground),
        grace_s: end.grace_s,
        at: end.at,
    })
}

fn standing<O: Object>(head: &Head<O>, owner: &OwnerOf<O>) -> Standing {
    let Some(key) = &owner.key else { return Standing::Lives };
    match head.get(key) {
        Some(found) if found.meta().uid != owner.uid => Standing::Gone,
        Some(found) if waits(&**found) => Standing::Waits,
        Some(_) => Standing::Lives,
        None => Standing::Gone,
    }
}

/// What it owns forgets it, one after the other; then the collector agrees.
fn orphan<O: Object>(head: &Head<O>, object: &Arc<O>) -> Option<Request<O>> {
    let uid = &object.meta().uid;
    Some(match head.dependents(uid).next() {
        Some(dependent) => restamped(dependent, |meta| meta.owners.retain(|owner| owner.uid != *uid)),
        None => without(object, &Finalizer::Orphan),
    })
}

/// Whether something that it owns has to go first.
///
/// What waits for the object itself, through whatever circle, is not waited for: nobody would begin.
fn is_blocked<O: Object>(head: &Head<O>, object: &Arc<O>) -> bool {
    blockers(head, object).any(|dependent| !waits_for(head, dependent, object.key()))
}

/// What the object waits for. Who names it by another place is judged by what is there, and would not go for it.
fn blockers<'a, O: Object>(head: &'a Head<O>, object: &'a Arc<O>) -> impl Iterator<Item = &'a Arc<O>> {
    let (key, uid) = (object.key(), &object.meta().uid);
    head.dependents(uid).filter(move |dependent| {
        let is_it = |owner: &OwnerOf<O>| owner.uid == *uid && owner.key.as_ref() == Some(key);
        dependent.meta().owners.iter().any(|owner| owner.blocks && is_it(owner))
    })
}

fn waits_for<O: Object>(head: &Head<O>, from: &Arc<O>, target: &O::Key) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    while let Some(object) = stack.pop() {
        if !waits(&**object) || !seen.insert(object.key()) {
            continue;
        }
        for blocker in blockers(head, object) {
            if blocker.key() == target {
                return true;
            }
            stack.push(blocker);
        }
    }
    false
}

/// The collector agrees that the object goes.
pub(crate) fn without<O: Object>(object: &Arc<O>, finalizer: &Finalizer<O::Mark>) -> Request<O> {
    restamped(object, |meta| meta.finalizers.retain(|other| other != finalizer))
}

fn restamped<O: Object>(object: &Arc<O>, edit: impl FnOnce(&mut MetaOf<O>)) -> Request<O> {
    let mut changed = O::clone(object);
    let mut meta = object.meta().clone();
    edit(&mut meta);
    let expect = Expect { version: Some(meta.version), uid: Some(meta.uid.clone()) };
    changed.stamp(meta);
    Request::Replace(changed, expect)
}
