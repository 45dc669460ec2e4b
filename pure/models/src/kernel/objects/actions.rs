//! What comes of what happens.

use std::sync::Arc;

use bowline_kernel::{Expect, Head, Propagation, Request, Version};

use super::state::{Client, Counts, PLACE, State};
use super::{Action, Objects};
use crate::kernel::thing::{MARK, Thing};

impl Objects {
    pub(super) fn step(&self, before: &State, action: Action) -> State {
        let mut s = *before;
        match action {
            Action::Read(c) => {
                let client = &mut s.clients[usize::from(c)];
                *client = before.reading(*client);
            }
            Action::Update(c) => self.update(&mut s, c),
            Action::Commit => self.commit(&mut s),
            Action::Refuse => self.refuse(&mut s),
            Action::Restart => self.restart(&mut s),
            Action::Overwrite
            | Action::Create
            | Action::Delete
            | Action::Orphan
            | Action::Hold
            | Action::Release => {
                s.others -= 1;
                if let Some(request) = other(&mut s, action) {
                    self.write(&mut s, request);
                }
            }
        }
        s
    }

    /// Performs a request; whether it changed something.
    fn write(&self, s: &mut State, request: Request<Thing>) -> bool {
        let mut head = s.kernel_head();
        let (outcome, change) = (self.rules.perform)(&mut head, request);
        s.take(&head);
        if change.is_some() {
            s.batch[usize::from(s.pending)] = s.head;
            s.pending += 1;
        }
        if let Some(rest) = outcome.as_ref().ok().and_then(self.rules.rest) {
            self.write(s, rest);
        }
        change.is_some()
    }

    fn update(&self, s: &mut State, c: u8) {
        let Client::Has { version, counts } = s.clients[usize::from(c)] else { return };
        let counts = counts.counted(c, s.head.counts);
        let mut thing = s.head.thing().unwrap_or_else(|| Thing::new(PLACE, 0, Version(0), 0));
        thing.value = counts.0;
        let written = self.write(s, Request::Replace(thing, Expect::version(Version(version.into()))));
        let version = s.head_version;
        s.clients[usize::from(c)] = match (written, self.rules.answers_early) {
            // Who is refused reads again.
            (false, _) => Client::Idle,
            (true, false) => Client::Waits { version, counts },
            (true, true) => Client::Has { version, counts },
        };
        s.updates -= u8::from(written);
        if written && self.rules.answers_early {
            s.answered = s.answered.max(version);
        }
    }

    fn commit(&self, s: &mut State) {
        let mut view = s.kernel_view();
        s.changes().into_iter().for_each(|change| view.publish(change));
        s.take_durable(&view);
        s.drop_batch();
        for client in &mut s.clients {
            if let Client::Waits { version, counts } = *client {
                *client = Client::Has { version, counts };
                s.answered = s.answered.max(version);
            }
        }
    }

    fn refuse(&self, s: &mut State) {
        if self.rules.takes_back {
            let mut head = s.kernel_head();
            s.changes().iter().rev().for_each(|change| head.revert(change));
            s.take(&head);
        }
        s.drop_batch();
        fail_waiting(s);
    }

    fn restart(&self, s: &mut State) {
        s.restarts -= 1;
        let object = s.durable.thing();
        let kept = Version(s.durable_version.into());
        let version = (self.rules.counts_from)(kept, object.as_ref().map(|thing| thing.meta.version));
        s.take(&Head::load(version, object.map(Arc::new)));
        s.durable_version = s.head_version;
        s.drop_batch();
        fail_waiting(s);
    }
}

/// Who waits learns only that something went wrong.
fn fail_waiting(s: &mut State) {
    for client in s.clients.iter_mut().filter(|client| client.waits()) {
        *client = Client::Idle;
    }
}

/// What somebody asks for who has read nothing.
fn other(s: &mut State, action: Action) -> Option<Request<Thing>> {
    let thing = s.head.thing();
    Some(match action {
        Action::Create => {
            s.next_uid += 1;
            Request::Create(Thing::new(PLACE, s.next_uid - 1, Version(0), Counts::default().0))
        }
        Action::Delete => deletion(Propagation::Background),
        Action::Orphan => deletion(Propagation::Orphan),
        Action::Overwrite => {
            Request::Replace(Thing { value: Counts::default().0, ..thing? }, Expect::anything())
        }
        Action::Hold => {
            let mut thing = thing?;
            thing.meta.finalizers.push(MARK);
            Request::Replace(thing, Expect::anything())
        }
        Action::Release => {
            let mut thing = thing?;
            thing.meta.finalizers.clear();
            Request::Replace(thing, Expect::anything())
        }
        _ => return None,
    })
}

fn deletion(propagation: Propagation) -> Request<Thing> {
    let (expect, propagation) = (Expect::anything(), Some(propagation));
    Request::Delete { key: PLACE, expect, propagation, grace_s: 0, at: () }
}
