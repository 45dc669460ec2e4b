//! Placements, volumes and targets in a few bytes.
//!
//! There is one namespace; its volumes and the targets are numbered from 1. Epochs, tenures and generations are compared, and never
//! more than a few are known: they are counted anew in every state (`rank.rs`). Nobody asks for volumes, they are there.

use std::collections::BTreeMap;

use bowline_control::{Millis, Version};
use bowline_placements::{
    By, Epoch, Fence, FenceState, FenceWish, Grant, Id, Mood, Names, Object, Phase, Placement, Recovery,
    Said, Target, TargetReport, TargetWish, Thing, Told, Use, UseState, Volume, Window, Wish,
};

use crate::harness::Flat;
use crate::tiny::{Tiny, Words};
use crate::upgrades::bits::{Pack, Unpack, from_bytes, to_bytes};

impl Names for Tiny {
    type Namespace = u8;
    type Target = u8;
    type Volume = u8;
    type Label = u8;
    type Uid = u8;
    type Text = Words;
}

/// The place of the namespace; those of its volumes are their numbers.
pub(crate) const PLACEMENT: u8 = 0;
/// How many volumes and targets there can be.
pub(crate) const VOLUMES: u8 = 2;
pub(crate) const TARGETS: u8 = 3;
/// Where the status begins, in bytes.
pub(super) const WANTED: usize = 1;
/// The finalizer.
const HELD: u8 = 1;
/// Since when a lease has lapsed, if it has; and for how long it may: whenever somebody looks, that is over.
pub(super) const LONG_AGO: Millis = Millis(0);
const SHORT: Millis = Millis(1);
/// Whenever somebody looks, the one is open and the other is shut: time passes when one takes the place of the other.
pub(super) const OPEN: Window = Window { days: 0, opens: 0, minutes: 24 * 60 };
pub(super) const SHUT: Window = Window { days: 1 << 4, opens: 0, minutes: 1 };
/// There is one restore at most.
pub(super) const RESTORE: u64 = 1;

/// The place of a target.
pub(crate) fn target_slot(number: u8) -> u8 {
    VOLUMES + number
}

pub(crate) type Part = Thing<u8, u8>;

/// The namespace itself.
pub(crate) const SPACE: Part = Thing::Namespace(0);

pub(crate) fn thing_slot(thing: &Part) -> u8 {
    match thing {
        Thing::Namespace(_) => PLACEMENT,
        Thing::Volume(volume) => *volume,
    }
}

fn grant_of(bits: &mut Unpack) -> Grant<Tiny> {
    let epoch = Epoch(bits.get(4).into());
    let mut users = BTreeMap::new();
    for target in 1..=TARGETS {
        let (state, epoch, fence, said) = (bits.get(2), bits.get(4), bits.get(3), bits.get(2));
        if state > 0 {
            let its = Use {
                epoch: Epoch(epoch.into()),
                fence: Epoch(fence.into()),
                state: UseState::ALL[usize::from(state) - 1],
                said: (said > 0).then(|| Said::ALL[usize::from(said) - 1]),
            };
            users.insert(target, its);
        }
    }
    let (is_open, awaits, restore) = (bits.flag(), bits.get(3), bits.get(1));
    let awaits = (1..=TARGETS).filter(|target| awaits >> (target - 1) & 1 == 1).collect();
    let recovering = is_open.then_some(Recovery { restore: RESTORE, awaits });
    Grant { epoch, users, recovering, restore: restore.into() }
}

fn put_grant(grant: &Grant<Tiny>, bits: &mut Pack) {
    bits.put(4, grant.epoch.0);
    for target in 1..=TARGETS {
        let its = grant.users.get(&target);
        bits.put(2, its.map_or(0, |its| its.state as u8 + 1));
        bits.put(4, its.map_or(0, |its| its.epoch.0));
        bits.put(3, its.map_or(0, |its| its.fence.0));
        bits.put(2, its.and_then(|its| its.said).map_or(0, |said| said as u8 + 1));
    }
    bits.put(1, grant.recovering.is_some());
    let awaits = grant.recovering.iter().flat_map(|recovery| &recovery.awaits);
    bits.put(3, awaits.map(|target| 1u8 << (target - 1)).sum::<u8>());
    bits.put(1, grant.restore);
}

