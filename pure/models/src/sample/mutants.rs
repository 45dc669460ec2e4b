//! Controllers, loops and servers that do one thing wrong.

use bowline_control::{Decision, Standing, Write};
use bowline_sample::{Object, Step, Wait};

use super::{CONTROL, SHAPE, Shape, Shown, Thing, at, names};
use crate::harness::{Action, Doing, FAULTS, Fault, Known, Need, Post, Rules, SHIPPED, State, Verb, What};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal with $faults:expr, $shape:expr, $rules:expr) => {
        Mutant {
            about: $about,
            model: CONTROL.name,
            breaks: $breaks,
            build: || Box::new(at("lag=1", once($faults), $shape, $rules)),
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("forgets a wake-up" breaks "Converges" with &[], SHAPE,
        Rules { then: forgets_a_wake_up, ..SHIPPED }),
    mutant!("takes a conflict for the end" breaks "Converges" with &[Fault::Conflict], SHAPE,
        Rules { then: takes_a_conflict_for_the_end, ..SHIPPED }),
    mutant!("writes without a guard" breaks "KeepsWishes" with &[], SHAPE,
        Rules { then: writes_without_a_guard, ..SHIPPED }),
    mutant!("trusts a stale cache" breaks "LeavesNothing" with &[], SHAPE,
        Rules { then: trusts_a_stale_cache, ..SHIPPED }),
    mutant!("repeats a create with a generated name" breaks "OneOfEach" with &[Fault::LostReply],
        Shape { snapshot: by_owner, ..SHAPE }, Rules { place: generated, ..SHIPPED }),
    mutant!("drops the finalizer early" breaks "LeavesNothing" with &[],
        Shape { decide: lets_go_early, ..SHAPE }, SHIPPED),
    mutant!("waits inside a worker" breaks "Converges" with &[Fault::Drift], SHAPE,
        Rules { then: waits_inside, carries: once_it_is_ready, ..SHIPPED }),
    mutant!("loses a key on a crash" breaks "Converges" with &[Fault::Crash], SHAPE,
        Rules { then: forgets_on_a_crash, ..SHIPPED }),
    mutant!("relies on who was at it" breaks "Converges" with &[Fault::Crash],
        Shape { keys: of_those_that_rest, ..SHAPE }, SHIPPED),
    mutant!("writes in steady state" breaks "Rests" with &[],
        Shape { report: always, ..SHAPE }, SHIPPED),
    mutant!("makes both halves at once" breaks "LeftFirst" with &[],
        Shape { decide: does_not_wait, ..SHAPE }, SHIPPED),
    mutant!("takes what is not its own" breaks "LeavesOthersAlone" with &[Fault::Drift],
        Shape { decide: adopts, ..SHAPE }, SHIPPED),
    mutant!("does not say that it waits" breaks "Converges" with &[Fault::Drift],
        Shape { report: only_when_ready, ..SHAPE }, SHIPPED),
];

/// Each of these faults, once.
fn once(faults: &[Fault]) -> [u8; FAULTS] {
    let mut budgets = [0; FAULTS];
    for fault in faults {
        budgets[*fault as usize] = 1;
    }
    budgets
}

fn forgets_a_wake_up(before: &State, action: &Action, after: &mut State) {
    if *action == Action::Show(1) {
        for (known, was) in after.keys.iter_mut().zip(before.keys) {
            known.waits &= was.waits || was.need != Need::Nothing;
        }
    }
}

fn takes_a_conflict_for_the_end(_: &State, action: &Action, after: &mut State) {
    if let Action::Carry(key) = action
        && let known = &mut after.keys[usize::from(*key)]
        && matches!(known.need, Need::Look(_))
    {
        *known = Known::default();
    }
}

fn writes_without_a_guard(_: &State, action: &Action, after: &mut State) {
    if let Action::Turn(key) = action
        && let Some(Doing { what: What::Write(post), .. }) = &mut after.keys[usize::from(*key)].doing
        && post.verb == Verb::Change
    {
        post.read = None;
    }
}

fn trusts_a_stale_cache(_: &State, action: &Action, after: &mut State) {
    if let Action::Carry(key) = action
        && let known = &mut after.keys[usize::from(*key)]
        && matches!(known.need, Need::At { .. } | Need::Gone { .. })
    {
        *known = Known { waits: true, need: Need::Nothing, due: false, ..*known };
    }
}

/// A server that finds a name of its own for what is made.
fn generated(s: &State, post: &Post) -> u8 {
    let another = names::another(post.slot);
    let free = s.truth()[usize::from(another)].is_none();
    let is_left = post.slot % 4 == 1;
    if post.verb == Verb::Create && is_left && free { another } else { post.slot }
}

/// Names say nothing then: the left half is what belongs to the pair.
fn by_owner(key: &u8, objects: &[&Thing]) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects);
    let left = objects.iter().find_map(|object| match object {
        Object::Half(half) if half.side == bowline_sample::Side::Left => Some(half.clone()),
        _ => None,
    });
    shown.halves[0] = left;
    shown
}

fn lets_go_early(shown: &Shown) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown) {
        Decision::Do(Step::Remove(bowline_sample::Side::Left)) => Decision::Do(Step::LetGo),
        other => other,
    }
}

/// A key that would wait for a half keeps its worker, with a request that is answered when the half is ready.
fn waits_inside(_: &State, action: &Action, after: &mut State) {
    let Action::Turn(key) = action else { return };
    let (_, halves) = names::places(*key);
    let unready =
        halves.into_iter().find(|slot| after.shown[*slot].is_some_and(|half| !names::is_ready(&half)));
    let known = &mut after.keys[usize::from(*key)];
    if let Some(slot) = unready
        && known.doing.is_none()
    {
        known.doing = Some(Doing { what: What::Look(slot as u8), point: 0 });
    }
}

fn once_it_is_ready(s: &State, key: u8) -> bool {
    match s.keys[usize::from(key)].doing {
        Some(Doing { what: What::Look(slot), .. }) if !names::is_pair(slot) => {
            s.truth()[usize::from(slot)].is_some_and(|half| names::is_ready(&half))
        }
        _ => true,
    }
}

fn forgets_on_a_crash(_: &State, action: &Action, after: &mut State) {
    if matches!(action, Action::Crash(_)) {
        after.keys = Default::default();
    }
}

/// A pair that nobody has looked at, or that has come to rest: any other is in somebody's hands.
fn of_those_that_rest(object: &Thing) -> Vec<u8> {
    match object {
        Object::Pair(pair) if pair.held && pair.status.observed < pair.generation => Vec::new(),
        other => (SHAPE.keys)(other),
    }
}

fn always(shown: &Shown, standing: Standing<'_, Wait>) -> Option<Write<Thing>> {
    let again = shown.pair.clone().filter(|pair| !pair.deleting).map(Object::Pair);
    (SHAPE.report)(shown, standing)
        .or_else(|| again.map(|pair| Write::Status { before: pair.clone(), after: pair }))
}

fn does_not_wait(shown: &Shown) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown) {
        Decision::Wait { what: Wait::Ready(_), .. } if shown.halves[1].is_none() => {
            Decision::Do(Step::Make(bowline_sample::Side::Right))
        }
        other => other,
    }
}

fn adopts(shown: &Shown) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown) {
        Decision::Wait { what: Wait::NameTaken(side), .. } => Decision::Do(Step::Remove(side)),
        other => other,
    }
}

fn only_when_ready(shown: &Shown, standing: Standing<'_, Wait>) -> Option<Write<Thing>> {
    if standing == Standing::Converged { (SHAPE.report)(shown, standing) } else { None }
}
