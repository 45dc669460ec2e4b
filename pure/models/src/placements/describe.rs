//! Placements, volumes and targets as people read them.

use bowline_placements::{Grant, Object};

use super::names::{SHUT, object};
use crate::harness::Flat;
use crate::tiny::Tiny;

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    match object(slot, *flat) {
        Object::Placement(placement) => format!(
            "wanted on {:?}{} doomed {} desired {:?} {} says {:?}",
            placement.wish.pinned,
            placement.wish.window.map_or_else(String::new, |window| format!(
                " shut {} now to {:?}",
                window == SHUT,
                placement.wish.now_to
            )),
            placement.doomed,
            placement.desired,
            grant(&placement.grant),
            placement.told.map(|told| (told.phase, told.mood, told.observed)),
        ),
        Object::Volume(volume) => format!(
            "described {} unknown {} destroyed {} abandoned {} shared {} only {:?} {}",
            volume.described.is_some(),
            volume.unknown,
            volume.destroyed,
            volume.abandoned,
            volume.shared,
            volume.only,
            grant(&volume.grant),
        ),
        Object::Target(target) => format!(
            "drains {} enforces {} driver {} evicts {} wants {:?}; {:?} epoch {} by {:?} lapsed {} restore {} reports {:?}",
            target.wish.drains,
            target.wish.enforces,
            target.wish.driver,
            target.wish.evicts.is_some(),
            target.wish.fence,
            target.fence.state,
            target.fence.epoch,
            target.fence.by,
            target.lapsed.is_some(),
            target.restore,
            target.report.map(|report| (
                report.fence.0,
                report.tenure,
                report.restore,
                report.uses,
                report.ahead
            )),
        ),
        Object::Claim(_) => String::new(),
    }
}

fn grant(grant: &Grant<Tiny>) -> String {
    let its = grant.users.iter().map(|(target, its)| {
        format!("{target}:{:?}@{} fence {} said {:?}", its.state, its.epoch, its.fence, its.said)
    });
    let awaits = grant.recovering.as_ref().map(|recovery| &recovery.awaits);
    let its = its.collect::<Vec<_>>().join(" ");
    format!("epoch {} [{its}] after restore {} awaits {awaits:?}", grant.epoch, grant.restore)
}
