//! Groups and members in a few bytes.
//!
//! There is one group, on a cluster or on none, and its members are numbered from 1, as are versions; devices are numbered from 0. Epochs and
//! generations are compared, and never more than a few are known: they are counted anew in every state (`rank.rs`).

use std::collections::BTreeMap;

use bowline_control::{Millis, Version};
use bowline_upgrades::{
    Answered, Cluster, Command, Condition, Desired, Duty, Epoch, Group, Hand, Id, Lists, Mastery, Member,
    Mood, Names, Object, OnCrash, Pair, Partitions, Phase, Report, Seat, SeatState, Status, Told, Verb, Wish,
};

use super::bits::{Pack, Unpack, from_bytes, to_bytes};
use crate::harness::{Flat, NODES};
use crate::tiny::{Tiny, Words};

impl Names for Tiny {
    type Group = u8;
    type Member = u8;
    type Version = u8;
    type Device = u8;
    type Cluster = u8;
    type Uid = u8;
    type Ticket = u8;
    type Text = Words;
}

/// The place of the group; those of its members are their numbers.
pub(crate) const GROUP: u8 = 0;
/// The place of the cluster that the group may be on.
pub(crate) const CLUSTER: u8 = NODES as u8 + 1;
/// Another group.
pub(super) const STRANGER: u8 = 1;
/// How many devices and partitions there can be.
pub(super) const DEVICES: u8 = 2;
pub(super) const PARTITIONS: usize = 2;
/// The finalizer.
const HELD: u8 = 1;
/// Where the status begins, in bytes.
pub(super) const GROUP_WANTED: usize = 3;
pub(super) const MEMBER_WANTED: usize = 4;
/// Bits of the number of an attempt. How often one was begun is of no importance, only which of them is meant.
const ATTEMPT: u32 = 2;
/// Some time.
const WHILE: Millis = Millis(1_000);
const ON_CRASH: [OnCrash; 3] = [OnCrash::NewVersion, OnCrash::Any, OnCrash::Never];
const SEAT: [SeatState; 3] = [SeatState::Present, SeatState::Crashed, SeatState::Lost];

const BLANK: Flat = Flat {
    uid: 1,
    version: 0,
    generation: 1,
    deleting: false,
    finalizers: HELD,
    owner: None,
    body: [0; crate::harness::BODY],
};

pub(crate) fn group_of(flat: Flat) -> Group<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let wish = wish_of(&mut bits);
    bits.skip_to(8 * GROUP_WANTED as u32);
    let (status, told) = status_of(&mut bits, &wish);
    Group {
        name: 0,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        wish,
        status,
        told,
    }
}

fn wish_of(bits: &mut Unpack) -> Wish<Tiny> {
    let automatic = bits.flag();
    let soak = bits.flag().then_some(WHILE);
    let on_crash = ON_CRASH[usize::from(bits.get(2))];
    let interrupts = bits.flag();
    let deadline = bits.flag().then_some(WHILE);
    let partitions = Partitions { count: bits.get(2).into(), size: bits.get(2).into() };
    let devices = (0..bits.get(2)).collect();
    let versions = (1..=2 + bits.get(1)).collect();
    let cluster = bits.flag().then_some(0);
    let version = some(bits.get(2));
    let (verb, member, ticket) = (bits.get(4), some(bits.get(3)), bits.get(1));
    let command = (verb > 0).then(|| Command { verb: Verb::ALL[usize::from(verb) - 1], member, ticket });
    let most_unavailable = 1;
    Wish {
        cluster,
        versions,
        version,
        automatic,
        soak,
        on_crash,
        most_unavailable,
        partitions,
        devices,
        interrupts,
        deadline,
        command,
    }
}

