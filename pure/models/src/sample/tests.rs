//! The small controller in the harness, by itself.

use bowline_explorer::{Options, check};

use super::{SHAPE, at};
use crate::harness::{FAULTS, SHIPPED};
use crate::naive::reach;

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    for (size, faults) in [("lag=1", [0; FAULTS]), ("lag=1,edits=0,bound=6", [1, 0, 0, 0, 0, 0, 0, 1, 0])] {
        let model = at(size, faults, SHAPE, SHIPPED);
        let report = check(&model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
        let (states, generated, depth) = reach(&model).counts();
        let counts = (report.distinct, report.generated, report.depth);
        assert_eq!(counts, (states as u64, generated as u64, depth as u32), "{size}");
    }
}

/// What is pinned at this bound, that all converge, is said of keys that stall on the way.
#[test]
fn a_bound_that_is_reached_stalls_a_key() {
    let stalls = |bound: u8| {
        let model = at(&format!("bound={bound}"), [0; FAULTS], SHAPE, SHIPPED);
        reach(&model).states.keys().any(|shown| shown.contains("Stalled"))
    };
    assert!(stalls(8), "the pair says so");
    assert!(!stalls(60), "and only then");
}
