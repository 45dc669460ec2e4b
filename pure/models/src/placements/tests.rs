//! Placements in the harness, by themselves.

use bowline_explorer::{Options, check};

use super::seen::Seen;
use super::site::Site;
use super::{SHAPE, at, names};
use crate::harness::{FAULTS, State};
use crate::naive::{is_well_formed, reach};

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    let model = at("moves=1", [0; FAULTS], SHAPE);
    let report = check(&model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
    let (states, generated, depth) = reach(&model).counts();
    let counts = (report.distinct, report.generated, report.depth);
    assert_eq!(counts, (states as u64, generated as u64, depth as u32));
}

#[test]
fn every_action_has_a_name_and_a_class() {
    is_well_formed(&at("moves=1", [0; FAULTS], SHAPE));
    is_well_formed(&at("moves=0,cuts=2,enforces=true,fresh=true", [0; FAULTS], SHAPE));
}

/// Objects, clusters and what was read are kept in a few bytes: every one that comes about is the same when it was unpacked and
/// packed again.
#[test]
fn what_is_flat_loses_nothing() {
    let model = at("moves=1,fences=2", [0; FAULTS], SHAPE);
    let is_kept = |state: &State| {
        let objects = (0..).zip(state.shown).filter_map(|(slot, flat)| Some((slot, flat?)));
        let mut objects = objects.map(|(slot, flat)| names::flat(&names::object(slot, flat)) == flat);
        let mut nodes = state.nodes.iter().map(|bits| match bits & 3 {
            0 => true,
            1 => Site::of(*bits).bits() == *bits,
            _ => Seen::of(*bits, false).bits() == *bits,
        });
        objects.all(|kept| kept) && nodes.all(|kept| kept)
    };
    assert!(reach(&model).states.values().all(is_kept));
}
