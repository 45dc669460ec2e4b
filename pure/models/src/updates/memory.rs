//! What is remembered of a stack, in a few bytes.

use std::sync::Arc;

use bowline_control::Millis;
use bowline_updates::{Admission, Fetched, Fit, Health, Look, Memory, Number, Quota, Sight};

use super::names::{self, ROUND};
use super::world::{ABSENT, World, wanted};
use crate::harness::Note;
use crate::tiny::{Tiny, Words};

/// Of what is remembered: the content that was fetched, tries, that the first place was refused, and the attempt.
const REFUSAL: u8 = 1 << 4;
/// Of the inventory that is recorded: that the second place was. Of the one that is stored: that nothing could be tried.
const BESIDE: u8 = 1 << 5;
const INVENTORY: u8 = BESIDE - 1;
/// Of the one that is stored: that the content of the look before has waited for long. Above what is recorded: which that was.
const PATIENT: u8 = 1 << 6;
/// And that the namespace of the stack could not use the cluster when it was looked at. Who could not has written nothing, so that
/// look is whole: of one that is not it says that the namespace could not before, and can again, and that the look is whole.
const BARRED: u8 = 1 << 7;
const WHICH: u8 = 6;
/// Of the look: that there is one, that it is whole, that some time has passed since the first, its content, that all are well.
const SEEN: u8 = 1;
const WHOLE: u8 = 2;
const WAITED: u8 = 4;
const WELL: u8 = 8;
/// And that what is wanted was refused.
const TURNED_DOWN: u8 = 1 << 6;
/// The last bit of both is of the version that the content was fetched for; if there is no content, that nothing is kept.
const OF: u8 = 7;
const FORGOTTEN: u8 = 1;

/// What speaks for every version.
pub(crate) const ADMITTED: Admission = Admission { allowed: true, used: Quota { waiting: 0, hourly: 0 } };

pub(crate) fn note(memory: &Memory<Tiny>) -> Note {
    let code = |known: &Option<(u8, _)>| known.as_ref().map_or(0, |(digest, _)| *digest);
    let fetched = memory.fetched.as_ref().map_or(0, |fetched| fetched.digest);
    let of = memory.fetched_for.map_or(0, |of| of.0 as u8);
    let of = if memory.forgotten { FORGOTTEN } else { of };
    let has_job = memory.look.is_some() || memory.tries > 0 || !memory.refused.is_empty();
    let attempt = if has_job { memory.attempt as u8 % ROUND } else { 0 };
    let refused = |place: u8| if memory.refused.contains_key(&place) { REFUSAL } else { 0 };
    let about = fetched | memory.tries.min(3) << 2 | refused(0) | attempt << 5;
    let (mut look, mut places, mut untried) = (0, 0, 0);
    if let Some(Look { digest, at, since, whole, allowed, regained, sights, .. }) = &memory.look {
        let lives = || sights.values().filter_map(|sight| sight.live.as_ref());
        let well = lives().all(|live| live.health == Health::Well);
        look = SEEN
            | if *whole && !regained { WHOLE } else { 0 }
            | if at > since { WAITED } else { 0 }
            | if well { WELL } else { 0 }
            | if sights.values().any(|sight| matches!(sight.fit, Fit::Refused(_))) { TURNED_DOWN } else { 0 }
            | digest.unwrap_or(0) << 4;
        let is_untried = |sight: &Sight<Tiny>| matches!(sight.fit, Fit::Untried(_));
        let barred = if *allowed && !regained { 0 } else { BARRED };
        untried = if sights.values().any(is_untried) { BESIDE } else { 0 } | barred;
        places = sights
            .iter()
            .map(|(place, sight)| sight.live.as_ref().map_or(ABSENT, |live| live.read) << (4 * place))
            .sum();
    }
    let (about, look) = (about | of << OF, look | of >> 1 << OF);
    let recorded = code(&memory.recorded) | if refused(1) > 0 { BESIDE } else { 0 };
    let stored = code(&memory.stored) | untried;
    let now = memory.look.as_ref().map_or(Millis(0), |look| look.at);
    let (recorded, stored) = match memory.waited.filter(|(_, since)| *since < now) {
        Some((digest, _)) => (recorded | digest.unwrap_or(0) << WHICH, stored | PATIENT),
        None => (recorded, stored),
    };
    let on = memory.look.as_ref().and_then(|look| look.on);
    Note { uids: [on.unwrap_or(0), 0], body: [about, recorded, stored, look, places] }
}

