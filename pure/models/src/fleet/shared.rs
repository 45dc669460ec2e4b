//! What systems share: the Cluster, of which each keeps what it goes by; and a namespace on it.

use super::{PLACEMENTS, UPDATES, UPGRADES, Whole};
use crate::harness::{Flat, State};
use crate::updates::world::{ABSENT, PLACED, World};
use crate::{placements, updates, upgrades};

/// The systems that go by the Cluster.
pub(super) const WITH_CLUSTER: [usize; 2] = [UPDATES, UPGRADES];
/// Its kind, in both.
pub(super) const CLUSTER_KIND: u8 = 2;

/// The place of the Cluster in a system.
pub(super) fn cluster_at(part: usize) -> Option<u8> {
    match part {
        UPDATES => Some(updates::names::CLUSTER),
        UPGRADES => Some(upgrades::names::CLUSTER),
        _ => None,
    }
}

/// The Cluster as it is, in the words of a system.
pub(super) fn cluster(part: usize, s: &State) -> Option<Flat> {
    s.truth()[usize::from(cluster_at(part)?)]
}

/// Whether a system has written to the Cluster.
pub(super) fn has_written(part: usize, before: &State, after: &State) -> bool {
    let version = |s: &State| cluster(part, s).map(|flat| flat.version);
    version(before) != version(after)
}

/// Where the Cluster is in one system, and in its words after another has written to it.
pub(super) fn as_seen_by(part: usize, s: &Whole, writer: usize) -> (u8, Flat) {
    let here = |part: usize| Some((cluster_at(part)?, cluster(part, &s.0[part])?));
    let (Some((slot, flat)), Some((_, written))) = (here(part), here(writer)) else {
        unreachable!("nobody deletes the Cluster")
    };
    let flat = if writer == UPGRADES {
        updates::names::with_upgrade(flat, upgrades::names::cluster_of(written).upgrade.is_some())
    } else {
        let is_updated = |cluster: bowline_updates::Cluster<_>| !cluster.updates.is_empty();
        upgrades::names::with_updates(flat, updates::names::cluster_of(written).is_some_and(is_updated))
    };
    (slot, flat)
}

/// Which of the places of a stack is a namespace that can be placed, too.
pub(super) const SPACE: usize = 1;

/// The syncer of the Cluster has made the namespace, or marked the one that is there; or has deleted it.
pub(super) fn place(before: &State, s: &mut Whole) {
    let (was, is) = (placements::is_on_first(before), placements::is_on_first(&s.0[PLACEMENTS]));
    if was == is {
        return;
    }
    let outside = &mut s.0[UPDATES].outside[0];
    let mut world = World::of(outside);
    world.places[SPACE] = if is { PLACED } else { ABSENT };
    *outside = world.note();
}