pub(crate) fn placement_of(flat: Flat) -> Placement<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let (pinned, doomed) = (some(bits.get(2)), bits.flag());
    let window = [None, Some(OPEN), Some(SHUT)].get(usize::from(bits.get(2))).copied().flatten();
    let now_to = some(bits.get(2));
    bits.skip_to(8 * WANTED as u32);
    let desired = some(bits.get(2));
    let grant = grant_of(&mut bits);
    let (mood, phase, observed) = (bits.get(3), bits.get(3), bits.get(4));
    let told = (mood > 0).then(|| Told {
        phase: Phase::ALL[usize::from(phase)],
        mood: Mood::ALL[usize::from(mood) - 1],
        words: Words,
        observed: observed.into(),
    });
    Placement {
        name: 0,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        doomed,
        wish: Wish { pinned, window, now_to, ..Wish::default() },
        desired,
        grant,
        told,
    }
}

pub(crate) fn flat_placement(placement: &Placement<Tiny>) -> Flat {
    let mut bits = Pack::default();
    bits.put(2, placement.wish.pinned.unwrap_or(0));
    bits.put(1, placement.doomed);
    bits.put(2, placement.wish.window.map_or(0, |window| if window == OPEN { 1 } else { 2 }));
    bits.put(2, placement.wish.now_to.unwrap_or(0));
    bits.skip_to(8 * WANTED as u32);
    bits.put(2, placement.desired.unwrap_or(0));
    put_grant(&placement.grant, &mut bits);
    let told = placement.told.as_ref();
    bits.put(3, told.map_or(0, |told| told.mood as u8 + 1));
    bits.put(3, told.map_or(0, |told| told.phase as u8));
    bits.put(4, told.map_or(0, |told| told.observed));
    let meta = (placement.uid, placement.version, placement.deleting, placement.held);
    packed(&bits, meta, placement.generation as u8)
}

pub(crate) fn volume_of(name: u8, flat: Flat) -> Volume<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let (shared, abandoned, only) = (bits.flag(), bits.flag(), some(bits.get(2)));
    bits.skip_to(8 * WANTED as u32);
    let (described, unknown, destroyed) = (bits.flag().then_some(Words), bits.flag(), bits.flag());
    Volume {
        name,
        namespace: 0,
        uid: flat.uid,
        version: Version(flat.version.into()),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        shared,
        abandoned,
        only,
        described,
        unknown,
        destroyed,
        grant: grant_of(&mut bits),
    }
}

pub(crate) fn flat_volume(volume: &Volume<Tiny>) -> Flat {
    let mut bits = Pack::default();
    bits.put(1, volume.shared);
    bits.put(1, volume.abandoned);
    bits.put(2, volume.only.unwrap_or(0));
    bits.skip_to(8 * WANTED as u32);
    bits.put(1, volume.described.is_some());
    bits.put(1, volume.unknown);
    bits.put(1, volume.destroyed);
    put_grant(&volume.grant, &mut bits);
    packed(&bits, (volume.uid, volume.version, volume.deleting, volume.held), 0)
}

pub(crate) fn target_of(name: u8, flat: Flat) -> Target<Tiny> {
    let mut bits = Unpack::of(from_bytes(flat.body));
    let wish = TargetWish {
        drains: bits.flag(),
        enforces: bits.flag(),
        driver: bits.flag(),
        evicts: bits.flag().then_some(SHORT),
        fence: FenceWish::ALL[usize::from(bits.get(2))],
        ..TargetWish::default()
    };
    bits.skip_to(8 * WANTED as u32);
    let (state, epoch, by) = (bits.get(2), bits.get(3), bits.get(2));
    let fence = Fence {
        state: FenceState::ALL[usize::from(state)],
        epoch: Epoch(epoch.into()),
        by: By::ALL[usize::from(by)],
    };
    let lapsed = bits.flag().then_some(LONG_AGO);
    let restore = bits.get(1).into();
    let has_report = bits.flag();
    let (accepted, tenure, restored) = (bits.get(3), bits.get(3), bits.get(1));
    let mut uses = BTreeMap::new();
    for thing in things() {
        let epoch = bits.get(4);
        if epoch > 0 {
            uses.insert(thing, Epoch(epoch.into()));
        }
    }
    let ahead = bits.flag();
    let report = has_report.then(|| TargetReport {
        fence: Epoch(accepted.into()),
        tenure: tenure.into(),
        restore: restored.into(),
        uses,
        ahead,
    });
    Target {
        name,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: 0,
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        wish,
        fence,
        lapsed,
        restore,
        report,
        told: None,
    }
}

