//! Stacks, updates and their cluster in a few bytes.
//!
//! Two stacks have places, three updates of the first and two of the second; both are on one cluster. Contents are numbered from
//! 1, and so are versions.

mod stacks;

use bowline_control::Version;
use bowline_updates::{
    Cluster, Deed, Id, Inventory, Names, Number, Object, Origin, Plan, Quota, Shown, Stack, Stage, Update,
};

use super::world;
use crate::harness::{BODY, Flat, padded};
use crate::tiny::{Tiny, Words};

impl Names for Tiny {
    type Stack = u8;
    type Cluster = u8;
    type Update = u8;
    type Uid = u8;
    type Digest = u8;
    type Text = Words;
    type Place = u8;
    type Body = u8;
    type Read = u8;
    type Tally = ();

    fn digest_of(inventory: &Inventory<Tiny>) -> u8 {
        encode(inventory)
    }

    fn digest_of_plan(deeds: &[Deed<Tiny>]) -> u8 {
        deeds.len() as u8
    }

    fn tally(_: &Plan<Tiny>) {}

    fn done((): &(), _: usize) -> u32 {
        0
    }

    fn is_shared(place: &u8) -> bool {
        *place == 1
    }

    fn place(_: &u8) -> String {
        String::new()
    }
}

/// The bits of an inventory, two for each place, and one that there is one.
fn encode(inventory: &Inventory<Tiny>) -> u8 {
    let bits = inventory.0.iter().map(|(place, origin)| {
        let code = match origin {
            Origin::Created => 1,
            Origin::Adopted(world::FOREIGN) => 2,
            Origin::Adopted(_) => 3,
        };
        code << (2 * place)
    });
    bits.sum::<u8>() | SOME
}

const SOME: u8 = 1 << 4;

pub(crate) fn decode(digest: u8) -> Inventory<Tiny> {
    let origin = |place: u8| {
        let origin = match digest >> (2 * place) & 3 {
            0 => return None,
            1 => Origin::Created,
            2 => Origin::Adopted(world::FOREIGN),
            _ => Origin::Adopted(world::EDITED),
        };
        Some((place, origin))
    };
    Inventory([0, 1].into_iter().filter_map(origin).collect())
}

/// Places.
pub(crate) const CLUSTER: u8 = 2;
/// The first update of each stack, and how many there are.
pub(crate) const UPDATES: [(u8, u8); 2] = [(3, 3), (6, 2)];

/// The stack and the number of an update's place.
pub(crate) fn update_at(slot: u8) -> Option<(u8, u8)> {
    let of = |(stack, (first, many)): (u8, (u8, u8))| {
        (first..first + many).contains(&slot).then(|| (stack, slot - first))
    };
    (0..).zip(UPDATES).find_map(of)
}

pub(crate) fn id(slot: u8) -> Id<u8, u8, u8> {
    match update_at(slot) {
        Some((stack, number)) => Id::Update(stack, number),
        None if slot == CLUSTER => Id::Cluster(0),
        None => Id::Stack(slot),
    }
}

pub(crate) fn slot(id: &Id<u8, u8, u8>) -> u8 {
    match *id {
        Id::Stack(stack) => stack,
        Id::Update(stack, number) => UPDATES[usize::from(stack)].0 + number,
        Id::Cluster(_) => CLUSTER,
    }
}

const HELD: u8 = 1;

const BLANK: Flat =
    Flat { uid: 0, version: 0, generation: 0, deleting: false, finalizers: 0, owner: None, body: [0; BODY] };

/// Of a stack: what is wanted of it, its phase, numbers, inventory, quarantine, three requests, what is told, and its attempt.
const WISH: usize = 0;
const PHASE: usize = 1;
const NUMBERS: usize = 2;
const INVENTORY: usize = 3;
const BAD: usize = 4;
const REQUESTS: usize = 5;
const TOLD: usize = 8;
pub(crate) const ATTEMPT: usize = 9;

const PAUSED: u8 = 1;
const REPAIRS: u8 = 2;
const DISCARDS: u8 = 4;
/// Bits 3 to 5: versions 1 to 3 are released.
const RELEASED: u8 = 2;

const RESUMED: u8 = 1 << 5;
pub(crate) const LED: u8 = 1 << 6;

/// Attempts are counted round.
pub(crate) const ROUND: u8 = 4;

pub(crate) fn stack(repairs: bool, discards: bool) -> Flat {
    let wish = if repairs { REPAIRS } else { 0 } | if discards { DISCARDS } else { 0 };
    Flat { generation: 1, body: padded([wish]), ..BLANK }
}

pub(crate) fn update(digest: u8, created: u8) -> Flat {
    Flat { body: padded([digest | created << 2]), ..BLANK }
}

/// Of a cluster's second byte, after three bits for each stack: 0, or one more than the attempt in which it has entered.
const UPGRADE: u8 = 1 << 6;
const UNREADY: u8 = 1 << 7;

pub(crate) const FREE: Flat = BLANK;

pub(crate) fn paused(flat: Flat) -> Flat {
    let mut body = flat.body;
    body[WISH] ^= PAUSED;
    Flat { body, ..flat }
}

pub(crate) fn released(flat: Flat, number: u8) -> Flat {
    let mut body = flat.body;
    body[WISH] |= 1 << (RELEASED + number);
    Flat { body, ..flat }
}

pub(crate) fn with_upgrade(flat: Flat, upgrade: bool) -> Flat {
    with_bit(flat, UPGRADE, upgrade)
}

