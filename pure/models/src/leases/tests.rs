//! The models by themselves.

use bowline_explorer::{Model, Options, SplitMix, check};

use super::state::State;
use super::{LEASES, Leases, SHIPPED, judge};
use crate::naive::{is_well_formed, reach, successors};

fn leases(size: &str) -> Leases {
    Leases::new(&LEASES.size(size).expect("a size that works"), &SHIPPED)
}

fn bench(size: &str) -> judge::Bench {
    judge::Bench::new(&judge::JUDGE.size(size).expect("a size that works"), &judge::SHIPPED)
}

#[test]
fn every_model_is_well_formed() {
    is_sound(&leases("faults=1,leaves=0"));
    is_sound(&leases("faults=1,leaves=0,exclusive=true"));
    is_sound(&bench("faults=1"));
}

/// Checks that states are told apart by what is shown of them, and what the explorer asks of every model.
fn is_sound<M: Model>(model: &M) {
    let report = check(model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
    let (states, generated, depth) = reach(model).counts();
    assert_eq!(
        (report.distinct, report.generated, report.depth),
        (states as u64, generated as u64, depth as u32)
    );
    is_well_formed(model);
}

#[test]
fn states_are_small() {
    assert!(size_of::<State>() <= 96);
    assert!(size_of::<<judge::Bench as Model>::State>() <= 32);
}

/// Two states with one normal form have one future, whether it is taken before a step or after.
#[test]
fn the_normal_form_changes_nothing() {
    let model = leases("faults=3,leaves=2");
    let mut random = SplitMix::new(7);
    for walk in 0..600 {
        let mut state = model.init()[walk % 2];
        for _ in 0..60 {
            let normal = model.canonical(state);
            assert_eq!(model.canonical(normal), normal, "it is one");
            let next = successors(&model, &state);
            let normals = |next: &[State]| next.iter().map(|next| model.canonical(*next)).collect::<Vec<_>>();
            assert_eq!(normals(&next), normals(&successors(&model, &normal)));
            let Some(next) = next.get(random.below(next.len())) else { break };
            // Versions and epochs grow, as far as a byte goes.
            state = if next.version() > 200 { model.canonical(*next) } else { *next };
        }
    }
}
