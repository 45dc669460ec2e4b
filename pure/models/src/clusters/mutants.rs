//! Controllers and loops that do one thing wrong.

use bowline_clusters::{Home, Reply, Step, Wait};
use bowline_control::{Decision, Moment, Standing, Write};

use super::{CLUSTERS, Known, SHAPE, Shape, Shown, Thing, at};
use crate::harness::{self, Action, FAULTS, Fault, Rules, SHIPPED, State};
use crate::mutants::Mutant;
use crate::tiny::Tiny;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal with $faults:expr, $shape:expr, $rules:expr) => {
        Mutant {
            about: $about,
            model: CLUSTERS.name,
            breaks: $breaks,
            build: || Box::new(at($size, once($faults), $shape, $rules)),
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("lets go without stopping" breaks "NoneRunsAlone" at "lag=1" with None,
        Shape { decide: lets_go_without_stopping, ..SHAPE }, SHIPPED),
    mutant!("takes another one's end for its own" breaks "NoneRunsAlone" at "lag=1,deletes=2,edits=0,turns=0" with None,
        Shape { snapshot: of_any_that_was_stopped, ..SHAPE }, SHIPPED),
    mutant!("takes a stop that failed for an end" breaks "NoneRunsAlone" at "lag=1" with Some(Fault::Provider),
        Shape { learn: takes_a_failure_for_an_end, ..SHAPE }, SHIPPED),
    mutant!("starts before it holds" breaks "HeldFirst" at "lag=1" with None,
        Shape { decide: starts_before_it_holds, ..SHAPE }, SHIPPED),
    mutant!("believes what was found of another one" breaks "Found" at "lag=1" with None,
        Shape { snapshot: of_any_uid, ..SHAPE }, SHIPPED),
    mutant!("believes what was found of an older wish" breaks "Found" at "lag=1" with None,
        Shape { snapshot: of_any_generation, ..SHAPE }, SHIPPED),
    mutant!("tells of trouble with an older wish" breaks "Found" at "lag=1" with Some(Fault::Provider),
        SHAPE, Rules { then: keeps_old_trouble, ..SHIPPED }),
    mutant!("fails what is wanted now with an older call" breaks "Found" at "lag=1" with Some(Fault::Provider),
        SHAPE, Rules { then: takes_every_call_for_new, ..SHIPPED }),
    mutant!("takes any server for its own" breaks "OneServer" at "lag=1,edits=0,turns=0,moves=1" with None,
        Shape { snapshot: of_any_server, ..SHAPE }, SHIPPED),
    mutant!("forgets which server it is when it does not answer" breaks "OneServer"
        at "lag=1,edits=0,turns=1,moves=1" with None,
        Shape { report: forgets_which_server, ..SHAPE }, SHIPPED),
    mutant!("acts as if it were the hub" breaks "LeftToItsHub" at "lag=1,hub=false" with None,
        Shape { decide: |_, shown, now| (SHAPE.decide)(Home::Hub, shown, now), ..SHAPE }, SHIPPED),
    mutant!("looks at what only its hub can start" breaks "LeftToItsHub" at "lag=1,hub=false" with None,
        Shape { decide: looks_everywhere, ..SHAPE }, SHIPPED),
    mutant!("looks once" breaks "Converges" at "lag=1" with None,
        Shape { decide: looks_once, ..SHAPE }, SHIPPED),
    mutant!("tells only the first finding" breaks "Converges" at "lag=1" with None,
        Shape { report: tells_the_first, ..SHAPE }, SHIPPED),
    mutant!("forgets a call that was not answered" breaks "Converges" at "lag=1" with Some(Fault::LostRequest),
        SHAPE, Rules { then: forgets_what_was_lost, ..SHIPPED }),
    mutant!("holds for ever" breaks "Goes" at "lag=1" with None,
        Shape { decide: holds_for_ever, ..SHAPE }, SHIPPED),
    mutant!("writes in steady state" breaks "Rests" at "lag=1" with None,
        Shape { report: always, ..SHAPE }, SHIPPED),
];

/// This fault, once.
fn once(fault: Option<Fault>) -> [u8; FAULTS] {
    let mut budgets = [0; FAULTS];
    if let Some(fault) = fault {
        budgets[fault as usize] = 1;
    }
    budgets
}

fn lets_go_without_stopping(home: Home, shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(home, shown, now) {
        Decision::Do(Step::Stop) => Decision::Do(Step::LetGo),
        other => other,
    }
}

fn of_any_that_was_stopped(objects: &[&Thing], memory: &Known) -> Shown {
    let shown = (SHAPE.snapshot)(objects, memory);
    Shown { stopped: shown.cluster.is_some() && memory.stopped.is_some(), ..shown }
}

fn takes_a_failure_for_an_end(memory: &mut Known, reply: Reply<Tiny>, now: Moment) -> Result<(), String> {
    match (reply, &memory.probe) {
        (Reply::Failed(_), Some(probe)) => (SHAPE.learn)(memory, Reply::Stopped(probe.uid), now),
        (reply, _) => (SHAPE.learn)(memory, reply, now),
    }
}

fn starts_before_it_holds(home: Home, shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(home, shown, now) {
        Decision::Do(Step::Hold) if shown.probe.is_none() => Decision::Do(Step::Probe),
        other => other,
    }
}

fn of_any_uid(objects: &[&Thing], memory: &Known) -> Shown {
    let same = |probe: &bowline_clusters::Probe<Tiny>| {
        objects.first().is_some_and(|cluster| cluster.generation == probe.generation)
    };
    let probe = memory.probe.clone().filter(same);
    Shown { probe, ..(SHAPE.snapshot)(objects, memory) }
}

fn of_any_generation(objects: &[&Thing], memory: &Known) -> Shown {
    let same = |probe: &bowline_clusters::Probe<Tiny>| {
        objects.first().is_some_and(|cluster| cluster.uid == probe.uid)
    };
    let probe = memory.probe.clone().filter(same);
    Shown { probe, ..(SHAPE.snapshot)(objects, memory) }
}

fn of_any_server(objects: &[&Thing], memory: &Known) -> Shown {
    let bare = objects.first().map(|cluster| Thing { server: None, ..(*cluster).clone() });
    let shown = (SHAPE.snapshot)(&bare.iter().collect::<Vec<_>>(), memory);
    Shown { cluster: objects.first().map(|cluster| (*cluster).clone()), ..shown }
}

fn forgets_which_server(shown: &Shown, standing: Standing<'_, Wait>) -> Option<Write<Thing>> {
    let is_ready =
        |cluster: &Thing| cluster.status.as_ref().is_some_and(|status| status.finding.found.is_ready());
    match (SHAPE.report)(shown, standing)? {
        Write::Status { before, after } if !is_ready(&after) => {
            Some(Write::Status { before, after: Thing { server: None, ..after } })
        }
        write => Some(write),
    }
}

fn looks_everywhere(home: Home, shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(home, shown, now) {
        Decision::Wait { what: Wait::ItsHub, .. } => Decision::Do(Step::Probe),
        other => other,
    }
}

fn looks_once(home: Home, shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(home, shown, now) {
        Decision::Wait { what: Wait::NextLook, .. } => Decision::Wait { what: Wait::NextLook, until: None },
        other => other,
    }
}

fn tells_the_first(shown: &Shown, standing: Standing<'_, Wait>) -> Option<Write<Thing>> {
    let is_new = shown.cluster.as_ref().is_some_and(|cluster| cluster.status.is_none());
    (SHAPE.report)(shown, standing).filter(|_| is_new)
}

fn keeps_old_trouble(before: &State, action: &Action, after: &mut State) {
    if let Action::Show(_) = action {
        for (was, is) in before.keys.iter().zip(&mut after.keys) {
            is.trouble |= was.trouble;
        }
    }
}

fn takes_every_call_for_new(_: &State, _: &Action, after: &mut State) {
    after.keys.iter_mut().for_each(|known| known.outdated = false);
}

fn forgets_what_was_lost(_: &State, action: &Action, after: &mut State) {
    if let Action::LoseRequest(key) = action
        && let known = &mut after.keys[usize::from(*key)]
        && known.trouble
    {
        *known = harness::Known { memory: known.memory, ..Default::default() };
    }
}

fn holds_for_ever(home: Home, shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    match (SHAPE.decide)(home, shown, now) {
        Decision::Do(Step::LetGo) => Decision::Wait { what: Wait::ItsHub, until: None },
        other => other,
    }
}

fn always(shown: &Shown, standing: Standing<'_, Wait>) -> Option<Write<Thing>> {
    let again = shown.cluster.clone().filter(|cluster| !cluster.deleting);
    (SHAPE.report)(shown, standing)
        .or_else(|| again.map(|cluster| Write::Status { before: cluster.clone(), after: cluster }))
}
