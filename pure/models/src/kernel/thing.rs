//! The kernel's object as the models have it: a few bytes.

use bowline_kernel::{
    Change, Deletion, Finalizer, Head, Key, Meta, MetaOf, Object, Outcome, Request, Version,
};

/// What is watched together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Resource {
    /// A namespace.
    Namespace,
    /// What lives in the only namespace.
    Content,
    /// What lives in none.
    Plain,
    /// As `Plain`, and watched by itself.
    Other,
    /// As `Plain`, and somebody runs the first object of each place; somebody has to let go of the second.
    Run,
}

/// Where an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place {
    pub(super) resource: Resource,
    pub(super) slot: u8,
}

/// Where the namespace is that contents live in.
pub(super) const HOME: Place = Place { resource: Resource::Namespace, slot: 0 };

impl Key for Place {
    type Resource = Resource;

    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn home(&self) -> Option<Place> {
        (self.resource == Resource::Content).then_some(HOME)
    }
}

/// An object that says one number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thing {
    pub(super) place: Place,
    pub(super) meta: Meta<Place, u8, (), ()>,
    pub(super) value: u8,
}

/// The uid of the first object of a place.
pub(super) const FIRST: u8 = 1;
/// The uid of the one after it.
pub(super) const SECOND: u8 = 2;

/// The finalizer that somebody else has, whoever that is.
pub(super) const MARK: Finalizer<()> = Finalizer::Named(());

/// The deletion of an object that nobody has time to end.
pub(super) const DELETION: Deletion<()> = Deletion { at: (), grace_s: 0 };

impl Thing {
    pub(super) fn new(place: Place, uid: u8, version: Version, value: u8) -> Thing {
        let (generation, deletion) = (None, None);
        let meta = Meta { uid, version, generation, deletion, finalizers: Vec::new(), owners: Vec::new() };
        Thing { place, meta, value }
    }
}

impl Object for Thing {
    type Key = Place;
    type Uid = u8;
    type Mark = ();
    type Time = ();
    type Change = u8;
    type Refusal = ();

    fn key(&self) -> &Place {
        &self.place
    }

    fn meta(&self) -> &MetaOf<Thing> {
        &self.meta
    }

    fn stamp(&mut self, meta: MetaOf<Thing>) {
        self.meta = meta;
    }

    fn holder(&self) -> Option<Finalizer<()>> {
        (self.place.resource == Resource::Run && self.meta.uid == SECOND).then_some(MARK)
    }

    fn is_run(&self) -> bool {
        self.place.resource == Resource::Run && self.meta.uid == FIRST
    }

    fn same(&self, other: &Thing) -> bool {
        let said = |thing: &Thing| {
            let MetaOf::<Thing> { uid, deletion, finalizers, owners, .. } = thing.meta.clone();
            (thing.value, uid, deletion, finalizers, owners)
        };
        said(self) == said(other)
    }

    fn spec_differs(&self, other: &Thing) -> bool {
        self.value != other.value
    }

    fn apply(current: Option<&Thing>, change: &u8) -> Result<Thing, ()> {
        let current = current.ok_or(())?;
        Ok(Thing { value: *change, ..current.clone() })
    }
}

/// What a request comes to.
pub(super) type Performed = (Outcome<Thing>, Option<Change<Thing>>);

/// Performs a request by the rules as they are shipped.
pub(super) fn perform(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    head.perform(request)
}

/// The objects of a head, one of them edited: how a mutant lies to the kernel.
#[cfg(test)]
pub(super) fn edited(head: &Head<Thing>, place: Place, edit: impl Fn(&mut Thing)) -> Head<Thing> {
    let objects = head.objects().map(|object| {
        let mut thing = Thing::clone(object);
        if thing.place == place {
            edit(&mut thing);
        }
        std::sync::Arc::new(thing)
    });
    Head::load(head.version(), objects)
}
