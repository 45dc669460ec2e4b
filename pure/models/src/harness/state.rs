//! The state: what the cache shows, what it does not show yet, what the loop knows of each key, and what is on its way.
//!
//! What is true is not kept: it is what the cache shows, and on top of it what is pending.

use super::faults::{Budgets, FAULTS};
use super::flat::{Flat, KINDS, Post, SLOTS};
use super::outside::{self, Ask, Note, Outside};
use super::server::Came;
use super::system::{Objects, System};

/// How far a cache may lag.
pub(crate) const LAG: usize = 3;
/// Instances of a protocol.
pub(crate) const KEYS: usize = 2;
/// Requests that somebody left behind.
pub(crate) const LATE: usize = 2;
/// Nodes that software runs on, or whatever else does something by itself beside the hub.
pub(crate) const NODES: usize = 4;
/// Kinds of what people do, and of what the world does by itself.
pub(crate) const PEOPLE: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct State {
    /// What the cache shows.
    pub(crate) shown: Objects,
    /// By kind: how far the cache knows that it has come.
    pub(crate) reached: [u8; KINDS],
    /// By kind: what has happened and is not shown yet, in order.
    pub(crate) pending: [[Option<News>; LAG]; KINDS],
    pub(crate) keys: [Known; KEYS],
    /// Requests without anybody who waits for their answers.
    pub(crate) late: [Option<Late>; LATE],
    /// By key: what is outside.
    pub(crate) outside: [Note; KEYS],
    /// By node: what it is like, as its system writes it.
    pub(crate) nodes: [u64; NODES],
    pub(crate) budgets: Budgets,
    /// What is left for people to do.
    pub(crate) people: [u8; PEOPLE],
    /// What properties need to remember.
    pub(crate) ghost: u8,
}

/// An object has changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct News {
    pub(crate) slot: u8,
    pub(crate) gone: bool,
    /// As it is now; if it is gone, as it was last, at the version of its removal.
    pub(crate) object: Flat,
}

/// What the loop knows of a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Known {
    pub(crate) waits: bool,
    /// It comes later, by a timer, whatever its cache shows.
    pub(crate) due: bool,
    pub(crate) need: Need,
    pub(crate) doing: Option<Doing>,
    /// What its last effect was called, while its cache has to catch up with that.
    pub(crate) after: Option<u8>,
    /// Effects since it came to rest, if they are counted.
    pub(crate) effects: u8,
    pub(crate) stalled: bool,
    pub(crate) trouble: bool,
    /// Something else is wanted than what its call is for.
    pub(crate) outdated: bool,
    /// What the outside said.
    pub(crate) memory: Note,
    /// That is old: the key's timer has gone off, or a clock has jumped, since it was said.
    pub(crate) old: bool,
}

/// What has to be before a key is decided again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) enum Need {
    #[default]
    Nothing,
    Look(u8),
    At {
        slot: u8,
        uid: u8,
        version: u8,
    },
    Gone {
        slot: u8,
        uid: u8,
    },
}

/// An effect that is under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Doing {
    pub(crate) what: What,
    /// What it is called.
    pub(crate) point: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum What {
    Write(Post),
    Look(u8),
    Call(Ask),
    /// What was asked has happened, and the answer is on its way.
    Answer(Answer),
}

/// An answer that is on its way, where it does not come with what it answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Answer {
    pub(crate) asked: Asked,
    /// Of which place it was asked.
    pub(crate) slot: u8,
    /// Which place the answer is about: the server may have put a new object elsewhere.
    pub(crate) place: u8,
    pub(crate) came: Came,
}

/// What an answer is to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Asked {
    /// To a write, which rests on this uid.
    Write(Option<u8>),
    Look,
}

/// A request without anybody who waits for its answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Late {
    Write(Post),
    Call(Ask),
}

impl Known {
    /// Whether it remembers something that is not old.
    pub(crate) fn is_fresh(&self) -> bool {
        !self.old && self.memory != Note::default()
    }

    /// Whether its cache has to catch up, which a timer puts an end to.
    pub(crate) fn is_parked(&self) -> bool {
        matches!(self.need, Need::At { .. } | Need::Gone { .. })
    }
}

impl State {
    pub(crate) fn new(budgets: [u8; FAULTS], people: [u8; PEOPLE]) -> State {
        State {
            shown: [None; SLOTS],
            reached: [0; KINDS],
            pending: [[None; LAG]; KINDS],
            keys: [Known::default(); KEYS],
            late: [None; LATE],
            outside: [Note::default(); KEYS],
            nodes: [0; NODES],
            budgets: Budgets(budgets),
            people,
            ghost: 0,
        }
    }

    /// The objects as they are.
    pub(crate) fn truth(&self) -> Objects {
        let mut truth = self.shown;
        for news in self.pending.iter().flatten().flatten() {
            truth[usize::from(news.slot)] = (!news.gone).then_some(news.object);
        }
        truth
    }

    /// How much of a kind is not shown yet.
    pub(crate) fn behind(&self, kind: u8) -> usize {
        self.pending[usize::from(kind)].iter().flatten().count()
    }

