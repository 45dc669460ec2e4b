//! Updates in the harness, by themselves.

use bowline_control::Millis;
use bowline_explorer::{Options, check};

use super::{SHAPE, at, memory, names, show};
use crate::harness::{FAULTS, Flat, SHIPPED};
use crate::naive::{is_well_formed, reach};

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    let some = [1, 0, 0, 0, 0, 0, 0, 0, 1];
    for (size, faults) in
        [("", [0; FAULTS]), ("requests=1,turns=1,deletes=1", [0; FAULTS]), ("requests=1", some)]
    {
        let model = at(size, faults, SHAPE, SHIPPED);
        let report = check(&model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
        let (states, generated, depth) = reach(&model).counts();
        let counts = (report.distinct, report.generated, report.depth);
        assert_eq!(counts, (states as u64, generated as u64, depth as u32), "{size}");
    }
}

#[test]
fn every_action_has_a_name_and_a_class() {
    is_well_formed(&at("requests=1,lag=1,turns=1", [0, 0, 1, 0, 0, 0, 0, 0, 0], SHAPE, SHIPPED));
    is_well_formed(&at("requests=1,lag=1,deletes=1", [0, 0, 0, 0, 0, 0, 0, 0, 1], SHAPE, SHIPPED));
}

/// Every object, note and call of a run goes round.
#[test]
fn what_is_small_loses_nothing() {
    let model =
        at("requests=1,turns=1,deletes=1,pauses=1,releases=1,discards=true", [0; FAULTS], SHAPE, SHIPPED);
    let mut seen = 0;
    for s in reach(&model).states.values() {
        for (slot, flat) in (0..).zip(s.truth()) {
            let Some(flat) = flat else { continue };
            seen += 1;
            let flat = Flat { owner: None, ..flat };
            assert_eq!(names::flat(&names::object(slot, flat)), flat, "{}", show::describe(slot, &flat));
        }
        for known in &s.keys {
            let known_memory = memory::memory(known.memory, Millis(1 << 20));
            assert_eq!(memory::note(&known_memory), known.memory, "{known_memory:?}");
        }
    }
    assert!(seen > 0);
}
