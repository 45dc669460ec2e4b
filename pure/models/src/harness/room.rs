//! The loop as it is shipped: made of a state, and a state made of what becomes of it.

use bowline_control as control;
use bowline_control::lease::Epoch;
use bowline_control::{
    Answer, Controller, Effect, Event, Loop, Memo, Millis, Moment, Refusal, Settings, Still, Verdict, Version,
};

use super::flat::{Post, Verb};
use super::outside::{Note, Outside, ReplyOf};
use super::server::Came;
use super::state::{Asked, Doing, Known, Need, News, State, What};
use super::system::System;

type C<S> = <S as System>::Controller;
type Object<S> = <C<S> as Controller>::Object;

/// Long ago, now, and when every timer has gone off.
///
/// When something was learned is not kept, only whether that is old. Protocols compare it with the time of a turn, and set
/// their timer for the moment at which the comparison turns out otherwise. So at a turn it is new, as if learned now; unless
/// the turn is the timer's or a clock has jumped, and then it is old, and stays so until something else is learned. States that
/// differ in the hour alone are one then, and who looks for ever goes in a circle.
const LONG_AGO: Millis = Millis(1 << 20);
const NOW: Moment = Moment { clock: Millis(1 << 30), wall: Millis(0), epoch: EPOCH, handed: false };
const LATER: Moment = Moment { clock: Millis(1 << 40), wall: Millis(1 << 40), epoch: EPOCH, handed: false };
/// Whoever leads does so in this epoch; that of everybody before is none ([`System::forget_epoch`]).
const EPOCH: Epoch = Epoch(1);

/// What became of an effect.
pub(crate) enum Reply<Said> {
    /// Of an object.
    Came(u8, Came),
    /// The outside says something.
    Said(Said),
    /// Nothing was heard.
    Silence,
}

/// Takes in one piece of news.
pub(crate) fn show<S: System>(system: &S, bounds: Settings, s: &mut State, news: News) {
    let mut room = resume(system, bounds, s, all);
    let object = S::object(news.slot, news.object);
    room.event(if news.gone { Event::Gone(object) } else { Event::Put(object) }, NOW);
    s.shown[usize::from(news.slot)] = (!news.gone).then_some(news.object);
    let reached = &mut s.reached[usize::from(S::kind(news.slot))];
    *reached = (*reached).max(news.object.version);
    take_over::<S>(bounds, s, &room);
}

/// Starts the loop, which has forgotten everything, with lists of all kinds.
pub(crate) fn start<S: System>(system: &S, bounds: Settings, s: &mut State) {
    let truth = s.truth();
    s.keys = Default::default();
    s.pending = Default::default();
    s.shown = truth;
    for kind in 0..system.kinds().len() as u8 {
        list(system, bounds, s, kind, true);
    }
}

/// Takes in a list of a kind. If it `covers` them, it has begun after all answers so far.
pub(crate) fn list<S: System>(system: &S, bounds: Settings, s: &mut State, kind: u8, covers: bool) {
    let mut room = resume(system, bounds, s, all);
    let number = system.kinds()[usize::from(kind)];
    if covers {
        room.event(Event::ListBegins(number), NOW);
    }
    let truth = s.truth();
    let of_kind = (0..).zip(truth).filter(|(slot, flat)| flat.is_some() && S::kind(*slot) == kind);
    let objects: Vec<_> = of_kind.filter_map(|(slot, flat)| Some(S::object(slot, flat?))).collect();
    s.reached[usize::from(kind)] = 0;
    for (slot, flat) in (0..).zip(truth).filter(|(slot, _)| S::kind(*slot) == kind) {
        s.shown[usize::from(slot)] = flat;
        let reached = &mut s.reached[usize::from(kind)];
        *reached = (*reached).max(flat.map_or(0, |flat| flat.version));
    }
    s.pending[usize::from(kind)] = Default::default();
    room.event(Event::Listed(number, objects), NOW);
    take_over::<S>(bounds, s, &room);
}

/// Gives a key its turn. If `late`, its timer has gone off.
pub(crate) fn turn<S: System>(system: &S, bounds: Settings, s: &mut State, key: u8, late: bool) {
    // Nobody else is there to be taken: which of those that wait is next is not a matter of order, and if it is later for
    // this key, it is not for those that are parked.
    let queued = |other, known: &Known| (other == key).then_some((!late || known.waits, known.due));
    let mut room = resume(system, bounds, s, queued);
    let ages = S::ages(s, key);
    let turn = room.turn(if late { LATER } else { NOW });
    // Who only looks at an object has waited for its cache, and not until what it remembers is old.
    let decides = turn.as_ref().is_some_and(|turn| turn.verdict != Verdict::Look);
    s.keys[usize::from(key)].old |= late && decides && ages;
    take_over_key::<S>(bounds, s, &room, key);
    let Some(turn) = turn else { return };
    assert_eq!(turn.key, key, "the turn is that key's");
    let what = turn.effect.map(|effect| match (effect, &turn.verdict) {
        (Effect::Write(write), _) => What::Write(post::<S>(&write)),
        (Effect::Look(id), _) => What::Look(S::slot(&id)),
        (Effect::Call(call), Verdict::Do(step)) => What::Call(<S::Outside as Outside<S>>::ask(step, &call)),
        (Effect::Call(_), _) => unreachable!("only steps call"),
    });
    s.keys[usize::from(key)].doing = what.map(|what| Doing { what, point: S::point(&turn.verdict) });
}

