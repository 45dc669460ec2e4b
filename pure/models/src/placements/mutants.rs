//! Hubs and syncers that do one thing wrong.

use bowline_control::{Decision, Effect, EffectOf, Moment, Write};
use bowline_placements::syncer::{Act, Idle, Known};
use bowline_placements::{
    FenceSnapshot, FenceState, FenceStep, FenceWait, Grant, Mood, Object, Said, Step, TargetReport, Told,
    UseState, Wait,
};

use super::restore::WITHOUT_JUMP;
use super::shape::{Decided, Next, Remembered, SHAPE, Shape, Shown, Stands, Thing};
use super::{PLACEMENTS, at, at_by};
use crate::harness::FAULTS;
use crate::mutants::Mutant;
use crate::tiny::{Tiny, Words};

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal, $shape:expr, by $rules:expr) => {
        Mutant {
            about: $about,
            model: PLACEMENTS.name,
            breaks: $breaks,
            build: || Box::new(at_by($size, [0; FAULTS], $shape, $rules)),
        }
    };
    ($about:literal breaks $breaks:literal at $size:literal, $shape:expr) => {
        Mutant {
            about: $about,
            model: PLACEMENTS.name,
            breaks: $breaks,
            build: || Box::new(at($size, [0; FAULTS], $shape)),
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("grants without waiting" breaks "UsableByAtMostOne" at "moves=1",
        Shape { snapshot: takes_leaving_for_gone, ..SHAPE }),
    mutant!("does not wait for who has not reported" breaks "UsableByAtMostOne" at "restores=1,moves=1",
        Shape { snapshot: awaits_nobody, ..SHAPE }),
    mutant!("runs on without a lease" breaks "RunsOnce" at "moves=1,enforces=true,cuts=1,fresh=true",
        Shape { act: goes_on_without_lease, ..SHAPE }),
    mutant!("starts before it has said that it is back" breaks "RunsOnce"
        at "moves=1,enforces=true,cuts=2,fresh=true",
        Shape { act: does_not_say_that_it_is_back, ..SHAPE }),
    mutant!("takes a release for done" breaks "UserIsGranted" at "moves=1",
        Shape { snapshot: takes_leaving_for_released, ..SHAPE }),
    mutant!("gives the namespace to both" breaks "NSAtMostOne" at "moves=1",
        Shape { effect: gives_the_namespace_at_once, ..SHAPE }),
    mutant!("gives a volume to both" breaks "PVCAtMostOne" at "moves=1",
        Shape { effect: gives_volumes_at_once, ..SHAPE }),
    mutant!("grants in the same epoch" breaks "EpochsGrow" at "moves=1",
        Shape { effect: grants_in_the_same_epoch, ..SHAPE }),
    mutant!("restores without a jump" breaks "GivenOnce" at "restores=1,fences=1,fresh=true", SHAPE, by WITHOUT_JUMP),
    mutant!("takes down a fence that may be in force" breaks "CleanBeforeUnfenced"
        at "restores=1,moves=1,fences=1,requested=true,driver=true,fresh=true",
        Shape { fence: forgets_the_restore, ..SHAPE }),
    mutant!("does not say that it is ahead" breaks "MoveCompletes" at "restores=1,behind=true,moves=1",
        Shape { act: is_never_ahead, ..SHAPE }),
    mutant!("does not hear of a restore from others" breaks "MoveCompletes" at "restores=1,behind=true,moves=1",
        Shape { fence: hears_of_no_restore, ..SHAPE }),
    mutant!("does not see fences" breaks "NothingOnFenced" at "moves=1,fences=1,fresh=true",
        Shape { snapshot: takes_all_for_open, ..SHAPE }),
    mutant!("deletes what it is to give up" breaks "DataIsKept" at "moves=1",
        Shape { act: deletes_what_it_gives_up, ..SHAPE }),
    mutant!("asks for a volume that there is" breaks "MadeOnce" at "moves=1",
        Shape { act: claims_without_making, ..SHAPE }),
    mutant!("stops when the hub is away" breaks "NothingStopsByItself" at "moves=0,cuts=1",
        Shape { act: stops_without_lease, ..SHAPE }),
    mutant!("moves at any time" breaks "WaitsForItsWindow" at "moves=1,window=true,fresh=true",
        Shape { snapshot: knows_no_window, ..SHAPE }),
    mutant!("unfences too early" breaks "CleanBeforeUnfenced" at "moves=0,fences=2,fresh=true",
        Shape { fence: takes_all_for_clean, ..SHAPE }),
    mutant!("never grants the namespace" breaks "MoveCompletes" at "moves=1",
        Shape { decide: never_grants, ..SHAPE }),
    mutant!("says that all is well" breaks "SaysWhatFor" at "moves=1,cuts=1",
        Shape { report: always_well, ..SHAPE }),
    mutant!("never unfences" breaks "EndsClean" at "moves=0,fences=2,fresh=true",
        Shape { fence: never_unfences, ..SHAPE }),
    mutant!("never deletes" breaks "Goes" at "moves=0,deletes=1",
        Shape { decide: never_deletes, ..SHAPE }),
    mutant!("writes in steady state" breaks "ComesToRest" at "moves=0",
        Shape { report: always, ..SHAPE }),
];

/// The snapshot as it is shipped, with other grants.
fn with_grants(key: u8, objects: &[&Thing], memory: &Remembered, change: impl Fn(&mut Grant<Tiny>)) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    let space = shown.placement.iter_mut().map(|placement| &mut placement.grant);
    space.chain(shown.volumes.values_mut().map(|volume| &mut volume.grant)).for_each(change);
    shown
}

