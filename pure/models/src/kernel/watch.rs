//! What watchers see, while the server writes in batches, forgets history and restarts.
//!
//! Two watchers follow one resource of two; each keeps what it was told. All that ever became durable is part of
//! the state, so that it can be compared with what they keep.

mod expected;
#[cfg(test)]
pub(super) mod mutants;
mod properties;
mod state;

use bowline_explorer::{Class, Field, Model, Property};
use bowline_kernel::{Change, Expired, Version, View};

pub(super) use self::expected::EXPECTED;
use self::state::{HISTORY, Op, SLOTS, State, WATCHERS, Watcher};
use super::thing::{Resource, Thing};
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value};

pub(crate) const WATCH: Entry = Entry {
    name: "kernel/watch",
    about: "the hub's watches: batches that become durable or get lost, forgotten history, restarts",
    sizes: &[
        SizeKey {
            name: "writes",
            about: "changes to the objects",
            default: Value::Number(3),
            range: (1, HISTORY as u32),
        },
        SizeKey {
            name: "losses",
            about: "how often something gets lost: a connection, or what is written, by a full disk or a restart",
            default: Value::Number(1),
            range: (0, 3),
        },
        SizeKey {
            name: "forgets",
            about: "how often it forgets history",
            default: Value::Number(1),
            range: (0, 3),
        },
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(Watch::new(size, &SHIPPED))),
};

/// A change, if there is one.
type Next = Result<Option<Change<Thing>>, Expired>;

/// What is listed, and the version that it is said to be of.
type Listed = Result<(Vec<Thing>, Version), Expired>;

/// How a server serves watchers. Mutants do it otherwise.
pub(super) struct Rules {
    /// The first change after a version.
    next: fn(&View<Thing>, Version) -> Next,
    /// What is listed if this version is asked for.
    list: fn(&View<Thing>, Version) -> Listed,
    /// Up to which version changes are shown, of those that are durable and those that are made.
    shown: fn(durable: u8, made: u8) -> u8,
}

pub(super) static SHIPPED: Rules = Rules { next, list, shown: |durable, _| durable };

/// What is watched.
const WATCHED: Resource = Resource::Plain;

fn next(view: &View<Thing>, version: Version) -> Next {
    Ok(view.since(&WATCHED, version)?.next().cloned())
}

fn list(view: &View<Thing>, version: Version) -> Listed {
    let objects = view.at(&WATCHED, version)?;
    Ok((objects.values().map(|object| Thing::clone(object)).collect(), version))
}

/// The model at a size.
pub(super) struct Watch {
    writes: u8,
    losses: u8,
    forgets: u8,
    rules: &'static Rules,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// A client writes to an object.
    Write(u8, Op),
    /// What was written becomes durable, and is published.
    Commit,
    /// What was written cannot be made durable, and is taken back.
    Refuse,
    /// What was written and is not durable is lost, and so is the history.
    Restart,
    /// History up to a version is forgotten.
    Forget(u8),
    /// A watcher is told the next change, or that what it asks for is no longer there.
    Event(u8),
    /// A watcher is told that there is nothing up to now.
    Bookmark(u8),
    /// A watcher loses its connection, and begins anew.
    Reconnect(u8),
    /// A watcher lists, as of a version that is not older than what it knows.
    List(u8, u8),
}

impl Watch {
    pub(super) fn new(size: &Size, rules: &'static Rules) -> Watch {
        let small = |key| size.small(key);
        Watch { writes: small("writes"), losses: small("losses"), forgets: small("forgets"), rules }
    }

    fn shown(&self, s: &State) -> u8 {
        (self.rules.shown)(s.durable, s.made)
    }

    fn list_watcher(&self, s: &State, view: &View<Thing>, w: u8, out: &mut Vec<Action>) {
        let watcher = s.watchers[usize::from(w)];
        if watcher.lists {
            let from = watcher.cursor.max(s.start);
            out.extend((from..=self.shown(s)).map(|version| Action::List(w, version)));
            return;
        }
        if s.losses > 0 {
            out.push(Action::Reconnect(w));
        }
        match (self.rules.next)(view, watcher.version()) {
            Ok(None) if watcher.cursor < self.shown(s) => out.push(Action::Bookmark(w)),
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => out.push(Action::Event(w)),
        }
    }

