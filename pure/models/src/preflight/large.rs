//! A preflight holds against the model `upgrades`, at two nodes: it is leaner, and must not be blind. What a group comes to when
//! nothing goes on any more is the same in both, with the same verdicts.

use std::collections::{BTreeMap, BTreeSet};

use bowline_explorer::{Model, Options, Verdict, check};
use bowline_upgrades::{Names, Phase, Status};

use super::town::Town;
use super::{Preflight, Storm};
use crate::harness::{FAULTS, SHIPPED};
use crate::naive::{reach, successors};
use crate::tiny::Tiny;
use crate::upgrades;

/// What is recorded of a group, as both models can say it. They count members and versions from different numbers.
fn sketch<N>(status: &Status<N>, first: u16) -> String
where
    N: Names,
    N::Member: Copy + Into<u16>,
    N::Version: Copy + Into<u16>,
{
    let of_member = |member: N::Member| -> u16 { Into::<u16>::into(member) - first };
    let of_version = |version: N::Version| -> u16 { Into::<u16>::into(version) - first };
    let seats =
        status.seats.iter().map(|(member, seat)| (of_member(*member), of_version(seat.version), seat.state));
    let lists = status.lists.iter().map(|(version, lists)| {
        // The large model keeps no order in them.
        let sorted =
            |list: &Vec<N::Member>| list.iter().map(|member| of_member(*member)).collect::<BTreeSet<_>>();
        (of_version(*version), lists.iter().map(sorted).collect::<Vec<_>>())
    });
    let masters = status.devices.values().map(|mastery| (mastery.master.map(of_member), mastery.leaves));
    let failed = status.failed.as_ref().map(|(version, _)| of_version(*version));
    format!(
        "{:?} {:?} {:?} {:?} {:?} failed {failed:?} {}",
        status.phase,
        status.serving.map(of_version),
        seats.collect::<Vec<_>>(),
        lists.collect::<Vec<_>>(),
        masters.collect::<Vec<_>>(),
        status.forwarded,
    )
}

/// Everything that can be reached.
fn all<M: Model<State: Ord>>(model: &M) -> BTreeSet<M::State> {
    let mut found: BTreeSet<M::State> = BTreeSet::new();
    let mut frontier: Vec<_> = model.init().into_iter().map(|state| model.canonical(state)).collect();
    while let Some(state) = frontier.pop() {
        if found.insert(state.clone()) {
            frontier.extend(successors(model, &state).into_iter().map(|state| model.canonical(state)));
        }
    }
    found
}

/// What can be when nothing goes on but time, and no node has come to harm: by the large model. Its lasting states are those of the lean
/// one, and the time that an upgrade is watched before it is committed: to that, the lean one is no rest.
fn in_the_large(size: &str) -> BTreeSet<String> {
    let model = upgrades::at(size, [0; FAULTS], upgrades::SHIPPED_SHAPE, SHIPPED);
    let is_watched = |status: &Status<Tiny>| {
        status.phase == Phase::Upgraded
            && status.seats.values().all(|seat| Some(seat.version) == status.serving)
    };
    let at_rest = all(&model).into_iter().filter(|state| upgrades::is_at_rest(&model, state));
    let recorded = at_rest.map(|state| upgrades::recorded(&state));
    recorded.filter(|status| !is_watched(status)).map(|status| sketch(&status, 1)).collect()
}

fn in_the_lean(town: &Town, sick: bool) -> BTreeSet<String> {
    let calm = Storm { crashes: 0, returns: false, rollbacks: 0 };
    let mut plan = Preflight::new(&town.snapshot(), "v2", calm).expect("a plan");
    plan.beginnings.retain(|state| state.sick == sick);
    let reached = reach(&plan);
    let at_rest = reached.states.values().filter(|state| state.is_at_rest());
    at_rest.map(|state| sketch(&state.status, 0)).collect()
}

#[test]
fn what_a_preflight_comes_to_is_what_the_large_model_comes_to() {
    let pair = Town::new(2);
    let parted = pair.clone().partitions(1, 1);
    for (town, size, sick) in [(&pair, "", false), (&pair, "sick=2", true), (&parted, "partitions=1", false)]
    {
        let (lean, large) = (in_the_lean(town, sick), in_the_large(size));
        assert_eq!(lean, large, "{size}");
        assert_eq!(lean.len(), 1, "{size}: it has one end");
    }
}

/// Claims of one name, on the same group, with a crash: both hold. What the shipped one is without is found by both.
#[test]
fn a_claim_of_both_models_has_the_same_verdict() {
    let crash = Storm { crashes: 1, returns: true, rollbacks: 0 };
    let lean = Preflight::new(&Town::new(2).snapshot(), "v2", crash).expect("a plan");
    let large = upgrades::at("crashes=1,returns=1", [0; FAULTS], upgrades::SHIPPED_SHAPE, SHIPPED);
    let (lean, large) = (verdicts(&lean), verdicts(&large));
    let both: Vec<_> = lean.keys().filter(|claim| large.contains_key(*claim)).collect();
    assert_eq!(both.len(), 10, "{both:?}");
    assert!(both.iter().all(|claim| lean[*claim] == large[*claim]), "{lean:?} {large:?}");
}

fn verdicts<M: Model>(model: &M) -> BTreeMap<String, Verdict> {
    let report = check(model, &Options::default()).expect("a run");
    report.verdicts.into_iter().map(|judged| (judged.name, judged.verdict)).collect()
}
