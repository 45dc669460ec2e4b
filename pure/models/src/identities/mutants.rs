//! Controllers that do one thing wrong.

use bowline_control::{Decision, Effect, EffectOf, Millis, Moment, Standing, Write};
use bowline_identities::{Look, Mood, Object, Step, Told, Wait, Whose};

use super::names::{BOUNDARY, POLICY};
use super::shape::{Remembered, SHAPE, Shape, Shown, Thing};
use super::{IDENTITIES, at};
use crate::harness::{FAULTS, Fault, SHIPPED};
use crate::mutants::Mutant;
use crate::tiny::Words;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal with $faults:expr, $shape:expr) => {
        Mutant {
            about: $about,
            model: IDENTITIES.name,
            breaks: $breaks,
            build: || Box::new(at($size, once($faults), $shape, SHIPPED)),
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("calls what is another's" breaks "NoConcurrentProcessingOfSameResource"
        at "instances=2,workers=2,creates=2,edits=0,deletes=0" with None,
        Shape { effect: calls_the_first, ..SHAPE }),
    mutant!("makes without looking" breaks "AtMostOne" at "deletes=0,edits=0" with None,
        Shape { snapshot: sees_nothing, ..SHAPE }),
    mutant!("acts before it says so" breaks "IntendedFirst" at "deletes=0,edits=0" with None,
        Shape { snapshot: always_intends, ..SHAPE }),
    mutant!("publishes a role without its policy" breaks "OnlyWhenComplete" at "deletes=0,edits=0" with None,
        Shape { snapshot: takes_all_for_attached, ..SHAPE }),
    mutant!("says that a role can be used while it makes it" breaks "LapsedFirst" at "deletes=0,edits=0" with Some(Fault::Drift),
        Shape { decide: never_lapses, ..SHAPE }),
    mutant!("makes without looking for the boundary" breaks "NothingHalfMade" at "bounded=true,deletes=0,edits=0" with None,
        Shape { snapshot: takes_it_for_found, ..SHAPE }),
    mutant!("overlooks what is written into the role" breaks "Converges" at "edits=0,deletes=0" with Some(Fault::Drift),
        Shape { snapshot: overlooks_inline, ..SHAPE }),
    mutant!("attaches where there is no room" breaks "Converges" at "adopts=true,turns=1,edits=0,deletes=0" with None,
        Shape { decide: attaches_first, ..SHAPE }),
    mutant!("takes what is somebody's for its own" breaks "NothingForeignIsTouched" at "deletes=0,edits=0,turns=1" with None,
        Shape { snapshot: takes_all_for_ours, ..SHAPE }),
    mutant!("takes away what is to be left" breaks "OrphansAreLeft" at "edits=0,orphans=true" with None,
        Shape { snapshot: leaves_nothing_behind, ..SHAPE }),
    mutant!("looks only once whether all is gone" breaks "NothingIsLeft" at "edits=0" with Some(Fault::Provider),
        Shape { snapshot: confirms_at_once, ..SHAPE }),
    mutant!("lets go without a tombstone" breaks "BuriedFirst" at "edits=0" with None,
        Shape { decide: buries_nobody, ..SHAPE }),
    mutant!("sweeps whatever is there" breaks "OnlyWhatIsBuried" at "anywhere=true,edits=0,deletes=0" with None,
        Shape { snapshot: sweeps_all, ..SHAPE }),
    mutant!("looks once" breaks "Converges" at "edits=0,deletes=0" with Some(Fault::Drift),
        Shape { decide: looks_once, ..SHAPE }),
    mutant!("holds for ever" breaks "Goes" at "edits=0" with None,
        Shape { decide: holds_for_ever, ..SHAPE }),
    mutant!("sweeps without looking" breaks "LeavesNothing" at "edits=0" with Some(Fault::LostReply),
        Shape { decide: sweeps_blindly, ..SHAPE }),
    mutant!("keeps tombstones" breaks "Forgotten" at "edits=0" with None,
        Shape { decide: never_has_swept, ..SHAPE }),
    mutant!("writes in steady state" breaks "TerminationIsTheLastAction" at "edits=0,deletes=0" with None,
        Shape { report: always, ..SHAPE }),
];

/// This fault, once.
fn once(fault: Option<Fault>) -> [u8; FAULTS] {
    let mut budgets = [0; FAULTS];
    if let Some(fault) = fault {
        budgets[fault as usize] = 1;
    }
    budgets
}

fn calls_the_first(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    match (SHAPE.effect)(shown, step, now) {
        Effect::Call(mut call) => {
            call.name = 0;
            Effect::Call(call)
        }
        other => other,
    }
}

fn sees_nothing(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    let nothing = Look {
        at: Millis(1 << 50),
        written: None,
        doubts: 0,
        news: false,
        policy: None,
        role: None,
        clear: None,
        confirmed: false,
    };
    shown.memory.look.get_or_insert(nothing);
    shown
}

fn always_intends(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(identity) = &mut shown.identity {
        identity.status.intent.get_or_insert(Millis(0));
    }
    shown
}

pub(crate) fn takes_all_for_attached(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(role) = shown.memory.look.as_mut().and_then(|look| look.role.as_mut()) {
        role.attached = vec![POLICY];
    }
    shown
}

fn takes_it_for_found(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    shown.memory.checked.insert(BOUNDARY);
    shown
}

fn overlooks_inline(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(role) = shown.memory.look.as_mut().and_then(|look| look.role.as_mut()) {
        role.inline.clear();
    }
    shown
}

fn attaches_first(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let role = shown.memory.look.as_ref().and_then(|look| look.role.as_ref());
    let lacks = role.is_some_and(|role| !role.attached.contains(&POLICY));
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::DetachRolePolicy) if lacks => Decision::Do(Step::AttachRolePolicy),
        other => other,
    }
}

