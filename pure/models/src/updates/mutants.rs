//! Controllers that do one thing wrong.

mod failures;
pub(crate) mod sights;
mod words;

use bowline_control::lease::Epoch;
use bowline_control::{Decision, Effect, EffectOf, Moment, Standing, Write};
use bowline_updates::{Act, Aim, Ask, Call, Number, Object, Stage, Step, Wait};

use self::failures::{
    blames_what_may_not_be_there, calls_it_failed, does_not_start_after_a_failure, forgets_what_failed,
};
use self::sights::{
    may_be_everywhere, mends_everywhere, takes_all_for_its_own, trusts_any_look, writes_everywhere,
};
use self::words::{goes_silently, mends_silently};
use super::shape::{Known, Shown, Thing};
use super::{SHAPE, Shape, UPDATES_MODEL, at};
use crate::harness::{FAULTS, Fault, SHIPPED};
use crate::mutants::Mutant;
use crate::tiny::Tiny;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal with $faults:expr, $shape:expr) => {
        Mutant {
            about: $about,
            model: UPDATES_MODEL.name,
            breaks: $breaks,
            build: || Box::new(at($size, once($faults), $shape, SHIPPED)),
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("starts beside what runs" breaks "NoConcurrentUpdate" at "" with &[],
        Shape { effect: starts_beside_what_runs, ..SHAPE }),
    mutant!("gives one number to two" breaks "NumbersInOrder" at "" with &[],
        Shape { effect: gives_one_number_twice, ..SHAPE }),
    mutant!("numbers the newest first" breaks "NumbersInOrder" at "" with &[],
        Shape { snapshot: newest_first, ..SHAPE }),
    mutant!("starts what was queued first" breaks "NoApplicationOfOutdatedReq" at "" with &[],
        Shape { effect: keeps_what_was_queued, ..SHAPE }),
    mutant!("forgets what failed" breaks "NotAgain" at "requests=3" with &[],
        Shape { decide: forgets_what_failed, ..SHAPE }),
    mutant!("blames what may not be there any more" breaks "NotToBlame" at "requests=1,turns=1" with &[],
        Shape { effect: blames_what_may_not_be_there, ..SHAPE }),
    mutant!("calls what was begun failed" breaks "NeverTouched" at "" with &[],
        Shape { effect: calls_it_failed, ..SHAPE }),
    mutant!("takes what is applied for good" breaks "LastGoodSucceeded" at "" with &[],
        Shape { effect: is_good_at_once, ..SHAPE }),
    mutant!("discards what is under way" breaks "OnlyWhatHasEndedIsDiscarded" at "discards=true" with &[],
        Shape { decide: discards_what_is_under_way, ..SHAPE }),
    mutant!("discards the last good version's" breaks "OnlyWhatHasEndedIsDiscarded" at "discards=true" with &[],
        Shape { decide: discards_the_last_good, ..SHAPE }),
    mutant!("never discards" breaks "Discarded" at "discards=true" with &[],
        Shape { decide: never_discards, ..SHAPE }),
    mutant!("acts without taking over" breaks "TakenOverFirst" at "" with &[Fault::Crash],
        Shape { decide: as_if_it_led, ..SHAPE }),
    mutant!("writes before it is recorded" breaks "OnlyWhatIsBegun" at "" with &[],
        Shape { decide: writes_before_it_begins, ..SHAPE }),
    mutant!("trusts a look at another cluster" breaks "SeenThere" at "requests=1,contents=1,deletes=2" with &[],
        Shape { snapshot: trusts_any_look, ..SHAPE }),
    mutant!("begins where it may not be" breaks "OnlyWhereAllowed" at "requests=1,turns=1" with &[],
        Shape { snapshot: may_be_everywhere, ..SHAPE }),
    mutant!("puts right where it may not be" breaks "OnlyWhereAllowed" at "requests=1,contents=1,turns=1,repairs=true" with &[Fault::Drift],
        Shape { decide: mends_everywhere, ..SHAPE }),
    mutant!("goes on where it may not be" breaks "OnlyWhereAllowed" at "requests=1,turns=2" with &[],
        Shape { decide: writes_everywhere, ..SHAPE }),
    mutant!("enters once for all" breaks "EnteredFirst" at "" with &[Fault::LostReply],
        Shape { decide: enters_once_for_all, ..SHAPE }),
    mutant!("leaves at once" breaks "EnteredFirst" at "requests=1,deletes=1" with &[Fault::TwoLeaders],
        Shape { decide: leaves_at_once, ..SHAPE }),
    mutant!("enters beside an upgrade" breaks "NotBesideAnUpgrade" at "turns=1" with &[],
        Shape { decide: sees_no_upgrade, ..SHAPE }),
    mutant!("deletes what it took over" breaks "NothingForeignIsLost" at "" with &[Fault::Drift],
        Shape { effect: deletes_without_a_guard, ..SHAPE }),
    mutant!("takes what is there for its own" breaks "NothingForeignIsLost" at "" with &[],
        Shape { snapshot: takes_all_for_its_own, ..SHAPE }),
    mutant!("gives nothing back" breaks "NothingForeignIsLost" at "" with &[],
        Shape { effect: gives_nothing_back, ..SHAPE }),
    mutant!("records what is not kept" breaks "Kept" at "" with &[],
        Shape { decide: records_what_is_not_kept, ..SHAPE }),
    mutant!("forgets before it has left" breaks "Kept" at "requests=1,deletes=1" with &[],
        Shape { decide: forgets_too_soon, ..SHAPE }),
    mutant!("puts right what it does not tell" breaks "DriftIsTold" at "requests=1,repairs=true" with &[Fault::Drift],
        Shape { effect: mends_silently, ..SHAPE }),
    mutant!("says that all is well when it goes" breaks "GoingIsTold" at "requests=1,deletes=1" with &[],
        Shape { report: goes_silently, ..SHAPE }),
    mutant!("rejects silently" breaks "EveryReqIsProcessed" at "" with &[],
        Shape { decide: never_shows, ..SHAPE }),
    mutant!("lets the queue wait for the next one" breaks "EveryReqInQueueIsProcessed" at "" with &[],
        Shape { decide: does_not_start_after_a_failure, ..SHAPE }),
    mutant!("rejects all after the first success" breaks "NewestWins" at "" with &[],
        Shape { decide: rejects_after_a_success, ..SHAPE }),
    mutant!("stops in the middle when it is paused" breaks "NoPartialUpdateTermination" at "pauses=1" with &[],
        Shape { decide: stops_when_paused, ..SHAPE }),
    mutant!("does not look once more" breaks "NoPartialUpdateTermination" at "requests=1" with &[Fault::TwoLeaders, Fault::Provider],
        Shape { decide: leaves_at_once, ..SHAPE }),
    mutant!("stays on the cluster" breaks "IsLeft" at "" with &[],
        Shape { decide: stays, ..SHAPE }),
    mutant!("writes in steady state" breaks "Rests" at "requests=1" with &[],
        Shape { report: always, ..SHAPE }),
    mutant!("applies again and again" breaks "Rests" at "requests=1" with &[],
        Shape { decide: applies_again, ..SHAPE }),
    mutant!("says nothing" breaks "Told" at "requests=1" with &[],
        Shape { report: |_, _, _| None, ..SHAPE }),
];

/// Each of these faults, once.
fn once(faults: &[Fault]) -> [u8; FAULTS] {
    let mut budgets = [0; FAULTS];
    for fault in faults {
        budgets[*fault as usize] = 1;
    }
    budgets
}

/// What is decided otherwise of a stack.
fn otherwise(shown: &Shown, now: Moment, change: impl FnOnce(&mut Shown)) -> Decision<Step, Wait> {
    let mut other = shown.clone();
    change(&mut other);
    (SHAPE.decide)(&other, now)
}

/// What is written otherwise of a stack.
fn rewritten(
    shown: &Shown,
    step: &Step,
    now: Moment,
    change: impl FnOnce(&bowline_updates::Stack<Tiny>, &mut bowline_updates::Stack<Tiny>),
) -> EffectOf<Shape> {
    match (SHAPE.effect)(shown, step, now) {
        Effect::Write(Write::Status { before: Object::Stack(before), after: Object::Stack(mut after) }) => {
            change(&before, &mut after);
            Effect::Write(Write::Status { before: Object::Stack(before), after: Object::Stack(after) })
        }
        other => other,
    }
}

fn starts_beside_what_runs(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |before, after| {
        // Who takes a place leaves the other as it was.
        if let (Step::Begin(_) | Step::Start(_), Some(old)) = (step, before.status.phase.number()) {
            let was = before.request(old).map(|request| request.stage);
            for request in &mut after.status.requests {
                if request.number == old && request.stage == Stage::Superseded {
                    request.stage = was.unwrap_or(request.stage);
                }
            }
        }
    })
}

