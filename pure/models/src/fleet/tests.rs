//! The fleet, by itself.

use bowline_explorer::{Model, SplitMix};

use super::mutants::at;
use super::{Fleet, PARTS, SHAPES, UPDATES, UPGRADES, Whole, shared};
use crate::harness::Fault;
use crate::naive::is_well_formed;
use crate::{updates, upgrades};

#[test]
fn every_action_has_a_name_and_a_class() {
    is_well_formed(&at("lag=0,stepwise=true,placements=0,identities=0", &[], SHAPES));
    is_well_formed(&at("fences=0", &[], SHAPES));
}

/// Each of these walks goes through states that are in normal form.
fn walk(fleet: &Fleet, seed: u64, steps: usize, mut see: impl FnMut(&Whole)) {
    let mut random = SplitMix::new(seed);
    let mut state = fleet.init().remove(0);
    for _ in 0..steps {
        see(&state);
        let mut events = Vec::new();
        fleet.actions(&state, &mut events);
        let Some(event) = events.get(random.below(events.len().max(1))) else { break };
        state = fleet.canonical(fleet.next(&state, event));
    }
}

/// What a system keeps of the Cluster is what the others have made of it, and what goes wrong goes wrong once.
#[test]
fn all_have_one_cluster_and_one_budget() {
    let fleet = at("edits=1", &Fault::ALL, SHAPES);
    for seed in 0..200 {
        walk(&fleet, seed, 200, |s| {
            let [updates, upgrades] =
                [UPDATES, UPGRADES].map(|part| shared::cluster(part, &s.0[part]).expect("the Cluster"));
            let updates = updates::names::cluster_of(updates).expect("the Cluster");
            let upgrades = upgrades::names::cluster_of(upgrades);
            assert_eq!(updates.upgrade, upgrades.upgrade.is_some());
            assert_eq!(upgrades.updates, !updates.updates.is_empty());
            assert!((1..PARTS).all(|part| s.0[part].budgets == s.0[0].budgets));
        });
    }
}