fn put_wish(wish: &Wish<Tiny>, bits: &mut Pack) {
    bits.put(1, wish.automatic);
    bits.put(1, wish.soak.is_some());
    bits.put(2, wish.on_crash as u8);
    bits.put(1, wish.interrupts);
    bits.put(1, wish.deadline.is_some());
    bits.put(2, wish.partitions.count);
    bits.put(2, wish.partitions.size);
    bits.put(2, wish.devices.len() as u8);
    bits.put(1, wish.versions.len() as u8 - 2);
    bits.put(1, wish.cluster.is_some());
    bits.put(2, wish.version.unwrap_or(0));
    let command = wish.command.as_ref();
    bits.put(4, command.map_or(0, |command| command.verb as u8 + 1));
    bits.put(3, command.and_then(|command| command.member).unwrap_or(0));
    bits.put(1, command.map_or(0, |command| command.ticket));
}

fn status_of(bits: &mut Unpack, wish: &Wish<Tiny>) -> (Status<Tiny>, Option<Told<Tiny>>) {
    let phase = Phase::ALL[usize::from(bits.get(2))];
    let (serving, old, forwarded) = (some(bits.get(2)), some(bits.get(2)), bits.flag());
    let pair = old.map(|old| Pair { old, new: old + 1 });
    let (member, moves, last) = (some(bits.get(3)), bits.flag(), some(bits.get(3)));
    let (answer, ticket) = (bits.get(2), bits.get(1));
    let (failed, failed_in) = (some(bits.get(2)), bits.get(4));
    let mut seats = BTreeMap::new();
    for number in 1..=NODES as u8 {
        let (version, state) = (bits.get(2), SEAT[usize::from(bits.get(2))]);
        if version > 0 {
            seats.insert(number, Seat { uid: 1, version, state });
        }
    }
    let hand = member.zip(pair.as_ref()).map(|(member, pair)| {
        let version = seats.get(&member).map_or(0, |seat: &Seat<Tiny>| seat.version);
        Hand { member, to: if moves { version } else { *pair.other(&version) }, moves }
    });
    let mut devices = BTreeMap::new();
    for device in 0..DEVICES {
        let (master, leaves, epoch) = (some(bits.get(3)), bits.flag(), Epoch(bits.get(4).into()));
        if epoch.0 > 0 {
            devices.insert(device, Mastery { master, epoch, leaves });
        }
    }
    let all: [[u8; PARTITIONS]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| bits.get(4)));
    let mut lists = BTreeMap::new();
    let first = pair.as_ref().map_or(serving, |pair| Some(pair.old));
    if let Some(version) = first.filter(|_| !seats.is_empty()) {
        lists.insert(version, lists_of(&all[0], wish.partitions.count));
    }
    if let Some(pair) = &pair {
        lists.insert(pair.new, lists_of(&all[1], wish.partitions.count));
    }
    let (mood, observed, attempt) = (bits.get(3), bits.get(4), bits.get(ATTEMPT));
    let told = (mood > 0).then(|| Told {
        mood: Mood::ALL[usize::from(mood) - 1],
        words: Words,
        observed: observed.into(),
    });
    let status = Status {
        phase,
        serving,
        pair,
        attempt: attempt.into(),
        seats,
        hand,
        last,
        lists,
        devices,
        failed: failed.map(|failed| (failed, failed_in.into())),
        forwarded,
        since: Millis(0),
        answered: (answer > 0).then(|| Answered { ticket, refused: (answer > 1).then_some(Words) }),
    };
    (status, told)
}

