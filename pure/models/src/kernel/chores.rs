//! The chores that nobody asks for: the garbage collector, and the emptying of namespaces.
//!
//! A few objects own each other in every way that there is; clients delete, adopt and create. The chores are
//! decided by one step and performed by a later one: what happens between makes a decision stale.
//!
//! A state has no versions and no uids: of a version counts only whether it is the one that was decided on, of a uid
//! whether it belongs to what is there (see [`state`]). Dead owners are all alike.

mod actions;
mod expected;
#[cfg(test)]
pub(super) mod mutants;
mod properties;
mod state;

use std::sync::Arc;

use bowline_explorer::{Class, Field, Model, Property};
use bowline_kernel::{Head, Propagation, Request, Version, collector, namespaces};

pub(super) use self::expected::EXPECTED;
use self::state::{CAPACITY, Cell, State};
use super::thing::{self, Performed, Place, Resource, Thing};
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, number};

const REFUSALS: SizeKey = number(
    "refusals",
    "how often the disk takes no more, so that a client's last write is taken back",
    0,
    (0, 3),
);

const fn restarts(default: u32) -> SizeKey {
    number("restarts", "how often the server restarts", default, (0, 3))
}

pub(crate) const COLLECTOR: Entry = Entry {
    name: "kernel/collector",
    about: "the hub's garbage collector: owners of every shape, deleted in every way, stale decisions",
    sizes: &[
        number("objects", "objects, which own each other in every way at the start", 3, (1, CAPACITY as u32)),
        number("deletes", "deletions that clients ask for", 1, (0, 5)),
        number("writes", "adoptions and creations by clients", 1, (0, 5)),
        number("held", "objects that a client holds by a finalizer at the start", 1, (0, CAPACITY as u32)),
        restarts(0),
        REFUSALS,
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Chores::collector(size, &SHIPPED))),
};

pub(crate) const NAMESPACES: Entry = Entry {
    name: "kernel/namespaces",
    about: "the deletion of one of the hub's namespaces, with what is in it and what wants to get in",
    sizes: &[
        number("contents", "objects in the namespace, which may own each other", 2, (1, CAPACITY as u32 - 1)),
        number("deletes", "deletions that clients ask for", 2, (0, 5)),
        number("writes", "adoptions and creations by clients", 2, (0, 5)),
        number("held", "objects that a client holds by a finalizer at the start", 1, (0, CAPACITY as u32)),
        restarts(1),
        REFUSALS,
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Chores::namespaces(size, &SHIPPED))),
};

/// What a server does of itself. Mutants have others.
pub(super) struct Rules {
    /// What is to be done about an object.
    pub(super) look: fn(&Head<Thing>, &Arc<Thing>) -> Option<Request<Thing>>,
    /// What a request comes to.
    pub(super) perform: fn(&mut Head<Thing>, Request<Thing>) -> Performed,
    /// The store after a restart.
    pub(super) load: fn(Vec<Arc<Thing>>) -> Head<Thing>,
    /// Whether what was decided is dropped when something is taken back that it may rest on.
    pub(super) reconsiders: bool,
}

pub(super) static SHIPPED: Rules = Rules { look, perform: thing::perform, load, reconsiders: true };

fn look(head: &Head<Thing>, object: &Arc<Thing>) -> Option<Request<Thing>> {
    collector::look(head, object, &()).or_else(|| namespaces::look(head, object, &()))
}

fn load(objects: Vec<Arc<Thing>>) -> Head<Thing> {
    Head::load(Version(0), objects)
}

/// The model at a size.
pub(super) struct Chores {
    objects: u8,
    /// Whether the first of the objects is a namespace, and the others live in it.
    namespaced: bool,
    deletes: u8,
    writes: u8,
    held: u8,
    restarts: u8,
    refusals: u8,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Action {
    /// A client deletes an object.
    Delete(u8, Propagation),
    /// A client makes the first belong to the second; whether that then waits for it.
    Adopt(u8, u8, bool),
    /// A client makes an object that belongs to another, or to none.
    Create(u8, Option<u8>),
    /// A client lets an object go that is being deleted.
    Agree(u8),
    /// The server looks at an object on the agenda, and sees what is to be done.
    Decide(u8),
    /// The server does it.
    Perform,
    /// The server takes off the agenda what there is nothing to do about.
    Settle,
    /// What a client wrote last cannot be made durable, and is taken back.
    Refuse,
    /// The server restarts. What was decided is lost, and the agenda is made anew.
    Restart,
}

impl Chores {
    pub(super) fn collector(size: &Size, rules: &'static Rules) -> Chores {
        Chores { objects: size.small("objects"), namespaced: false, ..Chores::sized(size, rules) }
    }