    fn event(&self, s: &mut State, view: &View<Thing>, w: u8) {
        let watcher = &mut s.watchers[usize::from(w)];
        match (self.rules.next)(view, watcher.version()) {
            Ok(None) => {}
            Ok(Some(change)) => {
                watcher.twice |= change.version <= watcher.version();
                watcher.cursor = change.version.0 as u8;
                let kept = &mut watcher.cache[usize::from(change.key.slot)];
                *kept = if change.removed { 0 } else { change.after.meta.version.0 as u8 };
            }
            Err(Expired { .. }) => watcher.lists = true,
        }
    }

    fn relist(&self, s: &mut State, view: &View<Thing>, w: u8, version: u8) {
        let watcher = &mut s.watchers[usize::from(w)];
        if let Ok((objects, version)) = (self.rules.list)(view, Version(version.into())) {
            *watcher = Watcher::new();
            watcher.cursor = version.0 as u8;
            for object in objects {
                watcher.cache[usize::from(object.place.slot)] = object.meta.version.0 as u8;
            }
        }
    }
}

impl Catalogued for Watch {}

impl Model for Watch {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State::new(self.losses, self.forgets)]
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        if s.made < self.writes {
            for slot in 0..SLOTS as u8 {
                let there = s.objects_at(s.made)[usize::from(slot)] != 0;
                let ops: &[Op] = if there { &[Op::Change, Op::Remove] } else { &[Op::Create] };
                out.extend(ops.iter().map(|op| Action::Write(slot, *op)));
            }
        }
        if s.made > s.durable {
            out.push(Action::Commit);
        }
        if s.losses > 0 {
            out.extend((s.made > s.durable).then_some(Action::Refuse));
            out.push(Action::Restart);
        }
        if s.forgets > 0 {
            out.extend((s.start + 1..=s.durable).map(Action::Forget));
        }
        let view = s.view(self.shown(s));
        for w in 0..WATCHERS as u8 {
            self.list_watcher(s, &view, w, out);
        }
    }

    fn next(&self, before: &State, action: &Action) -> State {
        let mut s = *before;
        let view = s.view(self.shown(&s));
        match *action {
            Action::Write(slot, op) => s.write(slot, op),
            Action::Commit => s.durable = s.made,
            Action::Refuse => {
                s.losses -= 1;
                s.refuse();
            }
            Action::Restart => {
                s.losses -= 1;
                s.lose();
                s.loaded = s.durable;
                s.start = s.durable;
            }
            Action::Forget(version) => {
                s.forgets -= 1;
                s.start = version;
            }
            Action::Event(w) => self.event(&mut s, &view, w),
            Action::Reconnect(w) => {
                s.losses -= 1;
                s.watchers[usize::from(w)].lists = true;
            }
            Action::Bookmark(w) => s.watchers[usize::from(w)].cursor = self.shown(before),
            Action::List(w, version) => self.relist(&mut s, &view, w, version),
        }
        s
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }

    fn class(&self, action: &Action) -> Class {
        match action {
            Action::Commit => Class::new(0),
            Action::Event(w) | Action::Bookmark(w) | Action::List(w, _) => Class::new(1 + u16::from(*w)),
            _ => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        let watchers = (0..WATCHERS).map(|w| format!("Watcher(w{})", w + 1));
        ["Commit".to_owned()].into_iter().chain(watchers).collect()
    }

    fn action_name(&self, action: &Action) -> String {
        let watcher = |w: u8| format!("Watcher(w{}", w + 1);
        match *action {
            Action::Write(slot, op) => format!("Write({op:?} {})", state::name(slot)),
            Action::Commit => "Commit".into(),
            Action::Refuse => "Refuse".into(),
            Action::Restart => "Restart".into(),
            Action::Forget(version) => format!("Forget({version})"),
            Action::Event(w) => format!("{}, event)", watcher(w)),
            Action::Bookmark(w) => format!("{}, bookmark)", watcher(w)),
            Action::Reconnect(w) => format!("Reconnect(w{})", w + 1),
            Action::List(w, version) => format!("{}, list at {version})", watcher(w)),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        s.fields()
    }
}
