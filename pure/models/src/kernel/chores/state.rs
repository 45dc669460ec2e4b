//! The state: objects that are a few bits each, an agenda, and what was decided.
//!
//! From a state the kernel's own `Head` is made for every step, and a state is made of what becomes of it.
//! Versions and uids are names that the head is given then: 1 for what has not changed since the decision,
//! more for what has.

use std::ops::Range;
use std::sync::Arc;

use bowline_explorer::Field;
use bowline_kernel::{Expect, Finalizer, Head, Owner, Propagation, Request, Version};

use super::Action;
use crate::kernel::thing::{DELETION, MARK, Place, Resource, Thing};

/// How many objects there can be.
pub(super) const CAPACITY: usize = 4;

/// One object, or that there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Cell(u32);

/// One bit of a cell.
#[derive(Clone, Copy)]
pub(super) struct Flag(u32);

/// What an object is to another.
pub(super) const LAX: u8 = 1;
pub(super) const BLOCKING: u8 = 2;

impl Cell {
    pub(super) const EMPTY: Cell = Cell(0);
    pub(super) const THERE: Flag = Flag(1);
    /// It is being deleted.
    pub(super) const GOING: Flag = Flag(1 << 1);
    pub(super) const FOREGROUND: Flag = Flag(1 << 2);
    pub(super) const ORPHAN: Flag = Flag(1 << 3);
    pub(super) const CONTENTS: Flag = Flag(1 << 4);
    /// A client holds it.
    pub(super) const MARK: Flag = Flag(1 << 5);
    /// It names an owner that is gone.
    pub(super) const DEAD: Flag = Flag(1 << 6);
    /// It has changed since the decision that is pending.
    pub(super) const LATE: Flag = Flag(1 << 7);
    /// It was made since the decision that is pending.
    pub(super) const REBORN: Flag = Flag(1 << 8);
    const LINKS: u32 = 16;

    pub(super) fn is(self, flag: Flag) -> bool {
        self.0 & flag.0 != 0
    }

    #[must_use]
    pub(super) fn with(self, flag: Flag, on: bool) -> Cell {
        Cell(if on { self.0 | flag.0 } else { self.0 & !flag.0 })
    }

    /// What the object at `slot` is to it: nothing, a lax owner, a blocking one.
    pub(super) fn link(self, slot: u8) -> u8 {
        (self.0 >> (Cell::LINKS + 2 * u32::from(slot)) & 3) as u8
    }

    #[must_use]
    pub(super) fn with_link(self, slot: u8, link: u8) -> Cell {
        let shift = Cell::LINKS + 2 * u32::from(slot);
        Cell(self.0 & !(3 << shift) | u32::from(link) << shift)
    }

    /// Without what is said of it only in view of a decision.
    #[must_use]
    pub(super) fn unmarked(self) -> Cell {
        self.with(Cell::LATE, false).with(Cell::REBORN, false)
    }

    /// Whether it goes only after what it owns.
    pub(super) fn waits(self) -> bool {
        self.is(Cell::GOING) && self.is(Cell::FOREGROUND) && !self.is(Cell::ORPHAN)
    }

    fn of(object: &Thing, uid_at: impl Fn(Place) -> Option<u8>) -> Cell {
        let meta = &object.meta;
        let mut cell = Cell::EMPTY.with(Cell::THERE, true).with(Cell::GOING, meta.deletion.is_some());
        for finalizer in &meta.finalizers {
            let flag = match finalizer {
                Finalizer::Foreground => Cell::FOREGROUND,
                Finalizer::Orphan => Cell::ORPHAN,
                Finalizer::Contents => Cell::CONTENTS,
                Finalizer::Named(()) => Cell::MARK,
            };
            cell = cell.with(flag, true);
        }
        for owner in &meta.owners {
            match owner.key.filter(|key| uid_at(*key) == Some(owner.uid)) {
                Some(key) => cell = cell.with_link(key.slot, if owner.blocks { BLOCKING } else { LAX }),
                None => cell = cell.with(Cell::DEAD, true),
            }
        }
        cell
    }