/// Gives the loop the answer to a key's effect.
pub(crate) fn answer<S: System>(
    system: &S,
    bounds: Settings,
    s: &mut State,
    key: u8,
    reply: Reply<ReplyOf<S>>,
) {
    let mut room = resume(system, bounds, s, all);
    let said = matches!(reply, Reply::Said(_));
    let answer = match reply {
        Reply::Came(slot, Came::Is(flat)) => Answer::Is(S::object(slot, flat)),
        Reply::Came(_, Came::Gone) => Answer::Gone,
        Reply::Came(_, Came::Outdated) => Answer::Refused(Refusal::Outdated),
        Reply::Said(reply) => Answer::Replied(reply),
        Reply::Silence => Answer::Unknown(String::new()),
    };
    room.answer(&key, answer, 0, NOW);
    let known = &mut s.keys[usize::from(key)];
    known.old &= !said || room.known(&key).memo.trouble.is_some();
    known.after = known.doing.take().map(|doing| doing.point);
    take_over_key::<S>(bounds, s, &room, key);
}

fn post<S: System>(write: &control::Write<Object<S>>) -> Post {
    let slot = S::slot(&write.id());
    let read = write.before().map(|object| S::flat(object)).map(|flat| (flat.uid, flat.version));
    let (verb, object) = match write {
        control::Write::Create(object) => (Verb::Create, object),
        control::Write::Change { after, .. } => (Verb::Change, after),
        control::Write::Status { after, .. } => (Verb::Status, after),
        control::Write::Delete(object) => (Verb::Delete, object),
    };
    Post { verb, slot, read, object: S::flat(object) }
}

/// All keys, in the queue as they are.
fn all(_: u8, known: &Known) -> Option<(bool, bool)> {
    Some((known.waits, known.due))
}

/// The loop of a state, with those keys of which `queued` says whether they are in its queue, now or later.
fn resume<S: System>(
    system: &S,
    bounds: Settings,
    s: &State,
    queued: impl Fn(u8, &Known) -> Option<(bool, bool)>,
) -> Loop<C<S>> {
    let objects = (0..).zip(s.shown).filter_map(|(slot, flat)| Some(S::object(slot, flat?))).collect();
    let kinds = system.kinds().iter().zip(s.reached);
    let reached = kinds.map(|(kind, reached)| (*kind, Version(reached.into()))).collect();
    let keys = (0..).zip(&s.keys).filter(|(_, known)| **known != Known::default());
    let keys = keys.filter_map(|(key, known)| {
        let (waits, due) = queued(key, known)?;
        Some(control::Known { key, memo: memo::<S>(known), waits, due: due.then_some(LATER.clock) })
    });
    Loop::resume(system.controller(), bounds, Still { objects, reached, keys: keys.collect() }, NOW)
}

fn memo<S: System>(known: &Known) -> Memo<C<S>> {
    let until = LATER.clock;
    let level = |slot: u8, level| control::Need::Level { id: S::id(slot), level, until };
    let need = match known.need {
        Need::Nothing => control::Need::Nothing,
        Need::Look(slot) => control::Need::Look(S::id(slot)),
        Need::Gone { slot, uid } => level(slot, control::Level::Gone(uid)),
        Need::At { slot, uid, version } => {
            let (uid, version) = (uid, Version(version.into()));
            level(slot, control::Level::At { uid, version, covered: false })
        }
    };
    let doing = known.doing.map(|doing| match doing.what {
        What::Look(slot) => control::What::Look(S::id(slot)),
        What::Write(post) => control::What::Write(S::id(post.slot), post.read.map(|(uid, _)| uid)),
        What::Call(ask) => control::What::Call(<S::Outside as Outside<S>>::step(&ask)),
        // The loop does not know that its answer is on its way.
        What::Answer(answer) => match answer.asked {
            Asked::Write(read) => control::What::Write(S::id(answer.slot), read),
            Asked::Look => control::What::Look(S::id(answer.slot)),
        },
    });
    let learned = if known.old { LONG_AGO } else { NOW.clock };
    Memo {
        need,
        doing,
        outdated: known.outdated,
        effects: known.effects.into(),
        stalled: known.stalled.then_some(LATER.clock),
        trouble: known.trouble.then(String::new),
        memory: <S::Outside as Outside<S>>::memory(known.memory, learned),
    }
}

/// Takes over what the loop knows of all keys.
fn take_over<S: System>(bounds: Settings, s: &mut State, room: &Loop<C<S>>) {
    for key in 0..s.keys.len() as u8 {
        take_over_key::<S>(bounds, s, room, key);
    }
}

fn take_over_key<S: System>(bounds: Settings, s: &mut State, room: &Loop<C<S>>, key: u8) {
    let control::Known { memo, waits, due, .. } = room.known(&key);
    let need = match memo.need {
        control::Need::Nothing => Need::Nothing,
        control::Need::Look(id) => Need::Look(S::slot(&id)),
        control::Need::Level { id, level, .. } => match level {
            control::Level::Gone(uid) => Need::Gone { slot: S::slot(&id), uid },
            control::Level::At { uid, version, .. } => {
                Need::At { slot: S::slot(&id), uid, version: version.0 as u8 }
            }
        },
    };
    let known = &mut s.keys[usize::from(key)];
    let memory = <S::Outside as Outside<S>>::note(&memo.memory);
    let remembers = memory != Note::default();
    // What comes after a call is a turn that rests on what was learned; after a write, one that waits for the cache.
    let is_after = match need {
        Need::At { .. } | Need::Gone { .. } => true,
        Need::Nothing => waits && remembers,
        Need::Look(_) => false,
    };
    *known = Known {
        waits,
        due: due.is_some(),
        need,
        doing: known.doing,
        after: known.after.filter(|_| is_after),
        effects: if bounds.effects == u32::MAX { 0 } else { memo.effects as u8 },
        stalled: memo.stalled.is_some(),
        trouble: memo.trouble.is_some(),
        outdated: memo.outdated,
        memory,
        old: known.old && remembers,
    };
}
