//! Groups and agents that do one thing wrong.

use bowline_control::{Decision, Effect, EffectOf, Moment, Standing, Write};
use bowline_upgrades::agent::{Act, Idle, Known};
use bowline_upgrades::{Command, Mood, Object, Phase, Refusal, SeatState, Status, Step, Told, Verb, Wait};

use super::shape::{Remembered, SHAPE, Shape, Shown, Thing};
use super::{UPGRADES, at};
use crate::harness::{FAULTS, Fault, SHIPPED};
use crate::mutants::Mutant;
use crate::tiny::{Tiny, Words};

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal $(with $fault:expr)?, $shape:expr) => {
        Mutant {
            about: $about,
            model: UPGRADES.name,
            breaks: $breaks,
            build: || Box::new(at($size, once(&[$($fault)?]), $shape, SHIPPED)),
        }
    };
}

/// Each of these faults once.
fn once(faults: &[Fault]) -> [u8; FAULTS] {
    Fault::ALL.map(|fault| faults.contains(&fault).into())
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("gives without waiting" breaks "OneMaster" at "",
        Shape { snapshot: takes_all_for_let_go, ..SHAPE }),
    mutant!("does not stop without a lease" breaks "OneMaster" at "cuts=1",
        Shape { act: goes_on_without_lease, ..SHAPE }),
    mutant!("acts by what it had read before" breaks "OneMaster" at "cuts=1,returns=1",
        Shape { act: trusts_what_it_read, ..SHAPE }),
    mutant!("believes an earlier lapse" breaks "OneMaster" at "cuts=1,returns=1",
        Shape { snapshot: believes_every_lapse, ..SHAPE }),
    mutant!("lets who is back keep its version" breaks "AtMostTwoVersions" at "cuts=1,returns=1",
        Shape { effect: returns_as_it_was, ..SHAPE }),
    mutant!("gives to whoever is first" breaks "MastersServe" at "",
        Shape { effect: gives_to_the_first, ..SHAPE }),
    mutant!("interrupts the service" breaks "KeepsQuorum" at "partitions=1,size=2",
        Shape { snapshot: may_interrupt, ..SHAPE }),
    mutant!("serves before anybody works" breaks "SwitchesOnlyIfItCan" at "",
        Shape { effect: serves_at_once, ..SHAPE }),
    mutant!("tells nobody of partitions" breaks "MembersAgree" at "partitions=1,devices=0",
        Shape { snapshot: takes_partitions_for_told, ..SHAPE }),
    mutant!("goes on when a node is lost" breaks "CrashRollsBack" at "crashes=1",
        Shape { effect: goes_on_in_any_case, ..SHAPE }),
    mutant!("commits half-way" breaks "CommitsWhenAllAreThere" at "",
        Shape { effect: ends_at_once, ..SHAPE }),
    mutant!("gives in the same epoch" breaks "EpochsGrow" at "",
        Shape { effect: gives_in_the_same_epoch, ..SHAPE }),
    mutant!("knows no way back" breaks "NoTrap" at "manual=true,sick=2,commands=2",
        Shape { would: never_rolls_back, ..SHAPE }),
    mutant!("never gives" breaks "Mastered" at "",
        Shape { decide: never_gives, ..SHAPE }),
    mutant!("never ends" breaks "Ends" at "deadline=true",
        Shape { decide: never_ends, ..SHAPE }),
    mutant!("waits for who cannot be kept alive" breaks "Ends" at "sick=1,deadline=true,crashes=1",
        Shape { decide: waits_for_all, ..SHAPE }),
    mutant!("tries again after a command" breaks "StaysFailed" at "crashes=1,commands=1",
        Shape { effect: forgets_what_failed, ..SHAPE }),
    mutant!("does not go back once the new version serves" breaks "CanGoBack" at "",
        Shape { would: goes_back_only_before_it_serves, ..SHAPE }),
    mutant!("begins where an update may be" breaks "OneAtATime" at "cluster=true,updates=1",
        Shape { snapshot: takes_the_cluster_for_its_own, ..SHAPE }),
    mutant!("leaves the cluster, and may begin there" breaks "OneAtATime" at "cluster=true,edits=2" with Fault::LostReply,
        Shape { decide: leaves_at_once, ..SHAPE }),
    mutant!("never leaves the cluster" breaks "LeavesTheCluster" at "cluster=true",
        Shape { decide: never_leaves, ..SHAPE }),
    mutant!("lets go who runs" breaks "StopsBeforeItGoes" at "deletions=1",
        Shape { decide: dismisses_at_once, ..SHAPE }),
    mutant!("lets nobody go" breaks "DeletedGoes" at "deletions=1",
        Shape { decide: dismisses_nobody, ..SHAPE }),
    mutant!("writes in steady state" breaks "ComesToRest" at "",
        Shape { report: always, ..SHAPE }),
];