    fn thing(self, place: Place, at: impl Fn(u8) -> (Place, u8)) -> Thing {
        let version = Version(if self.is(Cell::LATE) { LATE } else { EARLY });
        let mut thing = Thing::new(place, uid(place.slot, self), version, 0);
        thing.meta.deletion = self.is(Cell::GOING).then_some(DELETION);
        let finalizers = [
            (Cell::MARK, MARK),
            (Cell::CONTENTS, Finalizer::Contents),
            (Cell::FOREGROUND, Finalizer::Foreground),
            (Cell::ORPHAN, Finalizer::Orphan),
        ];
        let held = finalizers.into_iter().filter(|(flag, _)| self.is(*flag));
        thing.meta.finalizers.extend(held.map(|(_, finalizer)| finalizer));
        if self.is(Cell::DEAD) {
            thing.meta.owners.push(Owner { key: Some(NOWHERE), uid: NOBODY, blocks: true });
        }
        for slot in (0..CAPACITY as u8).filter(|slot| self.link(*slot) != 0) {
            let (key, uid) = at(slot);
            thing.meta.owners.push(Owner { key: Some(key), uid, blocks: self.link(slot) == BLOCKING });
        }
        thing
    }
}

/// The version of what has not changed since the decision, of what has, and of the last change.
const EARLY: u64 = 1;
const LATE: u64 = 2;
const LAST: u64 = 3;

/// Where no object ever is, and an owner that is gone.
const NOWHERE: Place = Place { resource: Resource::Other, slot: 0 };
const NOBODY: u8 = 0;

/// Which of those that had the place: the second only while a decision about the first is pending.
fn uid(slot: u8, cell: Cell) -> u8 {
    slot + 1 + if cell.is(Cell::REBORN) { CAPACITY as u8 } else { 0 }
}

/// The uid of one that is made now.
pub(super) fn fresh_uid(slot: u8) -> u8 {
    slot + 1 + 2 * CAPACITY as u8
}

/// What was decided and is not yet performed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Decision {
    None,
    /// The object goes, by what its finalizers say, or in the foreground, or in the background.
    Delete {
        slot: u8,
        how: How,
        guarded: bool,
    },
    /// The object shall be like this. What it owns or belongs to is meant as it was.
    Replace {
        slot: u8,
        cell: Cell,
        guarded: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum How {
    AsItSays,
    Foreground,
    Background,
}

impl Decision {
    /// Which object it is about.
    pub(super) fn slot(self) -> Option<u8> {
        match self {
            Decision::None => None,
            Decision::Delete { slot, .. } | Decision::Replace { slot, .. } => Some(slot),
        }
    }
}

/// How it was before a client's last write, as long as that may be taken back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Undo {
    pub(super) cells: [Cell; CAPACITY],
    pub(super) agenda: u8,
    pub(super) write: Action,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(super) cells: [Cell; CAPACITY],
    pub(super) decision: Decision,
    pub(super) undo: Option<Undo>,
    /// The slots on the agenda.
    pub(super) agenda: u8,
    /// What clients may still do.
    pub(super) deletes: u8,
    pub(super) writes: u8,
    pub(super) restarts: u8,
    pub(super) refusals: u8,
}

impl State {
    pub(super) fn with_budgets([deletes, writes, restarts, refusals]: [u8; 4]) -> State {
        let (cells, decision) = ([Cell::EMPTY; CAPACITY], Decision::None);
        State { cells, decision, undo: None, agenda: 0, deletes, writes, restarts, refusals }
    }

    pub(super) fn cell(&self, slot: u8) -> Cell {
        self.cells[usize::from(slot)]
    }

    pub(super) fn is_on_agenda(&self, slot: u8) -> bool {
        self.agenda & 1 << slot != 0
    }

