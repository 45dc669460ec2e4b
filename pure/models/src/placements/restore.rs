//! A hub that is restored from a backup, and who is kept from volumes meanwhile.
//!
//! There is one backup: what was there in the beginning. What is left of it when nothing else is, is how large the town is; that is kept
//! where nobody else keeps anything.

use bowline_control::Version;
use bowline_placements::{By, Epoch, FenceState, Grant, Object, Recovery};

use super::Town;
use super::names::{self, RESTORE as NUMBER, TARGETS, VOLUMES, target_slot};
use super::rank::{Of, greatest};
use super::shape::SHAPE;
use super::site::Site;
use crate::harness::{Action, Deed, Known, Note, Objects, Rules, SHIPPED, State, padded};
use crate::tiny::Tiny;

/// What the deed is called.
pub(super) const RESTORE: &str = "Restore";

/// Where the size of the town is kept: there is no second instance.
const BACKUP: usize = 1;

pub(super) static RULES: Rules = Rules { then, ..SHIPPED };

pub(super) fn backup(town: &Town) -> Note {
    let flags = u8::from(town.driver) | u8::from(town.enforces) << 1 | u8::from(town.chosen) << 2;
    Note { body: padded([town.targets, town.volumes, flags]), ..Note::default() }
}

fn objects(note: &Note) -> Objects {
    let [targets, volumes, flags, ..] = note.body;
    let town = Town {
        targets,
        volumes,
        driver: flags & 1 > 0,
        enforces: flags & 2 > 0,
        chosen: flags & 4 > 0,
        ..Town::blank(SHAPE)
    };
    town.at_first()
}

pub(super) fn then(_: &State, action: &Action, after: &mut State) {
    let Action::Deed(Deed { about, slot, .. }) = action else { return };
    match *about {
        RESTORE => restore(after),
        "Fence" | "FenceLate" | "Unfence" => block(after, *slot),
        _ => {}
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

/// The objects of the backup, marked, at a greater version than anybody knows; and a hub that starts with them.
fn restore(s: &mut State) {
    let (version, most) = (s.next_version(), greatest(s));
    let backup = objects(&s.outside[BACKUP]);
    let awaits: std::collections::BTreeSet<_> =
        (1..=TARGETS).filter(|target| backup[usize::from(target_slot(*target))].is_some()).collect();
    let mark = |slot: u8, grant: &mut Grant<Tiny>| {
        grant.epoch = Epoch(most(Of::Epoch(slot)) + 1);
        grant.recovering = Some(Recovery { restore: NUMBER, awaits: awaits.clone() });
    };
    for (slot, flat) in (0..).zip(backup) {
        s.shown[usize::from(slot)] = flat.map(|flat| {
            let mut object = names::object(slot, flat);
            match &mut object {
                Object::Placement(placement) => {
                    placement.version = Version(version.into());
                    mark(slot, &mut placement.grant);
                }
                Object::Volume(volume) => {
                    volume.version = Version(version.into());
                    mark(slot, &mut volume.grant);
                }
                Object::Target(target) => {
                    target.version = Version(version.into());
                    target.fence.epoch = Epoch(most(Of::Fence(target.name)) + 1);
                    target.restore = NUMBER;
                    if target.fence.state != FenceState::Open {
                        target.fence.state = FenceState::Requested;
                    }
                }
                Object::Claim(_) => {}
            }
            names::flat(&object)
        });
    }
    s.pending = Default::default();
    s.reached = [version; 3];
    s.keys = Default::default();
    s.keys[0] = Known { waits: true, ..Known::default() };
}
