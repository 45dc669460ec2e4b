//! The normal form: what nobody can tell apart is equal.
//!
//! Versions are opaque: they are compared, for equality by guards and for order by caches. So those that are pending are
//! named by where they stand in the log of their kind, the one that is shown has a name of its own, and a request that
//! rests on any other is outdated, whichever that was. Uids are counted anew in each place.
//!
//! Where answers come apart from what they answer, one may bring a version that was shown long before. If its object is gone
//! by then, the cache compares that version with those of others of its kind, if these were listed: so there, and only there,
//! what is shown is named by its rank in its kind.

use super::flat::{Flat, KINDS, SLOTS};
use super::state::{KEYS, LAG, Need, State};
use super::system::System;

/// A version that no object has any more.
const PAST: u8 = 1;
/// The version of an object that is shown; where ranks count, that of the oldest, and the others are above it.
const SHOWN: u8 = 2;
/// How far a kind was shown, if that is further than any object says.
const REACHED: u8 = SHOWN + (SLOTS + KEYS) as u8;
/// A version that nothing pending brings, and that the cache does not know to have reached.
const MISSED: u8 = REACHED + 1;
/// The versions of what is pending, in order.
const PENDING: u8 = MISSED + 1;

/// If answers come `apart` from what they answer, the order of what is shown is kept.
pub(crate) fn normal<S: System>(mut s: State, apart: bool) -> State {
    drop_what_is_met::<S>(&mut s);
    name_versions::<S>(&mut s, apart);
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

fn name_versions<S: System>(s: &mut State, apart: bool) {
    let mut old = [[0; LAG]; KINDS];
    for (kind, pending) in s.pending.iter().enumerate() {
        for (place, news) in pending.iter().enumerate() {
            old[kind][place] = news.map_or(0, |news| news.object.version);
        }
    }
    let (shown, reached, seen) = (s.shown, s.reached, seen(s));
    let name = |slot: u8, version: u8| SHOWN + if apart { rank::<S>(&seen, slot, version) } else { 0 };
    // In which order the names stand is all that counts of versions that are compared.
    let rename = |slot: u8, version: u8, other: u8| {
        let pending = old[usize::from(S::kind(slot))].iter().position(|old| *old == version && version > 0);
        match pending {
            Some(place) => PENDING + place as u8,
            None if shown[usize::from(slot)].is_some_and(|flat| flat.version == version) => {
                name(slot, version)
            }
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
    for (place, flat) in s.brought() {
        let is_missed = flat.version > reached[usize::from(S::kind(place))];
        let other = if is_missed { MISSED } else { name(place, flat.version) };
        flat.version = rename(place, flat.version, other);
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

/// The places and versions of what is shown, or brought by an answer on its way.
fn seen(s: &mut State) -> [Option<(u8, u8)>; SLOTS + KEYS] {
    let mut seen = [None; SLOTS + KEYS];
    let of = |(slot, flat): (u8, &mut Flat)| Some((slot, flat.version));
    for (place, (slot, flat)) in (0..).zip(&mut s.shown).enumerate() {
        seen[place] = flat.as_mut().and_then(|flat| of((slot, flat)));
    }
    for (place, brought) in (SLOTS..).zip(s.brought()) {
        seen[place] = of(brought);
    }
    seen
}

/// How many of its kind are older.
fn rank<S: System>(seen: &[Option<(u8, u8)>], slot: u8, version: u8) -> u8 {
    let is_older = |(other, than): &&(u8, u8)| S::kind(*other) == S::kind(slot) && *than < version;
    seen.iter().flatten().filter(is_older).count() as u8
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