fn put_status(group: &Group<Tiny>, bits: &mut Pack) {
    let Group { status, told, .. } = group;
    bits.put(2, status.phase as u8);
    bits.put(2, status.serving.unwrap_or(0));
    bits.put(2, status.pair.as_ref().map_or(0, |pair| pair.old));
    bits.put(1, status.forwarded);
    bits.put(3, status.hand.as_ref().map_or(0, |hand| hand.member));
    bits.put(1, status.hand.as_ref().is_some_and(|hand| hand.moves));
    bits.put(3, status.last.unwrap_or(0));
    let answered = status.answered.as_ref();
    bits.put(2, answered.map_or(0, |answered| 1 + u8::from(answered.refused.is_some())));
    bits.put(1, answered.map_or(0, |answered| answered.ticket));
    let (failed, failed_in) = status.failed.unwrap_or((0, 0));
    bits.put(2, failed);
    bits.put(4, failed_in);
    for number in 1..=NODES as u8 {
        let seat = status.seats.get(&number);
        bits.put(2, seat.map_or(0, |seat| seat.version));
        bits.put(2, seat.map_or(0, |seat| seat.state as u8));
    }
    for device in 0..DEVICES {
        let mastery = status.devices.get(&device);
        bits.put(3, mastery.and_then(|mastery| mastery.master).unwrap_or(0));
        bits.put(1, mastery.is_some_and(|mastery| mastery.leaves));
        bits.put(4, mastery.map_or(0, |mastery| mastery.epoch.0));
    }
    let first = status.pair.as_ref().map_or(status.serving, |pair| Some(pair.old));
    let second = status.pair.as_ref().map(|pair| pair.new);
    for version in [first, second] {
        let lists = version.and_then(|version| status.lists.get(&version));
        put_lists(lists.map_or(&[], Lists::<Tiny>::as_slice), bits);
    }
    bits.put(3, told.as_ref().map_or(0, |told| 1 + told.mood as u8));
    bits.put(4, told.as_ref().map_or(0, |told| told.observed));
    // Nobody else asks which attempt it is.
    bits.put(ATTEMPT, group.wish.cluster.map_or(0, |_| status.attempt));
}

/// A cluster that nobody changes.
pub(super) const FREE: Flat = Flat { finalizers: 0, generation: 0, ..BLANK };

/// Of a group that is gone nothing is recorded.
pub(super) const GONE: Flat = Flat { deleting: true, ..FREE };

pub(crate) fn cluster_of(flat: Flat) -> Cluster<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let (updates, group, attempt) = (bits.flag(), some(bits.get(2)), bits.get(ATTEMPT + 1));
    Cluster {
        name: 0,
        uid: flat.uid,
        version: Version(flat.version.into()),
        deleting: flat.deleting,
        updates,
        upgrade: group.map(|group| (group - 1, attempt.into())),
    }
}

pub(super) fn flat_cluster(cluster: &Cluster<Tiny>) -> Flat {
    let mut bits = Pack::default();
    bits.put(1, cluster.updates);
    bits.put(2, cluster.upgrade.map_or(0, |(group, _)| group + 1));
    bits.put(ATTEMPT + 1, cluster.upgrade.map_or(0, |(_, attempt)| attempt));
    let (uid, version, deleting) = (cluster.uid, cluster.version.0 as u8, cluster.deleting);
    Flat { uid, version, deleting, body: to_bytes(bits.bits()), ..FREE }
}

pub(crate) fn with_updates(flat: Flat, updates: bool) -> Flat {
    Flat { body: flat_cluster(&Cluster { updates, ..cluster_of(flat) }).body, ..flat }
}

fn lists_of(masks: &[u8], count: u32) -> Lists<Tiny> {
    let members = |mask: u8| (1..=NODES as u8).filter(|number| mask >> (number - 1) & 1 == 1).collect();
    masks.iter().take(count as usize).map(|mask| members(*mask)).collect()
}

fn put_lists(lists: &[Vec<u8>], bits: &mut Pack) {
    for place in 0..PARTITIONS {
        let list = lists.get(place).map_or(&[][..], Vec::as_slice);
        bits.put(4, list.iter().fold(0u8, |mask, number| mask | 1 << (number - 1)));
    }
}

pub(crate) fn member_of(number: u8, flat: Flat) -> Member<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let (version, drains, fenced) = (some(bits.get(2)), bits.flag(), bits.flag());
    let duties: Vec<_> = (0..DEVICES).map(|device| (device, bits.flag(), bits.flag(), bits.get(4))).collect();
    let devices = duties.into_iter().filter(|(_, has, ..)| *has).map(|(device, _, leaves, epoch)| Duty {
        device,
        epoch: Epoch(epoch.into()),
        leaves,
    });
    let devices = devices.collect();
    let masks: [u8; PARTITIONS] = std::array::from_fn(|_| bits.get(4));
    let partitions = lists_of(&masks, bits.get(2).into());
    bits.skip_to(8 * MEMBER_WANTED as u32);
    let (some_report, ran, condition) = (bits.flag(), some(bits.get(2)), bits.get(4));
    let acts: Vec<_> = (0..DEVICES).map(|device| (device, Epoch(bits.get(4).into()))).collect();
    let observed = bits.get(4);
    let report = some_report.then(|| Report {
        observed: observed.into(),
        version: ran,
        condition: Condition::ALL[usize::from(condition)],
        devices: acts.into_iter().filter(|(_, epoch)| epoch.0 > 0).collect(),
        seen: Vec::new(),
        words: Words,
    });
    Member {
        name: number,
        group: 0,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        desired: Desired { version, drains, fenced, devices, partitions },
        report,
    }
}