pub(crate) fn flat_target(target: &Target<Tiny>) -> Flat {
    let mut bits = Pack::default();
    bits.put(1, target.wish.drains);
    bits.put(1, target.wish.enforces);
    bits.put(1, target.wish.driver);
    bits.put(1, target.wish.evicts.is_some());
    bits.put(2, target.wish.fence as u8);
    bits.skip_to(8 * WANTED as u32);
    bits.put(2, target.fence.state as u8);
    bits.put(3, target.fence.epoch.0);
    bits.put(2, target.fence.by as u8);
    bits.put(1, target.lapsed.is_some());
    bits.put(1, target.restore);
    let report = target.report.as_ref();
    bits.put(1, report.is_some());
    bits.put(3, report.map_or(0, |report| report.fence.0));
    bits.put(3, report.map_or(0, |report| report.tenure));
    bits.put(1, report.map_or(0, |report| report.restore));
    for thing in things() {
        let epoch = report.and_then(|report| report.uses.get(&thing));
        bits.put(4, epoch.map_or(0, |epoch| epoch.0));
    }
    bits.put(1, report.is_some_and(|report| report.ahead));
    packed(&bits, (target.uid, target.version, target.deleting, target.held), 0)
}

fn packed(bits: &Pack, (uid, version, deleting, held): (u8, Version, bool, bool), generation: u8) -> Flat {
    Flat {
        uid,
        version: version.0 as u8,
        generation,
        deleting,
        finalizers: if held { HELD } else { 0 },
        owner: None,
        body: to_bytes(bits.bits()),
    }
}

/// Everything that can be granted.
pub(crate) fn things() -> impl Iterator<Item = Part> {
    std::iter::once(SPACE).chain((1..=VOLUMES).map(Thing::Volume))
}

pub(crate) fn object(slot: u8, flat: Flat) -> Object<Tiny> {
    match slot {
        PLACEMENT => Object::Placement(placement_of(flat)),
        volume if volume <= VOLUMES => Object::Volume(volume_of(volume, flat)),
        target => Object::Target(target_of(target - VOLUMES, flat)),
    }
}

pub(crate) fn flat(object: &Object<Tiny>) -> Flat {
    match object {
        Object::Placement(placement) => flat_placement(placement),
        Object::Volume(volume) => flat_volume(volume),
        Object::Target(target) => flat_target(target),
        Object::Claim(_) => unreachable!("nobody asks for volumes here"),
    }
}

pub(crate) fn id(slot: u8) -> Id<u8, u8, u8> {
    match slot {
        PLACEMENT => Id::Placement(0),
        volume if volume <= VOLUMES => Id::Volume(volume),
        target => Id::Target(target - VOLUMES),
    }
}

pub(crate) fn slot(id: &Id<u8, u8, u8>) -> u8 {
    match id {
        Id::Placement(_) => PLACEMENT,
        Id::Volume(volume) => *volume,
        Id::Target(target) => target_slot(*target),
        Id::Claim(..) => unreachable!("nobody asks for volumes here"),
    }
}

pub(crate) fn place_name(slot: u8) -> String {
    match slot {
        PLACEMENT => "placement".to_owned(),
        volume if volume <= VOLUMES => format!("volume {volume}"),
        target => format!("target {}", target - VOLUMES),
    }
}

pub(super) fn some(number: u8) -> Option<u8> {
    (number > 0).then_some(number)
}