fn takes_all_for_let_go(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    for member in shown.members.values_mut() {
        let generation = member.generation;
        if let Some(report) = &mut member.report {
            report.devices.clear();
            report.observed = generation;
        }
    }
    shown
}

fn believes_every_lapse(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    let look = shown.memory.look.as_mut();
    for (number, (generation, _)) in look.into_iter().flat_map(|look| &mut look.leases) {
        if let Some(member) = shown.members.get(number) {
            *generation = member.generation;
        }
    }
    shown
}

fn may_interrupt(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    if let Some(group) = &mut shown.group {
        group.wish.interrupts = true;
    }
    shown
}

fn goes_on_without_lease(known: &Known<Tiny>) -> Result<Act<Tiny>, Idle> {
    if known.tenure.is_none() { Err(Idle::Lease) } else { (SHAPE.act)(known) }
}

fn trusts_what_it_read(known: &Known<Tiny>) -> Result<Act<Tiny>, Idle> {
    let mut known = known.clone();
    let tenure = known.tenure;
    if let Some(read) = &mut known.read {
        read.tenure = tenure.or(read.tenure);
    }
    (SHAPE.act)(&known)
}

/// The effect as it is shipped, with another status for this step.
fn recorded(
    shown: &Shown,
    step: &Step<Tiny>,
    now: Moment,
    change: impl FnOnce(&Status<Tiny>, &mut Status<Tiny>),
) -> EffectOf<Shape> {
    match (SHAPE.effect)(shown, step, now) {
        Effect::Write(Write::Status { before: Object::Group(before), after: Object::Group(mut after) }) => {
            change(&before.status, &mut after.status);
            Effect::Write(Write::Status { before: Object::Group(before), after: Object::Group(after) })
        }
        other => other,
    }
}

fn returns_as_it_was(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |before, after| {
        if let Step::Return(member) = step
            && let (Some(was), Some(is)) = (before.seats.get(member), after.seats.get_mut(member))
        {
            is.version = was.version;
        }
    })
}

fn gives_to_the_first(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |_, after| {
        if *step == Step::Give {
            after.devices.values_mut().for_each(|mastery| mastery.master = Some(1));
        }
    })
}

fn gives_in_the_same_epoch(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |before, after| {
        if *step == Step::Give {
            for (device, mastery) in &mut after.devices {
                mastery.epoch = before.devices[device].epoch;
            }
        }
    })
}

fn serves_at_once(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |_, after| {
        if *step == Step::Initialize {
            (after.phase, after.serving) = (Phase::Upgraded, after.pair.as_ref().map(|pair| pair.new));
        }
    })
}

fn ends_at_once(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |_, after| {
        if *step == Step::Run {
            (after.phase, after.pair) = (Phase::Inactive, None);
        }
    })
}

fn never_rolls_back(shown: &Shown, command: &Command<Tiny>) -> Result<Step<Tiny>, Refusal<Tiny>> {
    match command.verb {
        Verb::Rollback => Err(Refusal::Begun),
        _ => (SHAPE.would)(shown, command),
    }
}

