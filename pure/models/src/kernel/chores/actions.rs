//! What can happen, and what comes of it.

use bowline_kernel::{Expect, Finalizer, Head, Owner, Propagation, Request};

use super::state::{BLOCKING, Cell, Decision, LAX, State, Undo, fresh_uid};
use super::{Action, Chores};
use crate::kernel::thing::{MARK, Thing};

const PROPAGATIONS: [Propagation; 3] =
    [Propagation::Background, Propagation::Foreground, Propagation::Orphan];

impl Chores {
    pub(super) fn list(&self, s: &State, out: &mut Vec<Action>) {
        self.list_clients(s, out);
        self.list_server(s, out);
        if s.undo.is_some() {
            out.push(Action::Refuse);
        }
        if s.restarts > 0 {
            out.push(Action::Restart);
        }
    }

    fn list_clients(&self, s: &State, out: &mut Vec<Action>) {
        let is_there = |slot: &u8| s.cell(*slot).is(Cell::THERE);
        for slot in self.slots().filter(is_there) {
            let cell = s.cell(slot);
            if s.deletes > 0 {
                out.extend(PROPAGATIONS.map(|how| Action::Delete(slot, how)));
            }
            if cell.is(Cell::GOING) && cell.is(Cell::MARK) {
                out.push(Action::Agree(slot));
            }
        }
        if s.writes == 0 {
            return;
        }
        for slot in self.slots() {
            // Who owns a namespace, or is owned by one, is not what is looked at here.
            let others = self.slots().filter(|other| *other != slot && !self.is_home(slot.min(*other)));
            let owners = others.filter(is_there);
            if is_there(&slot) {
                out.extend(owners.flat_map(|owner| {
                    let links =
                        [LAX, BLOCKING].into_iter().filter(move |link| s.cell(slot).link(owner) != *link);
                    links.map(move |link| Action::Adopt(slot, owner, link == BLOCKING))
                }));
            } else {
                out.push(Action::Create(slot, None));
                out.extend(owners.map(|owner| Action::Create(slot, Some(owner))));
            }
        }
    }

    fn list_server(&self, s: &State, out: &mut Vec<Action>) {
        if s.decision != Decision::None {
            out.push(Action::Perform);
            return;
        }
        let head = self.head(s);
        let mut settles = false;
        for slot in self.slots().filter(|slot| s.is_on_agenda(*slot)) {
            if self.look(&head, slot).is_some() {
                out.push(Action::Decide(slot));
            } else {
                settles = true;
            }
        }
        if settles {
            out.push(Action::Settle);
        }
    }

    pub(super) fn step(&self, before: &State, action: Action) -> State {
        let mut s = *before;
        let mut head = self.head(&s);
        match action {
            Action::Decide(slot) => {
                if let Some(request) = self.look(&head, slot) {
                    s.decide(&head, request);
                }
            }
            Action::Settle => {
                let idle = self.slots().filter(|slot| self.look(&head, *slot).is_none());
                s.agenda = idle.fold(s.agenda, |agenda, slot| agenda & !(1 << slot));
            }
            Action::Restart => {
                s.restarts -= 1;
                s.decision = Decision::None;
                s.undo = None;
                let loaded = (self.rules.load)(head.objects().cloned().collect());
                s.take(&loaded, false);
            }
            Action::Refuse => self.refuse(&mut s),
            Action::Perform => {
                let request = s.decided(|slot| self.place(slot));
                s.decision = Decision::None;
                // Whoever is refused leaves it at that: a chore is looked at again.
                let change = request.and_then(|request| (self.rules.perform)(&mut head, request).1);
                s.undo = s.undo.filter(|_| change.is_none());
                s.take(&head, false);
            }
            write => {
                s.deletes -= u8::from(matches!(write, Action::Delete(..)));
                s.writes -= u8::from(matches!(write, Action::Adopt(..) | Action::Create(..)));
                let request = self.request(&head, write);
                let change = request.and_then(|request| (self.rules.perform)(&mut head, request).1);
                if change.is_some() {
                    let undo = Undo { cells: s.cells, agenda: s.agenda, write };
                    s.undo = (s.refusals > 0).then_some(undo);
                }
                s.take(&head, s.decision != Decision::None);
            }
        }
        s
    }

    /// Takes a client's last write back, as the kernel does it: it is made again first.
    fn refuse(&self, s: &mut State) {
        let Some(Undo { cells, agenda, write }) = s.undo.take() else { return };
        let mut head = self.head(&State { cells, agenda, ..*s });
        let change =
            self.request(&head, write).and_then(|request| (self.rules.perform)(&mut head, request).1);
        for place in head.agenda().clone() {
            if !s.is_on_agenda(place.slot) {
                head.settled(&place);
            }
        }
        if let Some(change) = change {
            head.revert(&change);
        }
        s.refusals -= 1;
        if self.rules.reconsiders {
            s.decision = Decision::None;
        }
        s.take(&head, s.decision != Decision::None);
    }

    /// What a client asks for.
    fn request(&self, head: &Head<Thing>, write: Action) -> Option<Request<Thing>> {
        match write {
            Action::Delete(slot, how) => {
                let (key, expect, propagation) = (self.place(slot), Expect::anything(), Some(how));
                Some(Request::Delete { key, expect, propagation, grace_s: 0, at: () })
            }
            Action::Adopt(slot, owner, blocks) => self.adoption(head, slot, owner, blocks),
            Action::Create(slot, owner) => Some(self.creation(head, slot, owner)),
            Action::Agree(slot) => self.agreement(head, slot),
            _ => None,
        }
    }

    fn found(&self, head: &Head<Thing>, slot: u8) -> Option<Thing> {
        head.get(&self.place(slot)).map(|object| Thing::clone(object))
    }

    fn adoption(&self, head: &Head<Thing>, slot: u8, owner: u8, blocks: bool) -> Option<Request<Thing>> {
        let (mut thing, owner) = (self.found(head, slot)?, self.found(head, owner)?);
        thing.meta.owners.retain(|other| other.key != Some(owner.place));
        thing.meta.owners.push(Owner { key: Some(owner.place), uid: owner.meta.uid, blocks });
        let expect = Expect::version(thing.meta.version);
        Some(Request::Replace(thing, expect))
    }

    fn creation(&self, head: &Head<Thing>, slot: u8, owner: Option<u8>) -> Request<Thing> {
        let mut thing = Thing::new(self.place(slot), fresh_uid(slot), head.version(), 0);
        if self.is_home(slot) {
            thing.meta.finalizers.push(Finalizer::Contents);
        }
        if let Some(owner) = owner.and_then(|owner| self.found(head, owner)) {
            thing.meta.owners.push(Owner { key: Some(owner.place), uid: owner.meta.uid, blocks: true });
        }
        Request::Create(thing)
    }

    fn agreement(&self, head: &Head<Thing>, slot: u8) -> Option<Request<Thing>> {
        let mut thing = self.found(head, slot)?;
        thing.meta.finalizers.retain(|finalizer| *finalizer != MARK);
        let expect = Expect::version(thing.meta.version);
        Some(Request::Replace(thing, expect))
    }
}