fn gives_one_number_twice(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |before, after| {
        if *step == Step::Number {
            for new in &mut after.status.requests {
                let is_known = before.status.requests.iter().any(|known| known.update == new.update);
                new.number = if is_known { new.number } else { Number(1) };
            }
        }
    })
}

fn newest_first(objects: &[&Thing], memory: &Known) -> Shown {
    let mut shown = (SHAPE.snapshot)(objects, memory);
    shown.updates.reverse();
    shown
}

/// A version that is queued does not take the place of what waits.
fn keeps_what_was_queued(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |before, after| {
        if let Step::Judge(_, None) = step {
            for request in &mut after.status.requests {
                let was = before.request(request.number).map(|request| request.stage);
                if was == Some(Stage::Queued) {
                    request.stage = Stage::Queued;
                }
            }
        }
    })
}

fn is_good_at_once(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |_, after| {
        if let Step::Begin(number) = step {
            let digest = after.request(*number).map(|request| request.digest);
            after.status.good = digest.map(|digest| bowline_updates::Good { number: *number, digest });
        }
    })
}

fn as_if_it_led(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    otherwise(shown, now, |shown| {
        if let Some(stack) = &mut shown.stack {
            stack.status.epoch = Epoch(1);
        }
    })
}

fn writes_before_it_begins(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Begin(number)) if has_deeds(shown, number) => {
            Decision::Do(Step::Write(Aim::Version(number)))
        }
        other => other,
    }
}