    /// The slots with an object.
    pub(super) fn there(&self) -> impl Iterator<Item = u8> + '_ {
        (0..CAPACITY as u8).filter(|slot| self.cell(*slot).is(Cell::THERE))
    }

    /// The kernel's objects, agenda included. What is on it without being due is taken off by that, as early as a
    /// server could: nothing may rest on its being there.
    pub(super) fn head(&self, place: impl Fn(u8) -> Place + Copy) -> Head<Thing> {
        let at = |slot| (place(slot), uid(slot, self.cell(slot)));
        let objects = self.there().map(|slot| Arc::new(self.cell(slot).thing(place(slot), at)));
        let mut head = Head::load(Version(LAST), objects);
        for slot in self.there().filter(|slot| !self.is_on_agenda(*slot)) {
            head.settled(&place(slot));
        }
        head
    }

    /// What is on the agenda of `head`.
    pub(super) fn agenda_of(&self, head: &Head<Thing>) -> u8 {
        head.agenda().iter().fold(0, |agenda, place| agenda | 1 << place.slot)
    }

    /// Takes over what became of the objects.
    pub(super) fn take(&mut self, head: &Head<Thing>, pending: bool) {
        let uid_at = |place: Place| head.get(&place).map(|object| object.meta.uid);
        let mut cells = [Cell::EMPTY; CAPACITY];
        for object in head.objects() {
            let slot = object.place.slot;
            let late = object.meta.version.0 > EARLY;
            let reborn = object.meta.uid != slot + 1;
            let cell = Cell::of(object, uid_at);
            cells[usize::from(slot)] =
                cell.with(Cell::LATE, pending && late).with(Cell::REBORN, pending && reborn);
        }
        self.cells = cells;
        self.agenda = self.agenda_of(head);
    }

    /// Remembers what was decided.
    pub(super) fn decide(&mut self, head: &Head<Thing>, request: Request<Thing>) {
        let guarded = |expect: &Expect<u8>| expect.version.is_some();
        let uid_at = |place: Place| head.get(&place).map(|object| object.meta.uid);
        self.decision = match request {
            Request::Delete { key, expect, propagation, .. } => {
                let how = match propagation {
                    None => How::AsItSays,
                    Some(Propagation::Foreground) => How::Foreground,
                    Some(_) => How::Background,
                };
                Decision::Delete { slot: key.slot, how, guarded: guarded(&expect) }
            }
            Request::Replace(thing, expect) => {
                let cell = Cell::of(&thing, uid_at);
                Decision::Replace { slot: thing.place.slot, cell, guarded: guarded(&expect) }
            }
            Request::Create(_) | Request::Apply(..) => unreachable!("no chore makes anything"),
        };
        // What was written before the decision and is taken back after it is not what was decided on.
        if let Some(undo) = &mut self.undo {
            for (cell, now) in undo.cells.iter_mut().zip(self.cells) {
                *cell = cell.unmarked();
                *cell = cell.with(Cell::LATE, *cell != now && cell.is(Cell::THERE));
            }
        }
    }

    /// The request that was decided.
    pub(super) fn decided(&self, place: impl Fn(u8) -> Place + Copy) -> Option<Request<Thing>> {
        // What was there when it was decided had the first uids.
        let at = |slot| (place(slot), slot + 1);
        let expect = |slot: u8, guarded: bool| Expect {
            version: guarded.then_some(Version(EARLY)),
            uid: Some(slot + 1),
        };
        Some(match self.decision {
            Decision::None => return None,
            Decision::Delete { slot, how, guarded } => Request::Delete {
                key: place(slot),
                expect: expect(slot, guarded),
                propagation: match how {
                    How::AsItSays => None,
                    How::Foreground => Some(Propagation::Foreground),
                    How::Background => Some(Propagation::Background),
                },
                grace_s: 0,
                at: (),
            },
            Decision::Replace { slot, cell, guarded } => {
                Request::Replace(cell.thing(place(slot), at), expect(slot, guarded))
            }
        })
    }

    /// Whether no other order of the slots in `range` gives a lesser state.
    pub(super) fn is_first_of_its_kind(&self, range: Range<u8>) -> bool {
        let mut order: Vec<u8> = (0..CAPACITY as u8).collect();
        self.is_least(&mut order, range.start, range.end)
    }

    fn is_least(&self, order: &mut Vec<u8>, at: u8, end: u8) -> bool {
        if at >= end {
            return self.cells <= self.permuted(order);
        }
        (at..end).all(|other| {
            order.swap(usize::from(at), usize::from(other));
            let least = self.is_least(order, at + 1, end);
            order.swap(usize::from(at), usize::from(other));
            least
        })
    }

    fn permuted(&self, order: &[u8]) -> [Cell; CAPACITY] {
        let mut cells = [Cell::EMPTY; CAPACITY];
        for (slot, to) in (0..).zip(order) {
            let from = self.cell(slot);
            let links =
                (0..).zip(order).fold(from, |cell, (other, to)| cell.with_link(*to, from.link(other)));
            cells[usize::from(*to)] = links;
        }
        cells
    }

    pub(super) fn fields(&self, objects: u8) -> Vec<Field> {
        let mut fields = Vec::new();
        for slot in 0..objects {
            fields.push(Field::new(name(slot), shown(self.cell(slot))));
        }
        let agenda: Vec<_> = (0..objects).filter(|slot| self.is_on_agenda(*slot)).map(name).collect();
        fields.push(Field::new("agenda", agenda.join(" ")));
        let decision = match self.decision {
            Decision::None => "-".to_owned(),
            Decision::Delete { slot, how, guarded } => {
                format!("delete {} {how:?}{}", name(slot), if guarded { "" } else { " unguarded" })
            }
            Decision::Replace { slot, cell, guarded } => {
                let guard = if guarded { "" } else { " unguarded" };
                format!("replace {} by {}{guard}", name(slot), shown(cell))
            }
        };
        fields.push(Field::new("decision", decision));
        let undo = self.undo.map_or_else(String::new, |undo| {
            let cells: Vec<_> = (0..objects).map(|slot| shown(undo.cells[usize::from(slot)])).collect();
            format!("{:?}: {} ({:b})", undo.write, cells.join("; "), undo.agenda)
        });
        fields.push(Field::new("undo", undo));
        let budgets = [
            ("deletes", self.deletes),
            ("writes", self.writes),
            ("restarts", self.restarts),
            ("refusals", self.refusals),
        ];
        fields.extend(budgets.map(|(name, left)| Field::new(name, left.to_string())));
        fields
    }
}

/// How people call the object at `slot`.
pub(super) fn name(slot: u8) -> String {
    char::from(b'a' + slot).to_string()
}

fn shown(cell: Cell) -> String {
    if !cell.is(Cell::THERE) {
        return if cell == Cell::EMPTY { "-".into() } else { "?".into() };
    }
    let flags = [
        (Cell::GOING, "going"),
        (Cell::FOREGROUND, "foreground"),
        (Cell::ORPHAN, "orphan"),
        (Cell::CONTENTS, "contents"),
        (Cell::MARK, "held"),
        (Cell::DEAD, "owned by the dead"),
        (Cell::LATE, "late"),
        (Cell::REBORN, "reborn"),
    ];
    let flags = flags.iter().filter(|(flag, _)| cell.is(*flag)).map(|(_, text)| (*text).to_owned());
    let links = (0..CAPACITY as u8)
        .filter(|slot| cell.link(*slot) != 0)
        .map(|slot| format!("owned by {}{}", name(slot), if cell.link(slot) == BLOCKING { "!" } else { "" }));
    let all: Vec<_> = ["there".to_owned()].into_iter().chain(flags).chain(links).collect();
    all.join(", ")
}
