//! A hub that is restored from a backup, and who is kept from volumes meanwhile.
//!
//! There is one backup: what was there in the beginning. What is left of it when nothing else is, is how large the town is; that is kept
//! where nobody else keeps anything.

use bowline_control::Version;
use bowline_placements::{By, Epoch, FenceState, Object, Restore};

use super::Town;
use super::names::{self, PLACEMENT, VOLUMES, thing_slot};
use super::rank::{Of, greatest};
use super::shape::SHAPE;
use super::site::Site;
use crate::harness::{Action, Deed, Known, Note, Rules, SHIPPED, State, padded};
use crate::tiny::Tiny;

/// What the deed is called; and that a target is marked after one of which nobody has told.
pub(super) const RESTORE: &str = "Restore";
pub(super) const RECOVER: &str = "Recover";

/// Where the size of the town is kept: there is no second instance.
const BACKUP: usize = 1;

pub(super) static RULES: Rules = Rules { then, ..SHIPPED };

pub(super) fn backup(town: &Town) -> Note {
    let flags = [town.driver, town.enforces, town.chosen, town.requested, town.behind];
    let flags = flags.iter().zip(0..).map(|(flag, bit)| u8::from(*flag) << bit).sum();
    Note { body: padded([town.targets, town.volumes, flags]), ..Note::default() }
}

fn town(note: &Note) -> Town {
    let [targets, volumes, flags, ..] = note.body;
    let is = |bit: u8| flags >> bit & 1 > 0;
    let (driver, enforces, chosen, requested, behind) = (is(0), is(1), is(2), is(3), is(4));
    Town { targets, volumes, driver, enforces, chosen, requested, behind, ..Town::blank(SHAPE) }
}

pub(super) fn then(before: &State, action: &Action, after: &mut State) {
    match action {
        Action::Deed(Deed { about: RESTORE, .. }) => restore(after, mark),
        Action::Deed(Deed { about: "Fence" | "FenceLate" | "Unfence", slot, .. }) => block(after, *slot),
        _ => raise(before, after),
    }
}

/// A fence that is in force keeps a target from its volumes, until it is begun to be taken down; one that is made of epochs does not.
fn block(s: &mut State, slot: u8) {
    let Some(flat) = s.truth()[usize::from(slot)] else { return };
    let fence = names::target_of(slot - VOLUMES, flat).fence;
    let node = &mut s.nodes[usize::from(slot - VOLUMES) - 1];
    let blocked = fence.state == FenceState::Fenced && fence.by != By::Epochs;
    *node = Site { blocked, ..Site::of(*node) }.bits();
}

/// Epochs that are raised because of a restore go on above all that anybody knows.
fn raise(before: &State, after: &mut State) {
    if before.people[usize::from(super::deeds::RESTORES)] > 0 {
        return;
    }
    let (was, is) = (before.truth(), after.truth());
    for slot in 0..is.len() as u8 {
        let at = usize::from(slot);
        let (Some(old), Some(new)) = (was[at], is[at]) else { continue };
        if old == new || knows_of(slot, old) == knows_of(slot, new) {
            continue;
        }
        let most = greatest(after);
        after.each_flat(|place, flat| {
            if place == slot && flat.version == new.version {
                let mut object = names::object(slot, *flat);
                match &mut object {
                    Object::Placement(placement) => {
                        placement.grant.epoch = Epoch(most(Of::Epoch(PLACEMENT)) + 1)
                    }
                    Object::Volume(volume) => volume.grant.epoch = Epoch(most(Of::Epoch(slot)) + 1),
                    Object::Target(target) => target.fence.epoch = Epoch(most(Of::Fence(target.name)) + 1),
                    Object::Claim(_) => {}
                }
                *flat = names::flat(&object);
            }
        });
    }
}

/// The restore that an object is marked by.
fn knows_of(slot: u8, flat: crate::harness::Flat) -> u64 {
    match names::object(slot, flat) {
        Object::Target(target) => target.restore,
        object => object.grant().map_or(0, |(_, grant)| grant.knows_of()),
    }
}

type Mark = fn(&Restore<Tiny>, &mut Object<Tiny>, Epoch);

fn mark(restore: &Restore<Tiny>, object: &mut Object<Tiny>, above: Epoch) {
    restore.mark(object, above);
}

/// The objects of the backup, marked unless nobody tells of it, at a greater version than anybody knows; and a hub that starts with them.
fn restore(s: &mut State, mark: Mark) {
    let (version, most) = (s.next_version(), greatest(s));
    let town = town(&s.outside[BACKUP]);
    let backup: Vec<_> =
        (0..).zip(town.at_first()).map(|(slot, flat)| Some(names::object(slot, flat?))).collect();
    let restore = Restore::of(backup.iter().flatten());
    for (slot, object) in (0_u8..).zip(backup) {
        s.shown[usize::from(slot)] = object.map(|mut object| {
            let above = match &object {
                Object::Target(target) => Of::Fence(target.name),
                object => Of::Epoch(object.grant().map_or(PLACEMENT, |(thing, _)| thing_slot(&thing))),
            };
            if !town.behind {
                mark(&restore, &mut object, Epoch(most(above)));
            }
            at(&mut object, Version(version.into()));
            names::flat(&object)
        });
    }
    s.pending = Default::default();
    s.reached = [version; 3];
    s.keys = Default::default();
    s.keys[0] = Known { waits: true, ..Known::default() };
}

fn at(object: &mut Object<Tiny>, version: Version) {
    match object {
        Object::Placement(placement) => placement.version = version,
        Object::Volume(volume) => volume.version = version,
        Object::Target(target) => target.version = version,
        Object::Claim(_) => {}
    }
}

/// A restore that does not raise epochs.
#[cfg(test)]
pub(super) static WITHOUT_JUMP: Rules = Rules { then: without_jump, ..SHIPPED };

#[cfg(test)]
fn without_jump(before: &State, action: &Action, after: &mut State) {
    match action {
        Action::Deed(Deed { about: RESTORE, .. }) => restore(after, |restore, object, above| {
            let was = object.clone();
            restore.mark(object, above);
            match (object, was) {
                (Object::Placement(is), Object::Placement(was)) => is.grant.epoch = was.grant.epoch,
                (Object::Volume(is), Object::Volume(was)) => is.grant.epoch = was.grant.epoch,
                _ => {}
            }
        }),
        _ => then(before, action, after),
    }
}
