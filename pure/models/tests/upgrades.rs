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
    ("crash=1", (6_908, 19_480, 73)),
    ("conflict=1", (7_978, 25_721, 74)),
    ("lost-request=1", (11_959, 27_887, 77)),
    ("lost-reply=1", (68_272, 205_039, 80)),
    ("relist=1", (6_110, 24_698, 74)),
    ("two-leaders=1", (44_908, 137_439, 79)),
    ("drift=1", (2_747, 6_096, 73)),
    ("clock=1", (6_196, 14_664, 73)),
    ("provider=1", (13_106, 31_350, 76)),
];

const THREE_NODES: &[(&str, Counts)] = &[
    ("crash=1", (21_782, 70_077, 101)),
    ("conflict=1", (23_956, 95_274, 102)),
    ("lost-request=1", (38_259, 103_834, 105)),
    ("lost-reply=1", (240_318, 795_767, 108)),
    ("relist=1", (18_470, 82_400, 102)),
    ("two-leaders=1", (156_754, 531_028, 107)),
    ("drift=1", (8_532, 22_092, 101)),
    ("clock=1", (19_163, 51_994, 101)),
    ("provider=1", (46_795, 131_763, 104)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (11_069, 34_979, 73)),
    ("crash=1,conflict=1", (19_607, 75_780, 74)),
    ("crash=1,lost-request=1", (30_796, 89_054, 77)),
    ("crash=1,lost-reply=1", (171_025, 614_631, 80)),
    ("crash=1,relist=1", (15_335, 71_550, 74)),
    ("crash=1,two-leaders=1", (112_123, 413_476, 79)),
    ("crash=1,drift=1", (6_908, 19_480, 73)),
    ("crash=1,clock=1", (15_876, 46_812, 73)),
    ("crash=1,provider=1", (38_011, 111_769, 76)),
    ("conflict=2", (13_531, 53_556, 75)),
    ("conflict=1,lost-request=1", (35_310, 119_274, 80)),
    ("conflict=1,lost-reply=1", (198_369, 797_261, 81)),
    ("conflict=1,relist=1", (16_894, 87_478, 75)),
    ("conflict=1,two-leaders=1", (128_650, 525_355, 80)),
    ("conflict=1,drift=1", (7_978, 25_721, 74)),
    ("conflict=1,clock=1", (18_464, 61_351, 74)),
    ("conflict=1,provider=1", (39_500, 133_196, 80)),
    ("lost-request=2", (26_860, 65_600, 80)),
    ("lost-request=1,lost-reply=1", (298_178, 940_947, 83)),
    ("lost-request=1,relist=1", (27_423, 113_305, 78)),
    ("lost-request=1,two-leaders=1", (209_423, 659_565, 83)),
    ("lost-request=1,drift=1", (11_959, 27_887, 77)),
    ("lost-request=1,clock=1", (25_420, 61_989, 77)),
    ("lost-request=1,provider=1", (45_301, 116_072, 81)),
    ("lost-reply=2", (981_284, 3_757_616, 87)),
    ("lost-reply=1,relist=1", (152_030, 734_535, 81)),
    ("lost-reply=1,two-leaders=1", (906_617, 3_474_813, 85)),
    ("lost-reply=1,drift=1", (68_272, 205_039, 80)),
    ("lost-reply=1,clock=1", (157_008, 494_211, 80)),
    ("lost-reply=1,provider=1", (336_306, 1_082_052, 83)),
    ("relist=2", (9_473, 45_764, 75)),
    ("relist=1,two-leaders=1", (99_715, 488_024, 80)),
    ("relist=1,drift=1", (6_110, 24_698, 74)),
    ("relist=1,clock=1", (13_814, 57_596, 74)),
    ("relist=1,provider=1", (29_693, 124_793, 77)),
    ("two-leaders=2", (465_746, 1_840_322, 85)),
    ("two-leaders=1,drift=1", (44_908, 137_439, 79)),
    ("two-leaders=1,clock=1", (104_738, 334_660, 79)),
    ("two-leaders=1,provider=1", (258_970, 837_435, 83)),
    ("drift=2", (2_747, 6_096, 73)),
    ("drift=1,clock=1", (6_196, 14_664, 73)),
    ("drift=1,provider=1", (13_106, 31_350, 76)),
    ("clock=2", (9_347, 22_446, 73)),
    ("clock=1,provider=1", (27_913, 69_921, 76)),
    ("provider=2", (30_923, 78_793, 81)),
];