pub(crate) fn flat_member(member: &Member<Tiny>) -> Flat {
    let Member { desired, report, .. } = member;
    let mut bits = Pack::default();
    bits.put(2, desired.version.unwrap_or(0));
    bits.put(1, desired.drains);
    bits.put(1, desired.fenced);
    for device in 0..DEVICES {
        let duty = desired.devices.iter().find(|duty| duty.device == device);
        bits.put(1, duty.is_some());
        bits.put(1, duty.is_some_and(|duty| duty.leaves));
        bits.put(4, duty.map_or(0, |duty| duty.epoch.0));
    }
    put_lists(&desired.partitions, &mut bits);
    bits.put(2, desired.partitions.len() as u8);
    bits.skip_to(8 * MEMBER_WANTED as u32);
    bits.put(1, report.is_some());
    bits.put(2, report.as_ref().and_then(|report| report.version).unwrap_or(0));
    let condition = report.as_ref().map(|report| report.condition);
    let place = Condition::ALL.iter().position(|known| Some(*known) == condition).unwrap_or(0);
    bits.put(4, place as u8);
    for device in 0..DEVICES {
        let acts = report.as_ref().and_then(|report| report.devices.iter().find(|(acts, _)| *acts == device));
        bits.put(4, acts.map_or(0, |(_, epoch)| epoch.0));
    }
    bits.put(4, report.as_ref().map_or(0, |report| report.observed));
    Flat {
        uid: member.uid,
        version: member.version.0 as u8,
        generation: member.generation as u8,
        deleting: member.deleting,
        finalizers: if member.held { HELD } else { 0 },
        body: to_bytes(bits.bits()),
        ..BLANK
    }
}

pub(crate) fn flat_group(group: &Group<Tiny>) -> Flat {
    let mut bits = Pack::default();
    put_wish(&group.wish, &mut bits);
    bits.skip_to(8 * GROUP_WANTED as u32);
    put_status(group, &mut bits);
    Flat {
        uid: group.uid,
        version: group.version.0 as u8,
        generation: group.generation as u8,
        deleting: group.deleting,
        finalizers: if group.held { HELD } else { 0 },
        body: to_bytes(bits.bits()),
        ..BLANK
    }
}

pub(crate) fn object(slot: u8, flat: Flat) -> Object<Tiny> {
    match slot {
        GROUP => Object::Group(group_of(flat)),
        CLUSTER => Object::Cluster(cluster_of(flat)),
        number => Object::Member(member_of(number, flat)),
    }
}

pub(crate) fn flat(object: &Object<Tiny>) -> Flat {
    match object {
        Object::Group(group) => flat_group(group),
        Object::Member(member) => flat_member(member),
        Object::Cluster(cluster) => flat_cluster(cluster),
    }
}

pub(crate) fn id(slot: u8) -> Id<u8, u8, u8> {
    match slot {
        GROUP => Id::Group(0),
        CLUSTER => Id::Cluster(0),
        number => Id::Member(0, number),
    }
}

pub(crate) fn slot(id: &Id<u8, u8, u8>) -> u8 {
    match id {
        Id::Group(_) => GROUP,
        Id::Member(_, number) => *number,
        Id::Cluster(_) => CLUSTER,
    }
}

pub(crate) fn place_name(slot: u8) -> String {
    match slot {
        GROUP => "group".to_owned(),
        CLUSTER => "cluster".to_owned(),
        number => format!("member {number}"),
    }
}

pub(super) fn some(number: u8) -> Option<u8> {
    (number > 0).then_some(number)
}
