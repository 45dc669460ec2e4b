//! The state: the object as it is durable and as it is written, what is between, and what clients remember.

use std::sync::Arc;

use bowline_explorer::Field;
use bowline_kernel::{Change, Finalizer, Head, Version, View};

use crate::kernel::thing::{DELETION, FIRST, MARK, Place, Resource, SECOND, Thing};

/// How many changes are made durable at once.
pub(super) const BATCH: usize = 2;
pub(super) const CLIENTS: usize = 2;
pub(super) const PLACE: Place = Place { resource: Resource::Run, slot: 0 };

/// What clients have counted, two bits each; and what was counted indeed, in the four bits above.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Counts(pub(super) u8);

impl Counts {
    pub(super) fn says(self) -> u8 {
        self.0 & 0xf
    }

    pub(super) fn is(self) -> u8 {
        self.0 >> 4
    }

    /// What a client that read `self` writes, if `truth` is what was counted so far.
    pub(super) fn counted(self, client: u8, truth: Counts) -> Counts {
        let one = 1 << (2 * client);
        Counts((self.says() + one) | ((truth.is() + one) << 4))
    }
}

/// The object, or that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Item {
    pub(super) there: bool,
    pub(super) going: bool,
    pub(super) held: bool,
    /// It is held by the collector.
    pub(super) orphans: bool,
    pub(super) uid: u8,
    pub(super) version: u8,
    pub(super) counts: Counts,
}

impl Item {
    fn of(object: Option<&Arc<Thing>>) -> Item {
        let Some(object) = object else { return Item::default() };
        Item {
            there: true,
            going: object.meta.deletion.is_some(),
            held: object.meta.has(&MARK),
            orphans: object.meta.has(&Finalizer::Orphan),
            uid: object.meta.uid,
            version: object.meta.version.0 as u8,
            counts: Counts(object.value),
        }
    }

    /// Whether somebody runs it.
    pub(super) fn is_run(self) -> bool {
        self.there && self.uid == FIRST
    }

    /// Whether it has a holder, who is asked when it is to go.
    pub(super) fn has_holder(self) -> bool {
        self.there && self.uid == SECOND
    }

    /// Whether anybody holds it.
    pub(super) fn is_held(self) -> bool {
        self.held || self.orphans
    }

    pub(super) fn thing(self) -> Option<Thing> {
        let mut thing = Thing::new(PLACE, self.uid, Version(self.version.into()), self.counts.0);
        thing.meta.deletion = self.going.then_some(DELETION);
        thing.meta.finalizers.extend(self.held.then_some(MARK));
        thing.meta.finalizers.extend(self.orphans.then_some(Finalizer::Orphan));
        self.there.then_some(thing)
    }
}

/// A client, and what it remembers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Client {
    Idle,
    /// It has read this, or was answered so.
    Has {
        version: u8,
        counts: Counts,
    },
    /// It has written this, and waits for the answer.
    Waits {
        version: u8,
        counts: Counts,
    },
}

impl Client {
    pub(super) fn has_read(self) -> bool {
        matches!(self, Client::Has { .. })
    }

    pub(super) fn waits(self) -> bool {
        matches!(self, Client::Waits { .. })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(super) durable: Item,
    pub(super) durable_version: u8,
    pub(super) head: Item,
    pub(super) head_version: u8,
    /// The object after each change that is not durable.
    pub(super) batch: [Item; BATCH],
    pub(super) pending: u8,
    pub(super) clients: [Client; CLIENTS],
    /// The greatest version that anybody was told that it is durable.
    pub(super) answered: u8,
    /// The uid of the next object.
    pub(super) next_uid: u8,
    pub(super) updates: u8,
    pub(super) others: u8,
    pub(super) restarts: u8,
}

impl State {
    pub(super) fn new(updates: u8, others: u8, restarts: u8) -> State {
        let item = Item { there: true, uid: FIRST, version: 1, ..Item::default() };
        State {
            durable: item,
            durable_version: 1,
            head: item,
            head_version: 1,
            batch: [Item::default(); BATCH],
            pending: 0,
            clients: [Client::Idle; CLIENTS],
            answered: 1,
            next_uid: SECOND,
            updates,
            others,
            restarts,
        }
    }

