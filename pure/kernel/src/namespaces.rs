//! A namespace that is being deleted: its contents go, then it does.

use std::sync::Arc;

use crate::collector;
use crate::head::Head;
use crate::object::{Finalizer, Object};
use crate::request::{Expect, Propagation, Request};

/// What is to be done about the namespace `home` now, if anything.
///
/// Nothing new comes into a namespace that goes ([`crate::Refusal::HomeGoes`]), so this ends as soon as
/// everybody has agreed to what they hold.
pub fn look<O: Object>(head: &Head<O>, home: &Arc<O>, now: &O::Time) -> Option<Request<O>> {
    let meta = home.meta();
    if meta.deletion.is_none() || !meta.has(&Finalizer::Contents) {
        return None;
    }
    // What is not being deleted comes first.
    let Some(next) = head.contents(home.key()).next() else {
        return Some(collector::without(home, &Finalizer::Contents));
    };
    if next.meta().deletion.is_some() {
        return None;
    }
    let end = next.end(now);
    Some(Request::Delete {
        key: next.key().clone(),
        expect: Expect::uid(next.meta().uid.clone()),
        propagation: Some(Propagation::Background),
        grace_s: end.grace_s,
        at: end.at,
    })
}
