//! Placements under every fault and every two faults, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, pairs_are_pinned, singles_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    singles_are_pinned(entry("placements"), SINGLES);
}

#[test]
fn every_two_faults_together_break_nothing() {
    pairs_are_pinned(entry("placements"), PAIRS);
}

/// Nobody else writes to what is ours here: a drift is none. Where nothing is chosen nobody asks a provider, or waits until a clock
/// jumps.
const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (1_018, 3_188, 32)),
    ("conflict=1", (1_639, 6_102, 33)),
    ("lost-request=1", (1_657, 4_343, 36)),
    ("lost-reply=1", (7_157, 23_310, 37)),
    ("relist=1", (1_148, 5_848, 33)),
    ("two-leaders=1", (6_355, 20_934, 35)),
    ("drift=1", (509, 1_234, 32)),
    ("clock=1", (509, 1_234, 32)),
    ("provider=1", (509, 1_234, 32)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (1_527, 5_142, 32)),
    ("crash=1,conflict=1", (3_278, 14_543, 33)),
    ("crash=1,lost-request=1", (3_314, 10_862, 36)),
    ("crash=1,lost-reply=1", (14_314, 56_411, 37)),
    ("crash=1,relist=1", (2_296, 13_385, 33)),
    ("crash=1,two-leaders=1", (12_710, 50_762, 35)),
    ("crash=1,drift=1", (1_018, 3_188, 32)),
    ("crash=1,clock=1", (1_018, 3_188, 32)),
    ("crash=1,provider=1", (1_018, 3_188, 32)),
    ("conflict=2", (2_875, 13_737, 34)),
    ("conflict=1,lost-request=1", (5_249, 20_756, 39)),
    ("conflict=1,lost-reply=1", (22_351, 103_106, 39)),
    ("conflict=1,relist=1", (3_514, 23_167, 34)),
    ("conflict=1,two-leaders=1", (19_701, 92_142, 37)),
    ("conflict=1,drift=1", (1_639, 6_102, 33)),
    ("conflict=1,clock=1", (1_639, 6_102, 33)),
    ("conflict=1,provider=1", (1_639, 6_102, 33)),
    ("lost-request=2", (3_612, 9_813, 38)),
    ("lost-request=1,lost-reply=1", (23_780, 81_723, 40)),
    ("lost-request=1,relist=1", (3_915, 20_264, 40)),
    ("lost-request=1,two-leaders=1", (19_108, 66_404, 39)),
    ("lost-request=1,drift=1", (1_657, 4_343, 36)),
    ("lost-request=1,clock=1", (1_657, 4_343, 36)),
    ("lost-request=1,provider=1", (1_657, 4_343, 36)),
    ("lost-reply=2", (55_289, 224_295, 41)),
    ("lost-reply=1,relist=1", (16_046, 95_475, 40)),
    ("lost-reply=1,two-leaders=1", (57_388, 237_579, 39)),
    ("lost-reply=1,drift=1", (7_157, 23_310, 37)),
    ("lost-reply=1,clock=1", (7_157, 23_310, 37)),
    ("lost-reply=1,provider=1", (7_157, 23_310, 37)),
    ("relist=2", (1_787, 11_242, 34)),
    ("relist=1,two-leaders=1", (14_228, 85_194, 36)),
    ("relist=1,drift=1", (1_148, 5_848, 33)),
    ("relist=1,clock=1", (1_148, 5_848, 33)),
    ("relist=1,provider=1", (1_148, 5_848, 33)),
    ("two-leaders=2", (43_284, 180_735, 37)),
    ("two-leaders=1,drift=1", (6_355, 20_934, 35)),
    ("two-leaders=1,clock=1", (6_355, 20_934, 35)),
    ("two-leaders=1,provider=1", (6_355, 20_934, 35)),
    ("drift=2", (509, 1_234, 32)),
    ("drift=1,clock=1", (509, 1_234, 32)),
    ("drift=1,provider=1", (509, 1_234, 32)),
    ("clock=2", (509, 1_234, 32)),
    ("clock=1,provider=1", (509, 1_234, 32)),
    ("provider=2", (509, 1_234, 32)),
];
