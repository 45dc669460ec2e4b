//! What is outside: the objects on the target cluster, and what is in safe keeping.
//!
//! There are two places on it for each stack. At the first somebody has an object before the stack comes; contents want these:
//! 1: both places; 2: the first; 3: both.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_control::Millis;
use bowline_updates::{
    Act, Aim, Ask as Asked, Call, Content, Deed, Fetched, Fit, Health, Live, Memory, Number, Outcome, Reply,
    Sight, Sights, Step, Wanted, Whose,
};

use super::Team;
use super::memory;
use super::names::{self, ROUND};
use crate::harness::{Ask, Note, Outside};
use crate::tiny::{Tiny, Words};

/// All times are less than what the harness calls long ago.
pub(crate) const SOON: Millis = Millis(1_000);

/// What somebody's object says, before anybody touches it.
pub(crate) const FOREIGN: u8 = 1;
/// What a person has made of an object.
pub(crate) const EDITED: u8 = 2;
/// What content 1 wants; others follow.
const FIRST: u8 = 3;

/// What is at a place: nothing, an object of nobody's, or one of the stack's.
pub(crate) const ABSENT: u8 = 0;
pub(crate) const OURS_EDITED: u8 = 6;
/// A placement's, which it has marked.
pub(crate) const PLACED: u8 = 7;

/// Whether what is at a place is the stack's.
pub(crate) fn is_ours(at: u8) -> bool {
    (FIRST..=OURS_EDITED).contains(&at)
}

/// What the object says that is at a place.
pub(crate) fn body(at: u8) -> u8 {
    if at == OURS_EDITED { EDITED } else { at }
}

/// What is there, if it is the stack's and says this.
fn ours(body: u8) -> u8 {
    if body == EDITED { OURS_EDITED } else { body }
}

/// What a content wants.
pub(crate) fn wanted(digest: u8) -> Content<Tiny> {
    let it = |wave: u8| Wanted { wave, body: FIRST + digest - 1 };
    let both = digest != 2;
    let places = [(0, it(0)), (1, it(1))].into_iter().take(if both { 2 } else { 1 });
    Content(if digest == 0 { BTreeMap::new() } else { places.collect() })
}

/// What is outside of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct World {
    pub(crate) places: [u8; 2],
    /// Inventories in safe keeping, a bit for each; of 16.
    pub(crate) kept: u16,
    /// Contents that do not become healthy, a bit for each.
    pub(crate) sick: u8,
    /// The namespace of the stack may not use the cluster.
    pub(crate) barred: bool,
}

impl World {
    pub(crate) fn of(note: &Note) -> World {
        let [places, low, high, sick, barred] = note.body;
        let kept = u16::from_le_bytes([low, high]);
        World { places: [places & 15, places >> 4], kept, sick, barred: barred > 0 }
    }

    pub(crate) fn note(self) -> Note {
        let [a, b] = self.places;
        let [low, high] = self.kept.to_le_bytes();
        Note { uids: [0; 2], body: [a | b << 4, low, high, self.sick, self.barred.into()] }
    }

    pub(crate) fn keeps(&self, inventory: u8) -> bool {
        self.kept >> (inventory & 15) & 1 == 1
    }

    pub(crate) fn sight(&self, place: u8, digest: u8, health: &Health<Tiny>) -> Sight<Tiny> {
        let at = self.places[usize::from(place)];
        let wants = wanted(digest).0.get(&place).map(|wanted| wanted.body);
        let whose = match at {
            PLACED => Whose::Anothers(Words),
            at if is_ours(at) => Whose::Ours,
            _ => Whose::Nobodys,
        };
        let live = (at != ABSENT).then(|| Live {
            whose,
            body: body(at),
            read: at,
            spared: None,
            health: health.clone(),
        });
        let fit = match wants {
            Some(wants) if at != ours(wants) => Fit::Differs(Words),
            _ => Fit::Same,
        };
        Sight { live, fit }
    }

    fn health(&self, digest: u8) -> Health<Tiny> {
        if digest > 0 && self.sick >> digest & 1 == 1 { Health::Progressing(Words) } else { Health::Well }
    }

    fn look(&self, digest: u8) -> Sights<Tiny> {
        let health = self.health(digest);
        [0, 1].into_iter().map(|place| (place, self.sight(place, digest, &health))).collect()
    }

    /// Does what is asked, if the object is as it was read.
    fn act(&mut self, deed: &Deed<Tiny>) -> bool {
        let at = &mut self.places[usize::from(deed.place)];
        let (read, after) = match deed.act {
            Act::Create(body) => (ABSENT, ours(body)),
            Act::Apply(body, read) => (read, ours(body)),
            Act::Restore(body, read) => (read, body),
            Act::Delete(read) => (read, ABSENT),
        };
        let fits = *at == read;
        if fits {
            *at = after;
        }
        fits
    }
}

