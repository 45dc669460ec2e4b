//! Clusters in the harness, by themselves.

use bowline_clusters::Found;
use bowline_control::Millis;
use bowline_explorer::{Options, check};

use super::grounds::Ground;
use super::{SHAPE, at, names};
use crate::harness::{FAULTS, Flat, Note, SHIPPED, padded};
use crate::naive::{is_well_formed, reach};

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    let some = [1, 0, 0, 0, 0, 0, 0, 1, 1];
    for (size, faults) in [("lag=1", [0; FAULTS]), ("lag=1,edits=0,turns=1,bound=6", some)] {
        let model = at(size, faults, SHAPE, SHIPPED);
        let report = check(&model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
        let (states, generated, depth) = reach(&model).counts();
        let counts = (report.distinct, report.generated, report.depth);
        assert_eq!(counts, (states as u64, generated as u64, depth as u32), "{size}");
    }
}

#[test]
fn every_action_has_a_name_and_a_class() {
    is_well_formed(&at("lag=1,edits=0,turns=1", [0, 0, 1, 0, 0, 0, 0, 0, 1], SHAPE, SHIPPED));
}

#[test]
fn what_is_flat_loses_nothing() {
    let held = [names::EMBEDDED, names::BY_KUBECONFIG, names::INHERITED];
    let moved = names::moved(names::BY_KUBECONFIG);
    assert_eq!(names::moved(moved), names::BY_KUBECONFIG);
    for flat in held.into_iter().chain(held.map(names::with_another_wish)).chain([moved]) {
        let generation = 1 + (flat.body[0] / 2).min(1);
        for found in 0..=Found::ALL.len() as u8 {
            for (told, deleting) in [(0, false), (1, true), (2, false), (3, true)] {
                let [way, ..] = flat.body;
                let (told, observed) = if found == 0 { (0, 0) } else { (told, 1) };
                let body = padded([way, found, told, observed, told]);
                let generation = generation + u8::from(deleting);
                let flat = Flat { uid: 2, version: 9, generation, deleting, body, ..flat };
                assert_eq!(names::flat(&names::object(1, flat)), flat);
            }
        }
    }
}

#[test]
fn what_is_noted_loses_nothing_but_its_time() {
    for found in 1..=Found::ALL.len() as u8 {
        for (told, stopped) in [(0, 0), (1, 0), (2, 1), (3, 2)] {
            let note = Note { uids: [2, stopped], body: padded([3, found, told, told]) };
            let memory = names::memory(note, Millis(7));
            assert_eq!(memory.probe.as_ref().map(|probe| probe.at), Some(Millis(7)));
            assert_eq!(names::note(&memory), note);
        }
    }
    assert_eq!(names::note(&names::memory(Note::default(), Millis(7))), Note::default());
    let ground = Ground { runs: 1, keeps: 2, silent: true };
    assert_eq!(Ground::of(&ground.note()), ground);
}

/// What is pinned of clusters at this bound, that they converge, is said of keys that stall on the way.
#[test]
fn a_bound_that_is_reached_stalls_a_key() {
    let stalls = |bound: u8| {
        let model =
            at(&format!("bound={bound},lag=1,edits=1,turns=0"), [0, 0, 1, 0, 0, 0, 0, 0, 0], SHAPE, SHIPPED);
        reach(&model).states.keys().any(|shown| shown.contains("Stalled"))
    };
    assert!(stalls(3), "the cluster says so");
    assert!(!stalls(60), "and only then");
}