pub(crate) fn with_readiness(flat: Flat, ready: bool) -> Flat {
    with_bit(flat, UNREADY, !ready)
}

fn with_bit(flat: Flat, bit: u8, on: bool) -> Flat {
    let mut body = flat.body;
    body[1] = if on { body[1] | bit } else { body[1] & !bit };
    Flat { body, ..flat }
}

/// An update with a status that nobody would write: it keeps its number, if it has one, since its schema says so.
pub(crate) fn spoiled(flat: Flat) -> Flat {
    Flat { body: padded([flat.body[0], flat.body[1] & !15 | coded(Stage::Queued)]), ..flat }
}

pub(crate) fn stack_of(slot: u8, flat: Flat) -> Option<Stack<Tiny>> {
    match object(slot, flat) {
        Object::Stack(stack) => Some(stack),
        _ => None,
    }
}

pub(crate) fn update_of(slot: u8, flat: Flat) -> Option<Update<Tiny>> {
    match object(slot, flat) {
        Object::Update(update) => Some(update),
        _ => None,
    }
}

pub(crate) fn cluster_of(flat: Flat) -> Option<Cluster<Tiny>> {
    match object(CLUSTER, flat) {
        Object::Cluster(cluster) => Some(cluster),
        _ => None,
    }
}

pub(crate) fn object(slot: u8, flat: Flat) -> Object<Tiny> {
    let version = Version(flat.version.into());
    let (uid, deleting) = (flat.uid, flat.deleting);
    if let Some((stack, name)) = update_at(slot) {
        let [wish, shown, ..] = flat.body;
        return Object::Update(Update {
            name,
            stack,
            uid,
            version,
            created: (wish >> 2).into(),
            deleting,
            digest: wish & 3,
            plan: None,
            shown: stage(shown & 15).map(|stage| Shown {
                number: number(shown >> 4),
                stage,
                tally: None,
                done: 0,
                words: Words,
            }),
        });
    }
    if slot == CLUSTER {
        let [paused, activity, ..] = flat.body;
        return Object::Cluster(Cluster {
            name: 0,
            uid,
            version,
            generation: 0,
            deleting,
            ready: activity & UNREADY == 0,
            why: Words,
            exposed: false,
            paused: paused > 0,
            quota: Quota { waiting: 1, hourly: 1 },
            updates: (0..2)
                .filter_map(|stack| Some((stack, u64::from((activity >> (3 * stack) & 7).checked_sub(1)?))))
                .collect(),
            upgrade: activity & UPGRADE != 0,
        });
    }
    Object::Stack(stacks::stack(slot, flat))
}

fn stage(code: u8) -> Option<Stage> {
    code.checked_sub(1).map(|code| Stage::ALL[usize::from(code)])
}

fn coded(stage: Stage) -> u8 {
    (1..).zip(Stage::ALL).find(|(_, known)| *known == stage).map_or(0, |(code, _)| code)
}

fn number(n: u8) -> Option<Number> {
    (n > 0).then_some(Number(n.into()))
}

pub(crate) fn flat(object: &Object<Tiny>) -> Flat {
    match object {
        Object::Update(update) => Flat {
            uid: update.uid,
            version: update.version.0 as u8,
            deleting: update.deleting,
            body: padded([
                update.digest | (update.created as u8) << 2,
                update.shown.as_ref().map_or(0, |shown| {
                    coded(shown.stage) | shown.number.map_or(0, |number| number.0 as u8) << 4
                }),
            ]),
            ..BLANK
        },
        Object::Cluster(cluster) => {
            let entry = |(stack, attempt): &(u8, u64)| (*attempt as u8 % ROUND + 1) << (3 * stack);
            let stacks: u8 = cluster.updates.iter().map(entry).sum();
            let upgrade = if cluster.upgrade { UPGRADE } else { 0 };
            let unready = if cluster.ready { 0 } else { UNREADY };
            Flat {
                uid: cluster.uid,
                version: cluster.version.0 as u8,
                deleting: cluster.deleting,
                body: padded([cluster.paused.into(), stacks | upgrade | unready]),
                ..BLANK
            }
        }
        Object::Stack(stack) => stacks::flat(stack),
    }
}

pub(crate) fn forget_epoch(slot: u8, flat: &mut Flat) {
    if slot < CLUSTER {
        flat.body[PHASE] &= !LED;
    }
}

pub(crate) fn inventory_of(flat: &Flat) -> u8 {
    flat.body[INVENTORY]
}

/// Counts the attempts of an object from others on.
pub(crate) fn shift_attempts(slot: u8, flat: &mut Flat, shifts: [u8; 2]) {
    if let Some(shift) = shifts.get(usize::from(slot)) {
        flat.body[ATTEMPT] = (flat.body[ATTEMPT] + shift) % ROUND;
    }
    if slot == CLUSTER {
        let entry = |stack: usize| {
            let attempt = (flat.body[1] >> (3 * stack) & 7).checked_sub(1);
            attempt.map_or(0, |attempt| ((attempt + shifts[stack]) % ROUND + 1) << (3 * stack))
        };
        flat.body[1] = flat.body[1] & (UPGRADE | UNREADY) | entry(0) | entry(1);
    }
}

pub(crate) fn place_name(slot: u8) -> String {
    match update_at(slot) {
        Some((stack, number)) => format!("{}{}", ["a", "b"][usize::from(stack)], number + 1),
        None if slot == CLUSTER => "cluster".to_owned(),
        None => ["a", "b"][usize::from(slot)].to_owned(),
    }
}