/// The cluster behind the kubeconfig, and the Secrets of the hub.
pub(crate) struct Target;

const FETCH: u8 = 0;
const STORE: u8 = 1;
const LOOK: u8 = 2;
const WRITE: u8 = 3;
const FORGET: u8 = 4;

/// The ways of failing.
const UNREACHABLE: u8 = 0;
const REFUSED: u8 = 1;
const HALF_DONE: u8 = 2;

/// What is asked, for which aim; in which attempt, for which content; and what else: an inventory, or deeds with what they rest
/// on.
struct Code {
    what: u8,
    aim: u8,
    attempt: u8,
    digest: u8,
    inventory: u8,
    deeds: Vec<Deed<Tiny>>,
}

fn bits(deed: &Deed<Tiny>) -> (u8, u8) {
    match deed.act {
        Act::Create(_) => (1, 0),
        Act::Apply(_, read) => (2, read),
        Act::Restore(FOREIGN, read) => (3, read),
        Act::Restore(_, read) => (4, read),
        Act::Delete(read) => (5, read),
    }
}

impl Code {
    fn of(ask: &Ask) -> Code {
        let [what, about, inventory, acts, reads] = ask.code;
        let digest = about >> 2 & 3;
        let wants = |place: u8| wanted(digest).0.get(&place).map_or(0, |wanted| wanted.body);
        let deed = |place: u8| {
            let read = reads >> (4 * place) & 15;
            let act = match acts >> (3 * place) & 7 {
                0 => return None,
                1 => Act::Create(wants(place)),
                2 => Act::Apply(wants(place), read),
                3 => Act::Restore(FOREIGN, read),
                4 => Act::Restore(EDITED, read),
                _ => Act::Delete(read),
            };
            Some(Deed { place, act })
        };
        let deeds = [0, 1].into_iter().filter_map(deed).collect();
        Code { what: what & 7, aim: what >> 3, attempt: about & 3, digest, inventory, deeds }
    }

    fn code(&self) -> [u8; 5] {
        let (mut acts, mut reads) = (0, 0);
        for deed in &self.deeds {
            let (act, read) = bits(deed);
            acts |= act << (3 * deed.place);
            reads |= read << (4 * deed.place);
        }
        [self.what | self.aim << 3, self.attempt | self.digest << 2, self.inventory, acts, reads]
    }
}

/// The version that is written by a call, if it writes; 0 for the last good one.
pub(crate) fn writes(ask: &Ask) -> Option<u8> {
    let code = Code::of(ask);
    (code.what == WRITE).then_some(code.aim)
}

/// Whether a call changes nothing anywhere.
pub(crate) fn only_looks(ask: &Ask) -> bool {
    Code::of(ask).what == LOOK
}

pub(crate) fn set_attempt(ask: &mut Ask, shift: u8) {
    let about = ask.code[1];
    ask.code[1] = about & !3 | ((about & 3).wrapping_add(shift) % ROUND);
}

fn perform(world: &mut World, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
    let code = Code::of(ask);
    if way.is_some_and(|way| way == UNREACHABLE || matches!(code.what, FETCH | STORE | FORGET)) {
        return Reply::Failed("it cannot be reached".into());
    }
    let digest = (code.digest > 0).then_some(code.digest);
    match code.what {
        FETCH => Reply::Fetched {
            fetched: digest.map(|digest| Fetched {
                digest,
                content: Ok(Arc::new(wanted(digest))),
                admission: memory::ADMITTED,
            }),
            inventory: (code.inventory > 0 && world.keeps(code.inventory))
                .then(|| Arc::new(names::decode(code.inventory))),
        },
        STORE => {
            world.kept |= 1 << (code.inventory & 15);
            Reply::Stored(Arc::new(names::decode(code.inventory)))
        }
        FORGET => {
            world.kept = 0;
            Reply::Forgotten
        }
        LOOK => {
            let tried = |(place, sight): (u8, Sight<Tiny>)| {
                let fit = match way.filter(|_| wanted(code.digest).0.contains_key(&place)) {
                    None => sight.fit,
                    Some(HALF_DONE) => Fit::Untried(Words),
                    Some(_) => Fit::Refused(Words),
                };
                (place, Sight { fit, ..sight })
            };
            let sights = Arc::new(world.look(code.digest).into_iter().map(tried).collect());
            let on = (ask.on > 0).then_some(ask.on);
            let (attempt, allowed) = (code.attempt.into(), !world.barred);
            Reply::Seen { attempt, on, generation: 0, digest, allowed, sights }
        }
        _ => {
            let mut outcomes = Vec::new();
            for deed in &code.deeds {
                let first = outcomes.is_empty();
                let outcome = match way {
                    Some(REFUSED) if first => Outcome::Refused(Words),
                    Some(HALF_DONE) if !first => Outcome::Unknown(String::new()),
                    _ if world.act(deed) => {
                        let sight = world.sight(deed.place, code.digest, &Health::Well);
                        Outcome::Is(Box::new(sight))
                    }
                    _ => Outcome::Outdated,
                };
                outcomes.push((deed.place, outcome));
            }
            Reply::Written { attempt: code.attempt.into(), outcomes }
        }
    }
}

