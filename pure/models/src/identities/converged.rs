//! How an identity is in the end.

use bowline_identities::Mood;

use super::names::{self, ACCOUNTS, BAD, ROLE, TRUST};
use super::world::World;
use crate::harness::{Flat, State};

pub(super) fn is_stalled(key: u8, flat: Flat) -> bool {
    names::identity_of(key, flat).told.is_some_and(|told| told.mood == Mood::Stalled)
}

/// Whether an identity is in AWS as it is wanted, and so is its account; or it says what a person has to do.
pub(super) fn has_converged(s: &State, key: u8) -> bool {
    let truth = s.truth();
    let Some(flat) = truth[usize::from(key)].filter(|flat| !flat.deleting) else { return true };
    let identity = names::identity_of(key, flat);
    let world = World::of(&s.outside[usize::from(key)]);
    let says = |mood: Mood| {
        identity.told.as_ref().is_some_and(|told| told.mood == mood && told.observed == identity.generation)
    };
    let adopts = identity.wish.adopts;
    let is_foreign = !adopts && (world.is_their_policy() || world.is_their_role());
    let is_bounded = names::is_bounded(&identity);
    let cannot_be_bounded = is_bounded && world.unbound && !world.bounded;
    if names::document(&identity) == BAD || is_foreign || cannot_be_bounded {
        return says(Mood::Stalled);
    }
    let is_wanted = World {
        policy: names::document(&identity),
        role: TRUST,
        uids: [identity.uid; 2],
        others: world.others,
        attached: true,
        extras: 0,
        inline: false,
        bounded: is_bounded,
        unbound: world.unbound,
    };
    let account = truth[usize::from(ACCOUNTS + key)].map(|flat| names::account_of(key, flat));
    match account {
        _ if world != is_wanted => false,
        Some(account) if account.of.is_none() && !adopts => says(Mood::Stalled),
        Some(account) => {
            let is_its = account.of == Some((key, identity.uid)) && account.role == Some(ROLE);
            is_its && identity.status.ready && says(Mood::Well)
        }
        None => false,
    }
}