fn has_deeds(shown: &Shown, number: Number) -> bool {
    let effect = (SHAPE.effect)(shown, &Step::Write(Aim::Version(number)), Moment::default());
    matches!(effect, Effect::Call(Call { what: Ask::Write(deeds), .. }) if !deeds.is_empty())
}

fn enters_once_for_all(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    otherwise(shown, now, |shown| {
        let attempt = shown.stack.as_ref().map_or(0, |stack| stack.status.attempt);
        for (_, entered) in shown.cluster.iter_mut().flat_map(|cluster| &mut cluster.updates) {
            *entered = attempt;
        }
    })
}

pub(crate) fn leaves_at_once(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Wait { what: Wait::Quiet, .. } => Decision::Do(Step::Leave),
        other => other,
    }
}

pub(crate) fn sees_no_upgrade(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    otherwise(shown, now, |shown| {
        if let Some(cluster) = &mut shown.cluster {
            cluster.upgrade = false;
        }
    })
}

fn with_deeds(shown: &Shown, step: &Step, now: Moment, change: impl Fn(&mut Act<Tiny>)) -> EffectOf<Shape> {
    match (SHAPE.effect)(shown, step, now) {
        Effect::Call(Call { what: Ask::Write(mut deeds), stack, uid, cluster, on, attempt }) => {
            deeds.iter_mut().for_each(|deed| change(&mut deed.act));
            Effect::Call(Call { what: Ask::Write(deeds), stack, uid, cluster, on, attempt })
        }
        other => other,
    }
}