    pub(super) fn kernel_head(&self) -> Head<Thing> {
        Head::load(Version(self.head_version.into()), self.head.thing().map(Arc::new))
    }

    pub(super) fn kernel_view(&self) -> View<Thing> {
        View::load(Version(self.durable_version.into()), self.durable.thing().map(Arc::new))
    }

    /// The object as it was and as it became, by each change that is not durable.
    pub(super) fn steps(&self) -> impl Iterator<Item = (Item, Item)> {
        let after = &self.batch[..self.pending.into()];
        std::iter::once(&self.durable).chain(after).copied().zip(after.iter().copied())
    }

    /// What a client becomes that reads now: readers see what is durable.
    pub(super) fn reading(&self, client: Client) -> Client {
        if client.waits() {
            return client;
        }
        match self.kernel_view().get(&PLACE) {
            Some(object) => {
                let item = Item::of(Some(object));
                Client::Has { version: item.version, counts: item.counts }
            }
            None => Client::Idle,
        }
    }

    /// The kernel's changes that are not durable.
    pub(super) fn changes(&self) -> Vec<Change<Thing>> {
        let mut changes = Vec::new();
        for (version, (before, after)) in (u64::from(self.durable_version) + 1..).zip(self.steps()) {
            let removed = !after.there;
            let thing = |item: Item| item.thing().map(Arc::new);
            let last = if removed { thing(before) } else { thing(after) };
            // What comes and goes has been there.
            let Some(last) = last else { continue };
            let version = Version(version);
            changes.push(Change { version, key: PLACE, before: thing(before), after: last, removed });
        }
        changes
    }

    /// Takes over what became of the object.
    pub(super) fn take(&mut self, head: &Head<Thing>) {
        self.head = Item::of(head.get(&PLACE));
        self.head_version = head.version().0 as u8;
    }

    pub(super) fn take_durable(&mut self, view: &View<Thing>) {
        self.durable = Item::of(view.get(&PLACE));
        self.durable_version = view.version().0 as u8;
    }

    pub(super) fn drop_batch(&mut self) {
        self.batch = [Item::default(); BATCH];
        self.pending = 0;
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let mut fields = vec![
            Field::new("durable", format!("{} at {}", shown(self.durable), self.durable_version)),
            Field::new("head", format!("{} at {}", shown(self.head), self.head_version)),
        ];
        let batch: Vec<_> = self.batch[..self.pending.into()].iter().map(|item| shown(*item)).collect();
        fields.push(Field::new("batch", batch.join("; ")));
        for (c, client) in (1..).zip(self.clients) {
            let text = match client {
                Client::Idle => "idle".into(),
                Client::Has { version, counts } => format!("has {} at {version}", counted(counts)),
                Client::Waits { version, counts } => format!("wrote {} as {version}", counted(counts)),
            };
            fields.push(Field::new(format!("c{c}"), text));
        }
        let numbers = [
            ("answered", self.answered),
            ("next_uid", self.next_uid),
            ("updates", self.updates),
            ("others", self.others),
            ("restarts", self.restarts),
        ];
        fields.extend(numbers.map(|(name, number)| Field::new(name, number.to_string())));
        fields
    }
}

fn counted(counts: Counts) -> String {
    let pair = |bits: u8| format!("{}+{}", bits & 3, bits >> 2);
    format!("{} (of {})", pair(counts.says()), pair(counts.is()))
}

fn shown(item: Item) -> String {
    if !item.there {
        return "-".into();
    }
    let going = if item.going { ", going" } else { "" };
    let held = if item.held { ", held" } else { "" };
    let orphans = if item.orphans { ", orphans" } else { "" };
    format!("#{} @{} {}{going}{held}{orphans}", item.uid, item.version, counted(item.counts))
}