fn goes_back_only_before_it_serves(
    shown: &Shown,
    command: &Command<Tiny>,
) -> Result<Step<Tiny>, Refusal<Tiny>> {
    let serves = shown.group.as_ref().is_some_and(|group| group.status.phase == Phase::Upgraded);
    match command.verb {
        Verb::Rollback if serves => Err(Refusal::Phase(Phase::Upgraded)),
        _ => (SHAPE.would)(shown, command),
    }
}

/// The decision as it is shipped, but for one step that is waited for instead.
fn but_for(shown: &Shown, now: Moment, step: &Step<Tiny>) -> Decision<Step<Tiny>, Wait<Tiny>> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(decided) if decided == *step => {
            let until = Some(now.clock.plus(bowline_control::Millis(1_000)));
            Decision::Wait { what: Wait::Master, until }
        }
        other => other,
    }
}

fn never_gives(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    but_for(shown, now, &Step::Give)
}

fn takes_partitions_for_told(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    let status = shown.group.as_ref().map(|group| group.status.clone()).unwrap_or_default();
    for (number, member) in &mut shown.members {
        let lists = status.seats.get(number).and_then(|seat| status.lists.get(&seat.version));
        member.desired.partitions = lists.cloned().unwrap_or_default();
    }
    shown
}

fn goes_on_in_any_case(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |before, after| {
        if matches!(step, Step::Lose(_) | Step::Crash(_)) {
            (after.phase, after.serving) = (before.phase, before.serving);
        }
    })
}

fn never_ends(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    but_for(shown, now, &Step::Reset)
}

/// Nobody is left behind when an upgrade is committed, not even who cannot be kept alive.
fn waits_for_all(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    let seats = shown.group.iter().flat_map(|group| group.status.seats.values());
    match seats.map(|seat| seat.state).any(|state| state == SeatState::Crashed) {
        true => but_for(shown, now, &Step::Commit),
        false => (SHAPE.decide)(shown, now),
    }
}

/// The cluster is the group's, whoever is there.
pub(crate) fn takes_the_cluster_for_its_own(key: u8, objects: &[&Thing], memory: &Remembered) -> Shown {
    let mut shown = (SHAPE.snapshot)(key, objects, memory);
    let next = shown.group.as_ref().map(|group| (group.name, group.status.attempt + 1));
    let is_to_begin = shown.group.as_ref().is_some_and(|group| group.status.serving != group.wish.version);
    if let Some(cluster) = shown.cluster.as_mut().filter(|_| is_to_begin) {
        (cluster.updates, cluster.upgrade) = (false, next);
    }
    shown
}

pub(crate) fn leaves_at_once(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::GiveUp) => Decision::Do(Step::Leave),
        other => other,
    }
}

pub(crate) fn never_leaves(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    but_for(shown, now, &Step::Leave)
}

fn dismisses_at_once(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    let mut going = shown.members.values().filter(|member| member.deleting && member.held);
    match going.next() {
        Some(member) => Decision::Do(Step::Dismiss(member.name)),
        None => (SHAPE.decide)(shown, now),
    }
}

fn dismisses_nobody(shown: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
    let going = shown.members.values().filter(|member| member.deleting);
    going.fold((SHAPE.decide)(shown, now), |decided, member| match decided {
        Decision::Do(step) if step == Step::Dismiss(member.name) => but_for(shown, now, &step),
        other => other,
    })
}

fn forgets_what_failed(shown: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
    recorded(shown, step, now, |before, after| {
        if before.answered != after.answered {
            after.failed = before.failed;
        }
    })
}

fn always(shown: &Shown, standing: Standing<'_, Wait<Tiny>>, now: Moment) -> Option<Write<Thing>> {
    (SHAPE.report)(shown, standing, now).or_else(|| {
        let before = shown.group.clone()?;
        let mut after = before.clone();
        let mood = match before.told.as_ref()?.mood {
            Mood::Failing => Mood::Well,
            _ => Mood::Failing,
        };
        after.told = Some(Told { mood, words: Words, observed: before.generation });
        Some(Write::Status { before: Object::Group(before), after: Object::Group(after) })
    })
}
