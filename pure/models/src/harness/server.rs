//! The server: the kernel's own rules, on objects of a few bytes.

use std::sync::Arc;

use bowline_kernel::{
    Answer, Change, Expect, Head, Outcome, Propagation, Refusal, Request, Version, collector,
};

use super::flat::{Flat, GOING, Place, Post, Stored, Verb};
use super::state::{News, State};
use super::system::{Deed, Edit, Objects, System};

/// What a write came to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Came {
    Is(Flat),
    Gone,
    Outdated,
}

/// What a request does to the objects of a state.
pub(crate) struct Server<S: System> {
    head: Head<Stored>,
    truth: Objects,
    system: std::marker::PhantomData<S>,
}

impl<S: System> Server<S> {
    pub(crate) fn of(state: &State) -> Server<S> {
        let truth = state.truth();
        let objects = (0..).zip(truth).filter_map(|(slot, flat)| Some(Arc::new(stored::<S>(flat?, slot))));
        let version = Version(u64::from(state.next_version()) - 1);
        Server { head: Head::load(version, objects), truth, system: std::marker::PhantomData }
    }

    /// A controller's write.
    pub(crate) fn write(&mut self, post: Post, fresh_uid: u8) -> (Came, Option<News>) {
        let place = Place { kind: S::kind(post.slot), slot: post.slot };
        let expect = |read: Option<(u8, u8)>| Expect {
            uid: read.map(|(uid, _)| (post.slot, uid)),
            version: read.map(|(_, version)| Version(version.into())),
        };
        let request = match post.verb {
            Verb::Create => Request::Create(stored::<S>(Flat { uid: fresh_uid, ..post.object }, post.slot)),
            Verb::Change | Verb::Status => {
                let Some(current) = self.truth[usize::from(post.slot)] else { return (Came::Outdated, None) };
                // A server lets the one change all but the status, and the other the status alone.
                let (mut object, status) = match post.verb {
                    Verb::Status => (current, post.object),
                    _ => (post.object, current),
                };
                let wanted = S::wanted(post.slot);
                object.body[wanted..].copy_from_slice(&status.body[wanted..]);
                Request::Replace(stored::<S>(object, post.slot), expect(post.read))
            }
            Verb::Delete => delete(place, expect(post.read)),
        };
        self.perform(request)
    }

    /// What somebody else does.
    pub(crate) fn edit(&mut self, deed: Deed, fresh_uid: u8) -> Option<News> {
        let place = Place { kind: S::kind(deed.slot), slot: deed.slot };
        let request = match deed.what {
            Edit::Create(flat) => Request::Create(stored::<S>(Flat { uid: fresh_uid, ..flat }, deed.slot)),
            Edit::Replace(flat) => Request::Replace(stored::<S>(flat, deed.slot), Expect::anything()),
            Edit::Delete => delete(place, Expect::anything()),
            Edit::Outside(..) | Edit::Node(..) => return None,
        };
        self.perform(request).1
    }

    /// What the collector would do about an object.
    pub(crate) fn chore(&self, slot: u8) -> Option<Request<Stored>> {
        let object = self.head.get(&Place { kind: S::kind(slot), slot })?;
        collector::look(&self.head, object, &())
    }

    pub(crate) fn perform(&mut self, request: Request<Stored>) -> (Came, Option<News>) {
        let (outcome, change) = self.head.perform(request);
        (came(&outcome), change.map(|change| news(&change)))
    }
}

fn came(outcome: &Outcome<Stored>) -> Came {
    match outcome {
        Ok(Answer::Removed(_)) => Came::Gone,
        Ok(answer) => Came::Is(answer.object().flat()),
        Err(Refusal::Change(refusal)) => match *refusal {},
        Err(_) => Came::Outdated,
    }
}

fn news(change: &Change<Stored>) -> News {
    News { slot: change.key.slot, gone: change.removed, object: change.after.flat() }
}

fn stored<S: System>(flat: Flat, slot: u8) -> Stored {
    Stored::new(flat, slot, S::kind, S::wanted(slot))
}

fn delete(key: Place, expect: Expect<(u8, u8)>) -> Request<Stored> {
    Request::Delete {
        key,
        expect,
        propagation: Some(Propagation::Background),
        grace_s: GOING.grace_s,
        at: GOING.at,
    }
}
