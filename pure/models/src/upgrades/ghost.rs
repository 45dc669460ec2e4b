//! What properties need to know of what happened before.

use bowline_upgrades::Phase;

use super::names::GROUP;
use super::properties::group;
use crate::harness::{Action, Deed, NODES, State};

/// What serves was changed to a version without a quorum, because there was no other way.
pub(super) const FORCED: u8 = 1 << NODES;

/// An upgrade was rolled back, and nothing else was wanted since.
pub(super) const FAILED: u8 = FORCED << 1;

/// The nodes that were struck, a bit for each: they went down, were cut off, failed, got sick or were deleted. And whether what serves was
/// changed without a quorum, until an upgrade is over; and whether what is wanted was rolled back.
pub(super) fn remembered(before: &State, action: &Action, after: &State) -> u8 {
    let strikes = ["GoDown", "CutOff", "Fail", "Sicken"];
    match action {
        Action::Deed(Deed { about, slot, .. }) if strikes.contains(about) => before.ghost | 1 << (slot - 1),
        Action::Deed(Deed { about: "Delete", slot, .. }) if *slot != GROUP => before.ghost | 1 << (slot - 1),
        Action::Deed(Deed { about: "Want", .. }) => before.ghost & !FAILED,
        Action::Deed(_) | Action::Show(_) | Action::Turn(_) | Action::Wake(_) => before.ghost,
        _ => {
            let (was, is) = (group(before).status, group(after).status);
            let lists = is.serving.and_then(|serving| is.lists.get(&serving));
            let is_at = |number: &u8| is.seats.get(number).map(|seat| seat.version) == is.serving;
            let has_all = lists
                .into_iter()
                .flatten()
                .all(|list| list.iter().filter(|number| is_at(number)).count() > list.len() / 2);
            let ghost = match (was.phase, is.phase) {
                (Phase::Initialized | Phase::Upgraded, Phase::RolledBack) => before.ghost | FAILED,
                (Phase::RolledBack, Phase::Upgraded) | (Phase::Inactive, Phase::Initialized) => {
                    before.ghost & !FAILED
                }
                _ => before.ghost,
            };
            match was.serving != is.serving {
                true if !has_all => ghost | FORCED,
                _ if has_all && is.hand.is_none() => ghost & !FORCED,
                _ => ghost,
            }
        }
    }
}
