//! The normal form: what nobody can tell apart is equal.
//!
//! Versions are opaque: they are compared, for equality by guards and for order by caches. So those that are pending are
//! named by where they stand in the log of their kind, the one that is shown has a name of its own, and a request that
//! rests on any other is outdated, whichever that was. Uids are counted anew in each place.

use super::flat::{KINDS, SLOTS};
use super::state::{LAG, Need, State};
use super::system::System;

/// A version that no object has any more.
const PAST: u8 = 1;
/// The version of an object that is shown.
const SHOWN: u8 = 2;
/// How far a kind was shown, if that is further than any object says.
const REACHED: u8 = 3;
/// A version that nothing pending brings, and that the cache does not know to have reached.
const MISSED: u8 = 4;
/// The versions of what is pending, in order.
const PENDING: u8 = 5;

pub(crate) fn normal<S: System>(mut s: State) -> State {
    drop_what_is_met::<S>(&mut s);
    name_versions::<S>(&mut s);
    name_uids::<S>(&mut s);
    S::canonical(&mut s);
    s
}

/// What is reached is not awaited any more: the key has been told.
fn drop_what_is_met<S: System>(s: &mut State) {
    let (shown, reached) = (s.shown, s.reached);
    for known in &mut s.keys {
        let met = match known.need {
            Need::Nothing | Need::Look(_) => false,
            Need::Gone { slot, uid } => shown[usize::from(slot)].is_none_or(|flat| flat.uid != uid),
            Need::At { slot, uid, version } => match shown[usize::from(slot)] {
                Some(flat) if flat.version >= version => true,
                Some(flat) if flat.uid == uid => false,
                _ => reached[usize::from(S::kind(slot))] >= version,
            },
        };
        if met {
            assert!(known.waits, "what a key waits for has come, and nobody has told it");
            known.need = Need::Nothing;
            known.after = None;
        }
    }
}

fn name_versions<S: System>(s: &mut State) {
    let mut old = [[0; LAG]; KINDS];
    for (kind, pending) in s.pending.iter().enumerate() {
        for (place, news) in pending.iter().enumerate() {
            old[kind][place] = news.map_or(0, |news| news.object.version);
        }
    }
    let shown = s.shown;
    // In which order the names stand is all that counts of versions that are compared.
    let rename = |slot: u8, version: u8, other: u8| {
        let pending = old[usize::from(S::kind(slot))].iter().position(|old| *old == version && version > 0);
        match pending {
            Some(place) => PENDING + place as u8,
            None if shown[usize::from(slot)].is_some_and(|flat| flat.version == version) => SHOWN,
            None => other,
        }
    };
    for post in s.posts() {
        if let Some((_, version)) = &mut post.read {
            *version = rename(post.slot, *version, PAST);
        }
        // A write carries the version that it was made of, and nobody reads that.
        post.object.version = 0;
    }
    for known in &mut s.keys {
        if let Need::At { slot, version, .. } = &mut known.need {
            *version = rename(*slot, *version, MISSED);
        }
    }
    for (slot, flat) in (0..).zip(&mut s.shown) {
        if let Some(flat) = flat {
            flat.version = rename(slot, flat.version, SHOWN);
        }
    }
    for pending in &mut s.pending {
        for (place, news) in (PENDING..).zip(pending) {
            if let Some(news) = news {
                news.object.version = place;
            }
        }
    }
    s.reached = [REACHED; KINDS];
}

fn name_uids<S: System>(s: &mut State) {
    let mut there = [0u32; SLOTS];
    s.each_uid::<S>(|slot, uid| there[usize::from(slot)] |= 1 << *uid);
    // The uid 0 is nobody's: that of an object that is still to be made.
    s.each_uid::<S>(|slot, uid| {
        let before = there[usize::from(slot)] & ((1 << *uid) - 1) & !1;
        *uid = if *uid == 0 { 0 } else { before.count_ones() as u8 + 1 };
    });
}
