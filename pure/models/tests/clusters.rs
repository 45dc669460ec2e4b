//! Clusters under every fault and every two faults, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, pairs_are_pinned, run, singles_are_pinned};

#[test]
fn every_fault_hits_every_effect_that_it_can_and_breaks_nothing() {
    singles_are_pinned(entry("clusters"), SINGLES);
}

#[test]
fn every_two_faults_hit_every_effect_that_they_can_and_break_nothing() {
    pairs_are_pinned(entry("clusters"), PAIRS);
}

/// Who is not in the hub: every fault, at the size of the others.
#[test]
fn nothing_is_broken_elsewhere() {
    let clusters = entry("clusters");
    for (faults, pinned) in clusters.singles().iter().zip(ELSEWHERE) {
        let (counts, _) = run(clusters, "hub=false", faults);
        assert_eq!((faults.to_string().as_str(), counts), *pinned);
    }
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (15_334, 41_414, 37)),
    ("conflict=1", (26_814, 66_020, 38)),
    ("lost-request=1", (29_353, 63_668, 41)),
    ("lost-reply=1", (64_351, 161_251, 42)),
    ("relist=1", (17_380, 51_308, 37)),
    ("two-leaders=1", (43_966, 121_256, 43)),
    ("drift=1", (51_140, 119_618, 38)),
    ("clock=1", (17_143, 39_640, 37)),
    ("provider=1", (31_884, 67_589, 42)),
];

const ELSEWHERE: &[(&str, Counts)] = &[
    ("crash=1", (13_432, 39_007, 23)),
    ("conflict=1", (21_346, 56_362, 24)),
    ("lost-request=1", (26_774, 62_870, 27)),
    ("lost-reply=1", (43_049, 113_065, 31)),
    ("relist=1", (14_774, 46_875, 23)),
    ("two-leaders=1", (30_764, 90_860, 30)),
    ("drift=1", (31_767, 79_850, 25)),
    ("clock=1", (14_060, 35_558, 25)),
    ("provider=1", (29_056, 67_639, 27)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (23_471, 68_913, 37)),
    ("crash=1,conflict=1", (56_417, 173_492, 38)),
    ("crash=1,lost-request=1", (63_333, 174_053, 41)),
    ("crash=1,lost-reply=1", (140_164, 433_773, 42)),
    ("crash=1,relist=1", (36_672, 131_092, 37)),
    ("crash=1,two-leaders=1", (91_958, 310_474, 43)),
    ("crash=1,drift=1", (109_053, 322_281, 38)),
    ("crash=1,clock=1", (36_021, 104_997, 37)),
    ("crash=1,provider=1", (68_852, 187_355, 42)),
    ("conflict=2", (55_409, 151_665, 39)),
    ("conflict=1,lost-request=1", (116_553, 295_841, 43)),
    ("conflict=1,lost-reply=1", (255_259, 734_604, 45)),
    ("conflict=1,relist=1", (61_741, 207_651, 38)),
    ("conflict=1,two-leaders=1", (165_661, 521_942, 45)),
    ("conflict=1,drift=1", (181_435, 493_813, 39)),
    ("conflict=1,clock=1", (63_051, 168_419, 38)),
    ("conflict=1,provider=1", (131_031, 323_353, 43)),
    ("lost-request=2", (61_517, 138_637, 45)),
    ("lost-request=1,lost-reply=1", (274_819, 739_644, 49)),
    ("lost-request=1,relist=1", (78_659, 231_734, 42)),
    ("lost-request=1,two-leaders=1", (222_999, 631_854, 49)),
    ("lost-request=1,drift=1", (211_369, 518_521, 46)),
    ("lost-request=1,clock=1", (73_985, 174_625, 41)),
    ("lost-request=1,provider=1", (104_305, 232_273, 45)),
    ("lost-reply=2", (364_025, 1_094_828, 50)),
    ("lost-reply=1,relist=1", (165_746, 548_332, 43)),
    ("lost-reply=1,two-leaders=1", (383_223, 1_212_636, 49)),
    ("lost-reply=1,drift=1", (502_672, 1_408_137, 46)),
    ("lost-reply=1,clock=1", (158_905, 432_099, 43)),
    ("lost-reply=1,provider=1", (324_267, 856_295, 49)),
    ("relist=2", (27_485, 93_056, 37)),
    ("relist=1,two-leaders=1", (105_638, 382_509, 43)),
    ("relist=1,drift=1", (120_075, 386_063, 38)),
    ("relist=1,clock=1", (40_995, 129_803, 37)),
    ("relist=1,provider=1", (85_771, 248_784, 42)),
    ("two-leaders=2", (164_844, 564_107, 47)),
    ("two-leaders=1,drift=1", (329_442, 997_125, 45)),
    ("two-leaders=1,clock=1", (104_446, 312_507, 43)),
    ("two-leaders=1,provider=1", (257_473, 723_963, 49)),
    ("drift=2", (148_498, 392_145, 39)),
    ("drift=1,clock=1", (122_353, 312_351, 38)),
    ("drift=1,provider=1", (238_155, 568_828, 46)),
    ("clock=2", (27_803, 66_942, 39)),
    ("clock=1,provider=1", (79_915, 185_669, 42)),
    ("provider=2", (65_583, 140_697, 45)),
];
