//! Pairs and halves in a few bytes.
//!
//! Three places belong to each pair, and one more for a half that has a name of its own: shipped code makes none.

use bowline_control::Version;
use bowline_sample::{Half, Id, Names, Object, Owner, Pair, Phase, Side, Status, Wait};

use crate::harness::{BODY, Flat, padded};
use crate::tiny::{Tiny, Words};

impl Names for Tiny {
    type Name = u8;
    type Uid = u8;
    type Text = Words;
}

/// Places of one instance: pair, left, right, another.
const EACH: u8 = 4;
/// What is added to a pair's name by a half that has a name of its own.
const ANOTHER: u8 = 100;
/// The finalizer.
const HELD: u8 = 1;

pub(crate) const NEW_PAIR: Flat =
    Flat { uid: 0, version: 0, generation: 1, deleting: false, finalizers: 0, owner: None, body: [0; BODY] };
pub(crate) const STRANGE_HALF: Flat = Flat { generation: 0, ..NEW_PAIR };

pub(crate) fn instance(slot: u8) -> u8 {
    slot / EACH
}

pub(crate) fn is_pair(slot: u8) -> bool {
    slot.is_multiple_of(EACH)
}

/// Whether a pair looks for its half here.
pub(crate) fn is_named_half(slot: u8) -> bool {
    matches!(slot % EACH, 1 | 2)
}

/// The places of an instance: its pair, its halves.
pub(crate) fn places(instance: u8) -> (usize, [usize; 2]) {
    let first = usize::from(instance * EACH);
    (first, [first + 1, first + 2])
}

/// The place where a half goes that has a name of its own.
#[cfg(test)]
pub(crate) fn another(slot: u8) -> u8 {
    instance(slot) * EACH + 3
}

pub(crate) fn id(slot: u8) -> Id<u8> {
    let name = instance(slot);
    match slot % EACH {
        0 => Id::Pair(name),
        1 => Id::Half(name, Side::Left),
        2 => Id::Half(name, Side::Right),
        _ => Id::Half(name + ANOTHER, Side::Left),
    }
}

pub(crate) fn slot(id: &Id<u8>) -> u8 {
    match id {
        Id::Pair(name) => name * EACH,
        Id::Half(name, _) if *name >= ANOTHER => (name - ANOTHER) * EACH + 3,
        Id::Half(name, side) => name * EACH + 1 + *side as u8,
    }
}

pub(crate) fn object(slot: u8, flat: Flat) -> Object<Tiny> {
    let (uid, version) = (flat.uid, Version(flat.version.into()));
    let [value, first, second, ..] = flat.body;
    match id(slot) {
        Id::Pair(name) => Object::Pair(Pair {
            name,
            uid,
            version,
            generation: flat.generation.into(),
            deleting: flat.deleting,
            held: flat.finalizers & HELD != 0,
            value: value.into(),
            status: Status { phase: phase(first), observed: second.into() },
        }),
        Id::Half(pair, side) => Object::Half(Half {
            pair,
            side,
            uid,
            version,
            deleting: flat.deleting,
            owner: flat.owner.map(|(slot, uid)| Owner { name: instance(slot), uid }),
            value: value.into(),
            ready: first > 0,
        }),
    }
}

pub(crate) fn flat(object: &Object<Tiny>) -> Flat {
    match object {
        Object::Pair(pair) => Flat {
            uid: pair.uid,
            version: pair.version.0 as u8,
            generation: pair.generation as u8,
            deleting: pair.deleting,
            finalizers: if pair.held { HELD } else { 0 },
            owner: None,
            body: padded([pair.value as u8, number(&pair.status.phase), pair.status.observed as u8]),
        },
        Object::Half(half) => Flat {
            uid: half.uid,
            version: half.version.0 as u8,
            generation: 0,
            deleting: half.deleting,
            finalizers: 0,
            owner: half.owner.as_ref().map(|owner| (owner.name * EACH, owner.uid)),
            body: padded([half.value as u8, u8::from(half.ready)]),
        },
    }
}

const PHASES: [Phase<Words>; 10] = [
    Phase::New,
    Phase::Ready,
    Phase::Failing(Words),
    Phase::Stalled(Words),
    Phase::Waiting(Wait::Ready(Side::Left)),
    Phase::Waiting(Wait::Ready(Side::Right)),
    Phase::Waiting(Wait::Gone(Side::Left)),
    Phase::Waiting(Wait::Gone(Side::Right)),
    Phase::Waiting(Wait::NameTaken(Side::Left)),
    Phase::Waiting(Wait::NameTaken(Side::Right)),
];

fn phase(number: u8) -> Phase<Words> {
    PHASES[usize::from(number)].clone()
}

fn number(phase: &Phase<Words>) -> u8 {
    (0..).zip(&PHASES).find(|(_, known)| *known == phase).map_or(0, |(number, _)| number)
}

pub(crate) fn is_ready(half: &Flat) -> bool {
    half.body[1] > 0
}

pub(crate) fn made_ready(half: Flat) -> Flat {
    Flat { body: padded([half.body[0], 1]), ..half }
}

/// With the other one of two values.
pub(crate) fn with_other_value(flat: Flat) -> Flat {
    let mut body = flat.body;
    body[0] = 1 - body[0];
    Flat { body, ..flat }
}

pub(crate) fn place_name(slot: u8) -> String {
    let name = ["a", "b"][usize::from(instance(slot))];
    let half = ["", "-left", "-right", "-another"][usize::from(slot % EACH)];
    format!("{name}{half}")
}

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    match object(slot, *flat) {
        Object::Pair(pair) => {
            format!("value {}, {:?} at generation {}", pair.value, pair.status.phase, pair.status.observed)
        }
        Object::Half(half) => {
            format!("value {}, {}", half.value, if half.ready { "ready" } else { "not ready" })
        }
    }
}

/// The place of a pair, by its name.
pub(crate) fn slot_of_pair(name: u8) -> u8 {
    name * EACH
}