fn with_all_of(mut shown: Shown, uid: u8) -> Shown {
    if let Some(look) = &mut shown.memory.look {
        let whose = Whose::Ours(uid);
        look.policy.iter_mut().for_each(|policy| policy.whose = whose.clone());
        look.role.iter_mut().for_each(|role| role.whose = whose.clone());
    }
    shown
}

fn takes_all_for_ours(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let shown = (SHAPE.snapshot)(key, objects, memory);
    let uid = shown.identity.as_ref().map_or(0, |identity| identity.uid);
    with_all_of(shown, uid)
}

fn sweeps_all(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let shown = (SHAPE.snapshot)(key, objects, memory);
    let of = shown.tombstone.as_ref().filter(|_| shown.identity.is_none()).map(|tombstone| tombstone.of[0]);
    match of {
        Some(uid) => with_all_of(shown, uid),
        None => shown,
    }
}

fn leaves_nothing_behind(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(identity) = shown.identity.as_mut().filter(|identity| identity.deleting) {
        identity.wish.orphans = false;
    }
    shown
}

fn confirms_at_once(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(look) = &mut shown.memory.look {
        look.confirmed = look.clear.is_some();
    }
    shown
}

fn buries_nobody(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Bury) => Decision::Do(Step::LetGo),
        other => other,
    }
}

fn never_lapses(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Lapse) => Decision::Do(Step::CreateRole),
        other => other,
    }
}

pub(crate) fn looks_once(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Wait { what: Wait::NextLook, .. } => Decision::Wait { what: Wait::NextLook, until: None },
        other => other,
    }
}

fn holds_for_ever(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::LetGo) => Decision::Wait { what: Wait::Absence, until: None },
        other => other,
    }
}

fn sweeps_blindly(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Look) if shown.identity.is_none() => Decision::Do(Step::Swept),
        other => other,
    }
}

fn never_has_swept(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Swept) => Decision::Wait { what: Wait::Sweep, until: None },
        other => other,
    }
}

fn always(shown: &Shown, standing: Standing<'_, Wait>, now: Moment) -> Option<Write<Thing>> {
    let again = shown.identity.clone().filter(|identity| !identity.deleting);
    let again = again.map(|before| {
        let mood = match before.told.as_ref().map(|told| told.mood) {
            Some(Mood::Well) => Mood::Waiting,
            _ => Mood::Well,
        };
        let told = Some(Told { mood, words: Words, observed: before.generation });
        let after = bowline_identities::Identity { told, ..before.clone() };
        Write::Status { before: Object::Identity(before), after: Object::Identity(after) }
    });
    again.or_else(|| (SHAPE.report)(shown, standing, now))
}
