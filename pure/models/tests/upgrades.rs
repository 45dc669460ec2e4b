//! Upgrades under every fault, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, every_second_pair_is_pinned, runs_are_pinned, singles_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    singles_are_pinned(entry("upgrades"), SINGLES);
}

#[test]
fn no_fault_breaks_anything_among_three_nodes() {
    let upgrades = entry("upgrades");
    runs_are_pinned(upgrades, "nodes=3", &upgrades.singles(), THREE_NODES);
}

/// Requests arrive late, and an upgrade is wanted, and not wanted any more, and wanted again: its cluster is never somebody else's.
#[test]
fn no_late_request_lets_an_update_on_a_cluster_that_is_upgraded() {
    let upgrades = entry("upgrades");
    let late = upgrades.budgets("lost-reply=1").expect("a fault");
    runs_are_pinned(upgrades, "cluster=true,edits=2", &[late], &[("lost-reply=1", (691_725, 2_425_344, 87))]);
}

/// Nothing is hit in the one half only.
const GAPS: &[(&str, &str)] = &[];

#[test]
fn every_two_faults_together_break_nothing() {
    every_second_pair_is_pinned(entry("upgrades"), PAIRS, 0, GAPS);
}

#[test]
fn every_other_two_faults_together_break_nothing() {
    every_second_pair_is_pinned(entry("upgrades"), PAIRS, 1, GAPS);
}

/// Nobody else writes to groups and members here: a drift is none.
const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (6_816, 19_151, 71)),
    ("conflict=1", (7_958, 25_455, 72)),
    ("lost-request=1", (11_893, 27_601, 75)),
    ("lost-reply=1", (68_188, 204_211, 78)),
    ("relist=1", (6_058, 24_406, 72)),
    ("two-leaders=1", (44_484, 135_784, 77)),
    ("drift=1", (2_721, 6_014, 71)),
    ("clock=1", (6_158, 14_514, 71)),
    ("provider=1", (13_026, 31_090, 76)),
];

const THREE_NODES: &[(&str, Counts)] = &[
    ("crash=1", (20_984, 67_281, 99)),
    ("conflict=1", (23_450, 92_480, 100)),
    ("lost-request=1", (37_504, 101_229, 103)),
    ("lost-reply=1", (236_779, 780_791, 106)),
    ("relist=1", (17_982, 79_914, 100)),
    ("two-leaders=1", (153_783, 518_897, 105)),
    ("drift=1", (8_304, 21_392, 99)),
    ("clock=1", (18_680, 50_427, 99)),
    ("provider=1", (45_993, 129_173, 104)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (10_911, 34_351, 71)),
    ("crash=1,conflict=1", (19_473, 74_742, 72)),
    ("crash=1,lost-request=1", (30_516, 87_874, 75)),
    ("crash=1,lost-reply=1", (170_666, 611_735, 78)),
    ("crash=1,relist=1", (15_133, 70_420, 72)),
    ("crash=1,two-leaders=1", (111_273, 409_140, 77)),
    ("crash=1,drift=1", (6_816, 19_151, 71)),
    ("crash=1,clock=1", (15_675, 46_073, 71)),
    ("crash=1,provider=1", (36_579, 107_453, 76)),
    ("conflict=2", (13_529, 53_206, 73)),
    ("conflict=1,lost-request=1", (35_271, 118_443, 78)),
    ("conflict=1,lost-reply=1", (199_391, 797_244, 79)),
    ("conflict=1,relist=1", (16_866, 86_846, 73)),
    ("conflict=1,two-leaders=1", (128_126, 520_774, 78)),
    ("conflict=1,drift=1", (7_958, 25_455, 72)),
    ("conflict=1,clock=1", (18_458, 60_885, 72)),
    ("conflict=1,provider=1", (39_460, 132_392, 78)),
    ("lost-request=2", (26_777, 65_065, 78)),
    ("lost-request=1,lost-reply=1", (298_237, 938_343, 82)),
    ("lost-request=1,relist=1", (27_299, 112_393, 76)),
    ("lost-request=1,two-leaders=1", (207_762, 652_666, 81)),
    ("lost-request=1,drift=1", (11_893, 27_601, 75)),
    ("lost-request=1,clock=1", (25_308, 61_445, 75)),
    ("lost-request=1,provider=1", (45_162, 115_355, 80)),
    ("lost-reply=2", (978_195, 3_738_735, 85)),
    ("lost-reply=1,relist=1", (151_994, 732_599, 79)),
    ("lost-reply=1,two-leaders=1", (898_208, 3_436_172, 83)),
    ("lost-reply=1,drift=1", (68_188, 204_211, 78)),
    ("lost-reply=1,clock=1", (157_014, 492_949, 78)),
    ("lost-reply=1,provider=1", (335_220, 1_076_365, 83)),
    ("relist=2", (9_395, 45_262, 73)),
    ("relist=1,two-leaders=1", (98_848, 482_724, 78)),
    ("relist=1,drift=1", (6_058, 24_406, 72)),
    ("relist=1,clock=1", (13_744, 57_104, 72)),
    ("relist=1,provider=1", (29_533, 123_871, 77)),
    ("two-leaders=2", (457_495, 1_804_869, 83)),
    ("two-leaders=1,drift=1", (44_484, 135_784, 77)),
    ("two-leaders=1,clock=1", (103_846, 330_944, 77)),
    ("two-leaders=1,provider=1", (253_209, 815_200, 82)),
    ("drift=2", (2_721, 6_014, 71)),
    ("drift=1,clock=1", (6_158, 14_514, 71)),
    ("drift=1,provider=1", (13_026, 31_090, 76)),
    ("clock=2", (9_316, 22_280, 71)),
    ("clock=1,provider=1", (27_766, 69_402, 76)),
    ("provider=2", (30_787, 78_341, 80)),
];
