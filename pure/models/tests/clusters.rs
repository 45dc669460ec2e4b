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
    ("lost-request=1", (29_205, 63_326, 41)),
    ("lost-reply=1", (64_223, 160_955, 42)),
    ("relist=1", (17_380, 51_308, 37)),
    ("two-leaders=1", (43_966, 121_256, 43)),
    ("drift=1", (51_140, 119_618, 38)),
    ("clock=1", (18_878, 43_301, 37)),
    ("provider=1", (32_636, 68_821, 42)),
];

const ELSEWHERE: &[(&str, Counts)] = &[
    ("crash=1", (12_234, 34_675, 24)),
    ("conflict=1", (19_776, 50_907, 25)),
    ("lost-request=1", (20_775, 49_685, 26)),
    ("lost-reply=1", (38_530, 101_199, 34)),
    ("relist=1", (13_619, 42_331, 24)),
    ("two-leaders=1", (28_389, 82_875, 30)),
    ("drift=1", (27_369, 67_097, 26)),
    ("clock=1", (14_913, 35_964, 25)),
    ("provider=1", (21_371, 50_191, 26)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (23_471, 68_913, 37)),
    ("crash=1,conflict=1", (56_417, 173_492, 38)),
    ("crash=1,lost-request=1", (63_984, 175_265, 41)),
    ("crash=1,lost-reply=1", (140_835, 435_051, 42)),
    ("crash=1,relist=1", (36_672, 131_092, 37)),
    ("crash=1,two-leaders=1", (91_958, 310_474, 43)),
    ("crash=1,drift=1", (109_053, 322_281, 38)),
    ("crash=1,clock=1", (39_897, 115_115, 37)),
    ("crash=1,provider=1", (71_697, 193_540, 42)),
    ("conflict=2", (55_409, 151_665, 39)),
    ("conflict=1,lost-request=1", (116_315, 294_815, 44)),
    ("conflict=1,lost-reply=1", (255_086, 733_761, 45)),
    ("conflict=1,relist=1", (61_741, 207_651, 38)),
    ("conflict=1,two-leaders=1", (165_661, 521_942, 45)),
    ("conflict=1,drift=1", (181_435, 493_813, 39)),
    ("conflict=1,clock=1", (69_995, 185_580, 38)),
    ("conflict=1,provider=1", (134_976, 331_516, 44)),
    ("lost-request=2", (59_884, 134_803, 45)),
    ("lost-request=1,lost-reply=1", (273_144, 734_815, 49)),
    ("lost-request=1,relist=1", (79_237, 232_755, 43)),
    ("lost-request=1,two-leaders=1", (223_524, 632_933, 49)),
    ("lost-request=1,drift=1", (210_697, 516_091, 47)),
    ("lost-request=1,clock=1", (76_392, 179_925, 42)),
    ("lost-request=1,provider=1", (105_823, 233_190, 45)),
    ("lost-reply=2", (363_166, 1_091_955, 50)),
    ("lost-reply=1,relist=1", (166_384, 549_531, 43)),
    ("lost-reply=1,two-leaders=1", (383_821, 1_213_937, 49)),
    ("lost-reply=1,drift=1", (502_348, 1_406_541, 46)),
    ("lost-reply=1,clock=1", (167_060, 454_946, 43)),
    ("lost-reply=1,provider=1", (341_013, 896_480, 50)),
    ("relist=2", (27_485, 93_056, 37)),
    ("relist=1,two-leaders=1", (105_638, 382_509, 43)),
    ("relist=1,drift=1", (120_075, 386_063, 38)),
    ("relist=1,clock=1", (45_018, 141_907, 37)),
    ("relist=1,provider=1", (88_711, 255_909, 43)),
    ("two-leaders=2", (164_844, 564_107, 47)),
    ("two-leaders=1,drift=1", (329_442, 997_125, 45)),
    ("two-leaders=1,clock=1", (116_427, 346_198, 43)),
    ("two-leaders=1,provider=1", (271_720, 760_637, 50)),
    ("drift=2", (148_498, 392_145, 39)),
    ("drift=1,clock=1", (132_078, 335_127, 38)),
    ("drift=1,provider=1", (247_255, 589_361, 47)),
    ("clock=2", (32_005, 76_249, 39)),
    ("clock=1,provider=1", (84_776, 193_962, 42)),
    ("provider=2", (67_034, 141_732, 45)),
];