/// What was taken over is deleted, and not given back.
fn deletes_without_a_guard(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    let now_there =
        shown.memory.look.as_ref().and_then(|look| look.sights.get(&0)).and_then(|sight| sight.live.as_ref());
    let foreign = now_there.filter(|live| live.whose != bowline_updates::Whose::Ours).map(|live| live.read);
    with_deeds(shown, step, now, |act| {
        if let (Act::Apply(_, read), Some(foreign)) = (&*act, foreign)
            && *read == foreign
        {
            *act = Act::Delete(foreign);
        }
    })
}

fn gives_nothing_back(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    with_deeds(shown, step, now, |act| {
        if let Act::Restore(_, read) = act {
            *act = Act::Delete(*read);
        }
    })
}

fn records_what_is_not_kept(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Store(Aim::Version(number))) => Decision::Do(Step::Begin(number)),
        other => other,
    }
}

fn forgets_too_soon(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let is_deleted = shown.stack.as_ref().is_some_and(|stack| stack.deleting);
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Leave) if is_deleted => Decision::Do(Step::Forget),
        other => other,
    }
}

fn never_shows(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let is_superseded = |number: Number| {
        let request = shown.stack.as_ref().and_then(|stack| stack.request(number));
        request.is_some_and(|request| request.stage == Stage::Superseded)
    };
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Show(number)) if is_superseded(number) => {
            Decision::Wait { what: Wait::Person, until: None }
        }
        other => other,
    }
}

fn discards_what_is_under_way(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let under_way = shown.stack.as_ref().and_then(|stack| stack.status.phase.number());
    let update = |number: &Number| {
        let shows = |update: &bowline_updates::Update<Tiny>| update.shown.as_ref()?.number;
        shown.updates.iter().any(|update| shows(update) == Some(*number))
    };
    match under_way.filter(update) {
        Some(number) => Decision::Do(Step::Discard(number)),
        None => (SHAPE.decide)(shown, now),
    }
}

/// As if there were none.
fn discards_the_last_good(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let without = otherwise(shown, now, |shown| {
        if let Some(stack) = shown.stack.as_mut() {
            stack.status.good = None;
        }
    });
    match without {
        Decision::Do(Step::Discard(_)) => without,
        _ => (SHAPE.decide)(shown, now),
    }
}

fn never_discards(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    otherwise(shown, now, |shown| {
        if let Some(stack) = shown.stack.as_mut() {
            stack.wish.history = u32::MAX;
        }
    })
}

fn rejects_after_a_success(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let has_succeeded = shown.stack.as_ref().is_some_and(|stack| stack.status.good.is_some());
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Judge(number, None)) if has_succeeded => {
            Decision::Do(Step::Judge(number, Some(bowline_updates::Objection::BadContent)))
        }
        other => other,
    }
}

fn stops_when_paused(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let is_stopped = shown.stack.as_ref().is_some_and(|stack| {
        stack.wish.paused && matches!(stack.status.phase, bowline_updates::Phase::Partial(_))
    });
    match (SHAPE.decide)(shown, now) {
        Decision::Do(_) if is_stopped => Decision::Wait { what: Wait::Unpaused, until: None },
        other => other,
    }
}

fn applies_again(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Look(Aim::LastGood)) if shown.memory.look.is_some() => {
            Decision::Do(Step::Write(Aim::LastGood))
        }
        other => other,
    }
}

pub(crate) fn stays(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Leave) => Decision::Wait { what: Wait::NextLook, until: None },
        other => other,
    }
}

fn always(shown: &Shown, standing: Standing<'_, Wait>, now: Moment) -> Option<Write<Thing>> {
    let again = shown.stack.clone().filter(|stack| !stack.deleting);
    (SHAPE.report)(shown, standing, now).or_else(|| {
        again.map(|stack| Write::Status { before: Object::Stack(stack.clone()), after: Object::Stack(stack) })
    })
}
