//! What the harness must know of a protocol: its controller, its objects in a few bytes, and who else is about.

use bowline_control::{Controller, Object, Verdict};
use bowline_explorer::Property;

use super::flat::{Flat, SLOTS};
use super::outside::{Note, Outside};
use super::state::{KEYS, NODES};
use super::{Fault, Harness, State};

type IdOf<S> = <<<S as System>::Controller as Controller>::Object as Object>::Id;
type KindOf<S> = bowline_control::KindOf<<<S as System>::Controller as Controller>::Object>;

/// A protocol, and the world that it is in.
pub(crate) trait System: Sync + Sized + 'static {
    /// What is explored. Its keys are counted from 0.
    type Controller: Controller<Key = u8, Object: Object<Uid = u8>>;

    /// What it calls; [`super::Nothing`] if it calls nothing.
    type Outside: Outside<Self>;

    /// How the budgets of what people and the world do are called, in the order of [`Deed::budget`].
    const BUDGETS: &'static [&'static str];

    /// What a fault can hit: every effect by name.
    const POINTS: &'static [&'static str];

    fn controller(&self) -> Self::Controller;

    /// The kinds, in the order of their numbers.
    fn kinds(&self) -> &'static [KindOf<Self>];

    /// How people call a kind, by its number.
    fn kind_name(&self, kind: u8) -> String {
        format!("{:?}", self.kinds()[usize::from(kind)])
    }

    /// The number of a place's kind.
    fn kind(slot: u8) -> u8;

    /// How many bytes of the body of an object of this place are what is wanted of it; the rest is its status.
    fn wanted(slot: u8) -> usize;

    fn id(slot: u8) -> IdOf<Self>;
    fn slot(id: &IdOf<Self>) -> u8;
    fn object(slot: u8, flat: Flat) -> <Self::Controller as Controller>::Object;
    fn flat(object: &<Self::Controller as Controller>::Object) -> Flat;

    /// The number in [`System::POINTS`] of what a turn does.
    fn point(
        verdict: &Verdict<<Self::Controller as Controller>::Step, <Self::Controller as Controller>::Wait>,
    ) -> u8;

    /// What is outside of each instance in the beginning.
    fn beginning(&self) -> [Note; KEYS] {
        [Note::default(); KEYS]
    }

    /// What the nodes are like in the beginning.
    fn nodes(&self) -> [u64; NODES] {
        [0; NODES]
    }

    /// A node as people read it; nothing if there is none.
    fn describe_node(_node: u64) -> String {
        String::new()
    }

    /// What calls see, where that follows from the nodes and not from what is outside of an instance. They cannot change it.
    fn seen_outside(_s: &State) -> Option<Note> {
        None
    }

    /// Whoever wrote an epoch into an object does not lead any more.
    fn forget_epoch(_slot: u8, _flat: &mut Flat) {}

    /// Whether a key's timer, when it goes off, has taken so long that what is remembered is old.
    fn ages(_s: &State, _key: u8) -> bool {
        true
    }

    /// And so long that no call arrives any more that was left behind before.
    fn outlasts(_s: &State, _key: u8) -> bool {
        false
    }

    /// Visits the uids in the body of an object, each with the place that it belongs to.
    fn each_uid_in(_slot: u8, _flat: &mut Flat, _visit: &mut dyn FnMut(u8, &mut u8)) {}

    /// The states that it begins in: what is there, and what is outside.
    fn beginnings(&self) -> Vec<(Objects, [Note; KEYS])> {
        vec![(self.objects(), self.beginning())]
    }

    /// Makes equal what nobody can tell apart, beside versions and uids.
    fn canonical(_s: &mut State) {}

    /// Whether a fault can hit an effect at all.
    fn can_hit(&self, _fault: Fault, _point: usize) -> bool {
        true
    }

    /// What people and others can do now.
    fn deeds(&self, objects: &Objects, s: &State, instances: u8, out: &mut Vec<Deed>);

    /// The objects that are there in the beginning.
    fn objects(&self) -> Objects {
        Objects::default()
    }

    fn properties(&self) -> Vec<Property<Harness<Self>>>;

    /// Whether there can be an object at a place, with so many instances.
    fn uses(&self, slot: u8, instances: u8) -> bool;

    /// How people call a place.
    fn place_name(slot: u8) -> String;

    /// An object as people read it.
    fn describe(slot: u8, flat: &Flat) -> String;

    /// What a property needs to know of what happened, beside the state: asked at every step.
    fn ghost(&self, _before: &State, _action: &super::Action, after: &State) -> u8 {
        after.ghost
    }
}

/// The objects of all places.
pub(crate) type Objects = [Option<Flat>; SLOTS];

/// What somebody does to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Deed {
    pub(crate) who: Who,
    pub(crate) what: Edit,
    pub(crate) slot: u8,
    pub(crate) about: &'static str,
}

/// Who does something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// A person, as often as the budget of this number allows.
    Person(u8),
    /// Somebody who is sure to do it.
    Runner,
    /// Somebody who should not: a fault.
    Drift,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edit {
    /// An object is made. Its uid, version and generation are the server's.
    Create(Flat),
    /// An object becomes this one. Its uid, version and generation are the server's.
    Replace(Flat),
    /// An object is deleted.
    Delete,
    /// What is outside of an instance becomes this.
    Outside(u8, Note),
    /// A node becomes this.
    Node(u8, u64),
}