    pub(super) fn namespaces(size: &Size, rules: &'static Rules) -> Chores {
        Chores { objects: size.small("contents") + 1, namespaced: true, ..Chores::sized(size, rules) }
    }

    fn sized(size: &Size, rules: &'static Rules) -> Chores {
        let small = |key| size.small(key);
        Chores {
            objects: 0,
            namespaced: false,
            deletes: small("deletes"),
            writes: small("writes"),
            held: small("held"),
            restarts: small("restarts"),
            refusals: small("refusals"),
            rules,
        }
    }

    fn slots(&self) -> std::ops::Range<u8> {
        0..self.objects
    }

    fn place(&self, slot: u8) -> Place {
        let resource = match (self.namespaced, slot) {
            (false, _) => Resource::Plain,
            (true, 0) => Resource::Namespace,
            (true, _) => Resource::Content,
        };
        Place { resource, slot }
    }

    fn head(&self, s: &State) -> Head<Thing> {
        s.head(|slot| self.place(slot))
    }

    /// What is to be done about the object at `slot`.
    fn look(&self, head: &Head<Thing>, slot: u8) -> Option<Request<Thing>> {
        (self.rules.look)(head, head.get(&self.place(slot))?)
    }

    /// Objects that own each other in this way: every pair has one of three relations.
    fn graph(&self, mut code: u32) -> State {
        let mut s = State::with_budgets([self.deletes, self.writes, self.restarts, self.refusals]);
        for slot in self.slots() {
            let mut cell = Cell::EMPTY.with(Cell::THERE, true);
            if self.namespaced && slot == 0 {
                cell = cell.with(Cell::CONTENTS, true);
            }
            for other in self.slots().filter(|other| *other != slot && !self.is_home(slot.min(*other))) {
                cell = cell.with_link(other, (code % 3) as u8);
                code /= 3;
            }
            s.cells[usize::from(slot)] = cell;
        }
        s
    }

    fn is_home(&self, slot: u8) -> bool {
        self.namespaced && slot == 0
    }

    /// The initial states: every graph, with every choice of what is held, once of those that differ only in the
    /// order of the objects. (Nothing that is claimed names an object.)
    fn initial(&self) -> Vec<State> {
        let free = u32::from(self.objects) - u32::from(self.namespaced);
        let graphs = 3_u32.pow(free * (free - 1));
        let mut states = Vec::new();
        for (code, held) in
            (0..graphs).flat_map(|code| (0..1_u8 << self.objects).map(move |held| (code, held)))
        {
            if held.count_ones() > u32::from(self.held) {
                continue;
            }
            let mut s = self.graph(code);
            for slot in self.slots().filter(|slot| held & 1 << slot != 0) {
                let cell = &mut s.cells[usize::from(slot)];
                *cell = cell.with(Cell::MARK, true);
            }
            if s.is_first_of_its_kind(u8::from(self.namespaced)..self.objects) {
                s.agenda = s.agenda_of(&(self.rules.load)(self.head(&s).objects().cloned().collect()));
                states.push(s);
            }
        }
        states
    }
}

impl Catalogued for Chores {}

impl Model for Chores {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        self.initial()
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        self.list(s, out);
    }

    fn next(&self, s: &State, action: &Action) -> State {
        self.step(s, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    fn class(&self, action: &Action) -> Class {
        match action {
            Action::Decide(_) | Action::Perform | Action::Settle => Class::new(0),
            Action::Agree(slot) => Class::new(1 + u16::from(*slot)),
            _ => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let agree = self.slots().map(|slot| format!("Agree({})", state::name(slot)));
        ["Server".to_owned()].into_iter().chain(agree).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        let name = state::name;
        match *action {
            Action::Delete(slot, how) => format!("Delete({}, {how:?})", name(slot)),
            Action::Adopt(slot, owner, blocks) => {
                format!("Adopt({}, {}{})", name(slot), name(owner), if blocks { ", blocking" } else { "" })
            }
            Action::Create(slot, None) => format!("Create({})", name(slot)),
            Action::Create(slot, Some(owner)) => format!("Create({}, {})", name(slot), name(owner)),
            Action::Agree(slot) => format!("Agree({})", name(slot)),
            Action::Decide(slot) => format!("Server(decides about {})", name(slot)),
            Action::Perform => "Server(performs)".into(),
            Action::Settle => "Server(settles)".into(),
            Action::Refuse => "Refuse".into(),
            Action::Restart => "Restart".into(),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields(self.objects)
    }
}