impl Outside<Team> for Target {
    const WAYS: &'static [&'static str] = &["unreachable", "refused", "half done"];

    fn place(key: u8) -> u8 {
        key
    }

    fn ground(_: u8) -> u8 {
        names::CLUSTER
    }

    fn note(memory: &Memory<Tiny>) -> Note {
        memory::note(memory)
    }

    fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
        memory::memory(note, learned)
    }

    fn ask(step: &Step, call: &Call<Tiny>) -> Ask {
        let aim = match step {
            Step::Fetch(aim) | Step::Store(aim) | Step::Look(aim) | Step::Write(aim) => *aim,
            Step::Forget => Aim::LastGood,
            other => unreachable!("{other:?} calls nobody"),
        };
        let aim = if let Aim::Version(Number(number)) = aim { number as u8 } else { 0 };
        let blank = Code {
            what: FETCH,
            aim,
            attempt: call.attempt as u8 % ROUND,
            digest: 0,
            inventory: 0,
            deeds: Vec::new(),
        };
        let code = match &call.what {
            Asked::Fetch { content, inventory } => {
                Code { digest: content.unwrap_or(0), inventory: inventory.unwrap_or(0), ..blank }
            }
            Asked::Store(inventory) => {
                let inventory = <Tiny as bowline_updates::Names>::digest_of(inventory);
                Code { what: STORE, inventory, ..blank }
            }
            Asked::Forget => Code { what: FORGET, ..blank },
            Asked::Look { digest, .. } => Code { what: LOOK, digest: digest.unwrap_or(0), ..blank },
            Asked::Write(deeds) => {
                let puts = |deed: &Deed<Tiny>| match deed.act {
                    Act::Create(body) | Act::Apply(body, _) => Some(body + 1 - FIRST),
                    Act::Restore(..) | Act::Delete(_) => None,
                };
                let digest = deeds.iter().find_map(puts).unwrap_or(0);
                Code { what: WRITE, digest, deeds: deeds.clone(), ..blank }
            }
        };
        // Only a look remembers where it was.
        let on = call.on.filter(|_| code.what == LOOK).unwrap_or(0);
        Ask { key: call.stack, uid: call.uid, on, code: code.code() }
    }

    fn step(ask: &Ask) -> Step {
        let code = Code::of(ask);
        let aim = if code.aim == 0 { Aim::LastGood } else { Aim::Version(Number(code.aim.into())) };
        match code.what {
            FETCH => Step::Fetch(aim),
            STORE => Step::Store(aim),
            LOOK => Step::Look(aim),
            FORGET => Step::Forget,
            _ => Step::Write(aim),
        }
    }

    fn perform(_: &Team, outside: &mut Note, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
        let mut world = World::of(outside);
        let reply = perform(&mut world, ask, way);
        *outside = world.note();
        reply
    }

    /// What is written to the cluster may arrive when its worker is lost; the rest changes nothing that anybody could mistake.
    fn can_be_late(ask: &Ask) -> bool {
        writes(ask).is_some()
    }

    fn ended(_: &mut Note) {}

    fn describe(outside: &Note) -> String {
        let World { places, kept, sick, barred } = World::of(outside);
        let place = |at: u8| match at {
            ABSENT => "nothing".to_owned(),
            PLACED => "a placement's".to_owned(),
            at if is_ours(at) => format!("ours {}", body(at)),
            at => format!("somebody's {}", body(at)),
        };
        let barred = if barred { ", barred" } else { "" };
        format!("{} and {}, keeps {kept:b}, sick {sick:b}{barred}", place(places[0]), place(places[1]))
    }

    fn remembered(note: &Note) -> String {
        memory::told(note)
    }

    fn called(ask: &Ask) -> String {
        let code = Code::of(ask);
        let step = Self::step(ask);
        format!(
            "{step} (uid {}, attempt {}, content {}, inventory {}): {:?}",
            ask.uid, code.attempt, code.digest, code.inventory, code.deeds
        )
    }
}

/// The world before anybody has come: somebody has an object, and these contents are sick.
pub(crate) fn beginning(sick: u8) -> Note {
    World { places: [FOREIGN, ABSENT], sick, ..World::default() }.note()
}