fn knows_no_window(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    shown.placement.iter_mut().for_each(|placement| placement.wish.window = None);
    shown
}

fn takes_leaving_for_gone(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    with_grants(key, objects, memory, |grant| grant.users.retain(|_, its| its.state == UseState::Granted))
}

fn takes_leaving_for_released(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    with_grants(key, objects, memory, |grant| {
        let leaving = grant.users.values_mut().filter(|its| its.state == UseState::Releasing);
        leaving.for_each(|its| its.said = Some(Said::Released));
    })
}

fn awaits_nobody(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    with_grants(key, objects, memory, |grant| {
        if let Some(recovery) = &mut grant.recovering {
            recovery.awaits.clear();
        }
    })
}

fn takes_all_for_open(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    shown.targets.values_mut().for_each(|target| target.fence.state = FenceState::Open);
    shown
}

fn goes_on_without_lease(known: &Known<Tiny>) -> Next {
    if known.tenure.is_none() { Err(Idle::Lease) } else { (SHAPE.act)(known) }
}

fn stops_without_lease(known: &Known<Tiny>) -> Next {
    (SHAPE.act)(&Known { enforces: known.enforces || known.tenure.is_none(), ..known.clone() })
}

fn does_not_say_that_it_is_back(known: &Known<Tiny>) -> Next {
    let mut known = known.clone();
    if let (Some(tenure), Some(view)) = (known.tenure, &mut known.view)
        && let Some(report) = &mut view.target.report
    {
        report.tenure = tenure;
    }
    (SHAPE.act)(&known)
}

fn is_never_ahead(known: &Known<Tiny>) -> Next {
    (SHAPE.act)(known).map(|act| match act {
        Act::Report(report) => Act::Report(TargetReport { ahead: false, ..report }),
        act => act,
    })
}

fn deletes_what_it_gives_up(known: &Known<Tiny>) -> Next {
    (SHAPE.act)(known).map(|act| match act {
        Act::Unclaim(volume) => Act::Destroy(volume),
        act => act,
    })
}

fn claims_without_making(known: &Known<Tiny>) -> Next {
    (SHAPE.act)(known).map(|act| match act {
        Act::Make(volume, held) => Act::Claim(volume, held),
        act => act,
    })
}

/// The effect as it is shipped, with other grants for what is written.
fn recorded(
    shown: &Shown,
    step: &Step<Tiny>,
    now: Moment,
    change: impl FnOnce(&Thing, &mut Grant<Tiny>),
) -> EffectOf<Shape> {
    let mut effect = (SHAPE.effect)(shown, step, now);
    if let Effect::Write(Write::Status { before, after }) = &mut effect {
        match after {
            Object::Placement(placement) => change(before, &mut placement.grant),
            Object::Volume(volume) => change(before, &mut volume.grant),
            _ => {}
        }
    }
    effect
}