pub(crate) fn memory(note: Note, at: Millis) -> Memory<Tiny> {
    let [about, recorded, stored, look, places] = note.body;
    let inventory = |code: u8| {
        let digest = code & INVENTORY;
        (digest > 0).then(|| (digest, Arc::new(names::decode(digest))))
    };
    let digest = look >> 4 & 3;
    let health = if look & WELL != 0 { Health::Well } else { Health::Progressing(Words) };
    let world = World { places: [places & 15, places >> 4], ..World::default() };
    let sight = |place: u8| {
        let sight = world.sight(place, digest, &health);
        let is_wanted = wanted(digest).0.contains_key(&place);
        let fit = match (look & TURNED_DOWN != 0, stored & BESIDE != 0) {
            (true, _) if is_wanted => Fit::Refused(Words),
            (_, true) if is_wanted => Fit::Untried(Words),
            _ => sight.fit,
        };
        (place, Sight { fit, ..sight })
    };
    let refused = [(about & REFUSAL, 0), (recorded & BESIDE, 1)];
    let sights = || [0, 1].into_iter().map(sight).collect();
    let fetched = about & 3;
    let of = about >> OF | look >> OF << 1;
    Memory {
        fetched: (fetched > 0).then(|| Fetched {
            digest: fetched,
            content: Ok(Arc::new(wanted(fetched))),
            admission: ADMITTED,
        }),
        fetched_for: (fetched > 0 && of > 0).then_some(Number(of.into())),
        recorded: inventory(recorded),
        stored: inventory(stored),
        look: (look & SEEN != 0).then(|| Look {
            on: (note.uids[0] > 0).then_some(note.uids[0]),
            generation: 0,
            digest: (digest > 0).then_some(digest),
            at,
            since: if look & WAITED != 0 { Millis(0) } else { at },
            whole: look & WHOLE != 0 || stored & BARRED != 0,
            allowed: !is_barred(&note),
            regained: look & WHOLE == 0 && stored & BARRED != 0,
            sights: Arc::new(sights()),
        }),
        waited: (stored & PATIENT != 0).then(|| {
            let digest = recorded >> WHICH;
            ((digest > 0).then_some(digest), Millis(0))
        }),
        tries: about >> 2 & 3,
        refused: refused.into_iter().filter(|(bit, _)| *bit != 0).map(|(_, place)| (place, Words)).collect(),
        attempt: (about >> 5 & 3).into(),
        forgotten: fetched == 0 && of == FORGOTTEN,
        ..Memory::default()
    }
}

/// Whether the namespace of the stack could not use the cluster at the last look.
pub(crate) fn is_barred(note: &Note) -> bool {
    note.body[2] & BARRED != 0 && note.body[3] & WHOLE != 0
}

pub(crate) fn has_looked(note: &Note) -> bool {
    note.body[3] & SEEN != 0
}

/// Counts the attempt of what is remembered from another one on.
pub(crate) fn shift_attempt(note: &mut Note, shift: u8) {
    let about = note.body[0];
    let refused = about & REFUSAL | note.body[1] & BESIDE;
    let has_job = note.body[3] & SEEN != 0 || about >> 2 & 3 > 0 || refused != 0;
    let attempt = if has_job { (about >> 5 & 3).wrapping_add(shift) % ROUND } else { 0 };
    note.body[0] = about & !(3 << 5) | attempt << 5;
}

/// The inventories that are remembered.
pub(crate) fn remembered(note: &Note) -> [u8; 2] {
    [note.body[1] & INVENTORY, note.body[2] & INVENTORY]
}

/// What is remembered, as people read it.
pub(crate) fn told(note: &Note) -> String {
    let memory = memory(*note, Millis(1));
    let mut said = Vec::new();
    said.extend(memory.fetched.map(|fetched| {
        let number = memory.fetched_for.map_or(0, |number| number.0);
        format!("content {} for version {number}", fetched.digest)
    }));
    said.extend(memory.recorded.map(|(digest, _)| format!("recorded {digest}")));
    said.extend(memory.stored.map(|(digest, _)| format!("stored {digest}")));
    said.extend(memory.look.map(|look| {
        let at = look.sights.values().map(|sight| sight.live.as_ref().map_or(ABSENT, |live| live.read));
        let at: Vec<_> = at.collect();
        let waited = if look.at > look.since { " later" } else { "" };
        let whole = if look.whole { "" } else { " in part" };
        let well = if note.body[3] & WELL == 0 { " unwell" } else { "" };
        let well = if note.body[3] & TURNED_DOWN == 0 { well.to_owned() } else { format!("{well} refused") };
        let well = if note.body[2] & BESIDE == 0 { well } else { format!("{well} untried") };
        let barred = match (look.allowed, look.regained) {
            (false, _) => " barred",
            (_, true) => " no more barred",
            _ => "",
        };
        format!("{at:?} for {:?}{waited}{whole}{well}{barred}", look.digest)
    }));
    said.extend(memory.waited.map(|(digest, _)| format!("{digest:?} has waited")));
    said.push(format!("{} tries, attempt {}", memory.tries, memory.attempt));
    said.extend(memory.refused.keys().map(|place| format!("{place} refused")));
    said.extend(memory.forgotten.then(|| "nothing is kept".to_owned()));
    said.join(", ")
}