    /// The version that the next change takes: later than any that anybody still knows.
    pub(crate) fn next_version(&self) -> u8 {
        let news = self.pending.iter().flatten().flatten().map(|news| news.object.version);
        let shown = self.shown.iter().flatten().map(|flat| flat.version);
        let most = news.chain(shown).chain(self.reached).max().unwrap_or(0);
        let awaited = self.keys.iter().filter_map(|known| match known.need {
            Need::At { version, .. } => Some(version),
            _ => None,
        });
        let most = awaited.fold(most, u8::max);
        let mut copy = *self;
        let most = copy.posts().filter_map(|post| post.read.map(|(_, version)| version)).fold(most, u8::max);
        copy.brought().map(|(_, flat)| flat.version).fold(most, u8::max) + 1
    }

    /// Every uid of a place that anybody still knows, to give the next object another one.
    pub(crate) fn next_uid<S: System>(&self, slot: u8) -> u8 {
        let mut most = 0;
        let mut copy = *self;
        copy.each_uid::<S>(|place, uid| {
            if place == slot {
                most = most.max(*uid);
            }
        });
        most + 1
    }

    /// Visits every object that is, is to be shown, is to be written, or was answered, with its place.
    pub(crate) fn each_flat(&mut self, mut visit: impl FnMut(u8, &mut Flat)) {
        for (slot, shown) in (0..).zip(&mut self.shown) {
            if let Some(object) = shown {
                visit(slot, object);
            }
        }
        for news in self.pending.iter_mut().flatten().flatten() {
            visit(news.slot, &mut news.object);
        }
        for post in self.posts() {
            visit(post.slot, &mut post.object);
        }
        for (place, object) in self.brought() {
            visit(place, object);
        }
    }

    /// Visits every uid, with the place that it belongs to.
    pub(crate) fn each_uid<S: System>(&mut self, mut visit: impl FnMut(u8, &mut u8)) {
        let mut flat = |slot: u8, flat: &mut Flat| {
            visit(slot, &mut flat.uid);
            if let Some((owner, uid)) = &mut flat.owner {
                visit(*owner, uid);
            }
            S::each_uid_in(slot, flat, &mut visit);
        };
        self.each_flat(&mut flat);
        for post in self.posts() {
            if let Some((uid, _)) = &mut post.read {
                visit(post.slot, uid);
            }
        }
        for answer in self.answers() {
            if let Asked::Write(Some(uid)) = &mut answer.asked {
                visit(answer.slot, uid);
            }
        }
        for known in &mut self.keys {
            if let Need::At { slot, uid, .. } | Need::Gone { slot, uid } = &mut known.need {
                visit(*slot, uid);
            }
        }
        if outside::is_there::<S>() {
            self.each_uid_outside::<S>(visit);
        }
    }

    fn each_uid_outside<S: System>(&mut self, mut visit: impl FnMut(u8, &mut u8)) {
        let (place, ground) = (<S::Outside as Outside<S>>::place, <S::Outside as Outside<S>>::ground);
        let memories = self.keys.iter_mut().map(|known| &mut known.memory);
        for (key, note) in (0..).zip(&mut self.outside).chain((0..).zip(memories)) {
            note.uids.iter_mut().for_each(|uid| visit(ground(key), uid));
        }
        for ask in self.asks() {
            visit(place(ask.key), &mut ask.uid);
            visit(ground(ask.key), &mut ask.on);
        }
    }

    /// The writes that are on their way.
    pub(crate) fn posts(&mut self) -> impl Iterator<Item = &mut Post> {
        let doing = self.keys.iter_mut().filter_map(|known| match &mut known.doing {
            Some(Doing { what: What::Write(post), .. }) => Some(post),
            _ => None,
        });
        doing.chain(self.late.iter_mut().flatten().filter_map(|late| match late {
            Late::Write(post) => Some(post),
            Late::Call(_) => None,
        }))
    }

    /// The answers that are on their way.
    fn answers(&mut self) -> impl Iterator<Item = &mut Answer> {
        self.keys.iter_mut().filter_map(|known| match &mut known.doing {
            Some(Doing { what: What::Answer(answer), .. }) => Some(answer),
            _ => None,
        })
    }

    /// The objects in answers that are on their way, with their places.
    pub(crate) fn brought(&mut self) -> impl Iterator<Item = (u8, &mut Flat)> {
        self.answers().filter_map(|answer| match &mut answer.came {
            Came::Is(flat) => Some((answer.place, flat)),
            Came::Gone | Came::Outdated => None,
        })
    }

    /// The calls that are on their way.
    pub(crate) fn asks(&mut self) -> impl Iterator<Item = &mut Ask> {
        let doing = self.keys.iter_mut().filter_map(|known| match &mut known.doing {
            Some(Doing { what: What::Call(ask), .. }) => Some(ask),
            _ => None,
        });
        doing.chain(self.late.iter_mut().flatten().filter_map(|late| match late {
            Late::Call(ask) => Some(ask),
            Late::Write(_) => None,
        }))
    }

    /// Whether nothing is under way or to be done, as far as the loop goes.
    pub(crate) fn is_quiet(&self) -> bool {
        self.keys.iter().all(|known| !known.waits && known.doing.is_none())
            && self.pending.iter().flatten().flatten().next().is_none()
    }
}