/// Who is to have a thing has it in the write that takes it from somebody else.
fn at_once(shown: &Shown, step: &Step<Tiny>, now: Moment, of_namespace: bool) -> EffectOf<Shape> {
    let desired = shown.placement.as_ref().and_then(|placement| placement.desired);
    recorded(shown, step, now, |before, grant| {
        if let (Step::Release(_, user), Some(desired)) = (step, desired)
            && matches!(before, Object::Placement(_)) == of_namespace
            && let Some(its) = grant.users.get(user).copied()
        {
            grant.epoch = grant.epoch.next();
            let its = bowline_placements::Use { epoch: grant.epoch, state: UseState::Granted, ..its };
            grant.users.insert(desired, its);
        }
    })
}

fn gives_the_namespace_at_once(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    at_once(shown, step, now, true)
}

fn gives_volumes_at_once(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    at_once(shown, step, now, false)
}

fn grants_in_the_same_epoch(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |before, grant| {
        if let (Step::Grant(..), Some((_, was))) = (step, before.grant()) {
            grant.epoch = was.epoch;
            grant.users.values_mut().for_each(|its| its.epoch = was.epoch);
        }
    })
}

fn takes_all_for_clean(snapshot: &FenceSnapshot<Tiny>, now: Moment) -> Decision<FenceStep, FenceWait> {
    let mut snapshot = snapshot.clone();
    if let Some(target) = &mut snapshot.target
        && let Some(report) = &mut target.report
    {
        (report.fence, report.restore) = (target.fence.epoch, target.restore);
        report.uses.clear();
    }
    (SHAPE.fence)(&snapshot, now)
}

fn forgets_the_restore(snapshot: &FenceSnapshot<Tiny>, now: Moment) -> Decision<FenceStep, FenceWait> {
    let mut snapshot = snapshot.clone();
    if let Some(target) = &mut snapshot.target {
        target.restore = 0;
    }
    snapshot.memory.look.iter_mut().for_each(|look| look.restore = 0);
    (SHAPE.fence)(&snapshot, now)
}

fn hears_of_no_restore(snapshot: &FenceSnapshot<Tiny>, now: Moment) -> Decision<FenceStep, FenceWait> {
    let mut snapshot = snapshot.clone();
    snapshot.memory.look.iter_mut().for_each(|look| look.restore = 0);
    (SHAPE.fence)(&snapshot, now)
}

fn never_unfences(snapshot: &FenceSnapshot<Tiny>, now: Moment) -> Decision<FenceStep, FenceWait> {
    match (SHAPE.fence)(snapshot, now) {
        Decision::Do(FenceStep::Unfence) => Decision::Wait { what: FenceWait::Clean, until: None },
        other => other,
    }
}

/// The decision as it is shipped, but for steps that are waited for instead.
fn but_for(shown: &Shown, now: Moment, is_left: impl Fn(&Step<Tiny>) -> bool) -> Decided {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(step) if is_left(&step) => Decision::Wait { what: Wait::Ready(1), until: None },
        other => other,
    }
}

fn never_grants(shown: &Shown, now: Moment) -> Decided {
    but_for(shown, now, |step| matches!(step, Step::Grant(bowline_placements::Thing::Namespace(_), _)))
}

fn never_deletes(shown: &Shown, now: Moment) -> Decided {
    but_for(shown, now, |step| matches!(step, Step::Destroy(..)))
}

fn always_well(shown: &Shown, _: Stands<'_>, now: Moment) -> Option<Write<Thing>> {
    (SHAPE.report)(shown, bowline_control::Standing::Converged, now)
}

fn always(shown: &Shown, standing: Stands<'_>, now: Moment) -> Option<Write<Thing>> {
    (SHAPE.report)(shown, standing, now).or_else(|| {
        let before = shown.placement.clone()?;
        let mut after = before.clone();
        let mood = match before.told.as_ref()?.mood {
            Mood::Failing => Mood::Well,
            _ => Mood::Failing,
        };
        let phase = before.told.as_ref()?.phase;
        after.told = Some(Told { phase, mood, words: Words, observed: before.generation });
        Some(Write::Status { before: Object::Placement(before), after: Object::Placement(after) })
    })
}
