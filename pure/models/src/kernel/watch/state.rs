//! The state: everything that was written, how much of it is durable, and what the watchers keep.

use std::sync::Arc;

use bowline_explorer::Field;
use bowline_kernel::{Change, Expect, Head, Propagation, Request, Version, View};

use crate::kernel::thing::{Place, Resource, Thing};

/// How many changes there can be.
pub(super) const HISTORY: usize = 7;
/// Two objects that are watched, and one that is not.
pub(super) const SLOTS: usize = 3;
pub(super) const WATCHED: usize = 2;
pub(super) const WATCHERS: usize = 2;

/// What a write does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    Create,
    Change,
    Remove,
}

/// A watcher, and what it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Watcher {
    /// It has seen all changes up to this version.
    pub(super) cursor: u8,
    /// The version of each object that is watched; 0 if there is none.
    pub(super) cache: [u8; WATCHED],
    /// It has to list: it was told that its version is too old, or it begins anew.
    pub(super) lists: bool,
    /// It was told something that it knew.
    pub(super) twice: bool,
}

impl Watcher {
    pub(super) fn new() -> Watcher {
        Watcher { cursor: 0, cache: [0; WATCHED], lists: false, twice: false }
    }

    pub(super) fn version(&self) -> Version {
        Version(self.cursor.into())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// What was written; the change at index `i` has the version `i + 1`.
    history: [Option<(u8, Op)>; HISTORY],
    /// The version up to which changes are made.
    pub(super) made: u8,
    /// The version up to which they are durable.
    pub(super) durable: u8,
    /// The version of the last restart.
    pub(super) loaded: u8,
    /// History of what is watched is kept from this version on.
    pub(super) start: u8,
    pub(super) watchers: [Watcher; WATCHERS],
    pub(super) losses: u8,
    pub(super) forgets: u8,
}

fn place(slot: u8) -> Place {
    let resource = if usize::from(slot) < WATCHED { Resource::Plain } else { Resource::Other };
    Place { resource, slot }
}

/// How people call the object at `slot`.
pub(super) fn name(slot: u8) -> String {
    char::from(b'a' + slot).to_string()
}

impl State {
    pub(super) fn new(losses: u8, forgets: u8) -> State {
        State {
            history: [None; HISTORY],
            made: 0,
            durable: 0,
            loaded: 0,
            start: 0,
            watchers: [Watcher::new(); WATCHERS],
            losses,
            forgets,
        }
    }

    /// The changes after one version, up to another.
    pub(super) fn changes(&self, after: u8, to: u8) -> impl Iterator<Item = (u8, u8, Op)> + '_ {
        (after..to).filter_map(|index| {
            let (slot, op) = self.history[usize::from(index)]?;
            Some((index + 1, slot, op))
        })
    }

    /// The version of each object, as of a version; 0 if there is none. This is the truth.
    pub(super) fn objects_at(&self, version: u8) -> [u8; SLOTS] {
        let mut objects = [0; SLOTS];
        for (version, slot, op) in self.changes(0, version) {
            objects[usize::from(slot)] = if op == Op::Remove { 0 } else { version };
        }
        objects
    }

    /// The kernel's head as of a version.
    fn head(&self, version: u8) -> Head<Thing> {
        let objects = self.objects_at(version);
        let there = (0..).zip(objects).filter(|(_, version)| *version != 0);
        let thing = |(slot, version): (u8, u8)| {
            Arc::new(Thing::new(place(slot), 1, Version(version.into()), version))
        };
        Head::load(Version(version.into()), there.map(thing))
    }

    /// The kernel's changes after a version, as its head makes them.
    fn made(&self, after: u8, to: u8) -> (Head<Thing>, Vec<Change<Thing>>) {
        let mut head = self.head(after);
        let mut changes = Vec::new();
        for (version, slot, op) in self.changes(after, to) {
            let key = place(slot);
            let thing = Thing::new(key, 1, Version(0), version);
            let request = match op {
                Op::Create => Request::Create(thing),
                Op::Change => Request::Replace(thing, Expect::anything()),
                Op::Remove => {
                    let (expect, propagation) = (Expect::anything(), Some(Propagation::Background));
                    Request::Delete { key, expect, propagation, grace_s: 0, at: () }
                }
            };
            changes.extend(head.perform(request).1);
        }
        (head, changes)
    }

    /// The kernel's view, shown changes up to a version.
    pub(super) fn view(&self, shown: u8) -> View<Thing> {
        let mut view = View::load(Version(self.loaded.into()), self.head(self.loaded).objects().cloned());
        for change in self.made(self.loaded, shown).1 {
            view.publish(change);
        }
        view.forget(&Resource::Plain, Version(self.start.into()));
        view
    }

    pub(super) fn write(&mut self, slot: u8, op: Op) {
        self.history[usize::from(self.made)] = Some((slot, op));
        self.made += 1;
    }

    /// Forgets what is not durable.
    pub(super) fn lose(&mut self) {
        self.history[usize::from(self.durable)..].fill(None);
        self.made = self.durable;
    }

    /// Takes back what is not durable, as the kernel's head does it; the rest of the state follows.
    pub(super) fn refuse(&mut self) {
        let (mut head, changes) = self.made(self.durable, self.made);
        changes.iter().rev().for_each(|change| head.revert(change));
        self.lose();
        self.made = head.version().0 as u8;
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let history = |from, to| -> String {
            let shown = |(version, slot, op)| format!("{version}:{op:?} {}", name(slot));
            self.changes(from, to).map(shown).collect::<Vec<_>>().join(", ")
        };
        let mut fields = vec![
            Field::new("durable", history(0, self.durable)),
            Field::new("pending", history(self.durable, self.made)),
            Field::new("loaded", self.loaded.to_string()),
            Field::new("start", self.start.to_string()),
        ];
        for (w, watcher) in (1..).zip(&self.watchers) {
            let cache = (0..).zip(watcher.cache).filter(|(_, version)| *version != 0);
            let cache: Vec<_> = cache.map(|(slot, version)| format!("{}@{version}", name(slot))).collect();
            let lists = if watcher.lists { ", lists" } else { "" };
            let twice = if watcher.twice { ", told twice" } else { "" };
            let text = format!("up to {}: {}{lists}{twice}", watcher.cursor, cache.join(" "));
            fields.push(Field::new(format!("w{w}"), text));
        }
        fields.push(Field::new("losses", self.losses.to_string()));
        fields.push(Field::new("forgets", self.forgets.to_string()));
        fields
    }
}
