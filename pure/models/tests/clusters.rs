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
    ("lost-request=1", (29_772, 64_492, 41)),
    ("lost-reply=1", (64_776, 162_081, 42)),
    ("relist=1", (17_945, 52_345, 37)),
    ("two-leaders=1", (43_966, 121_256, 43)),
    ("drift=1", (51_140, 119_618, 38)),
    ("clock=1", (18_575, 42_784, 37)),
    ("provider=1", (31_884, 67_589, 42)),
];

const ELSEWHERE: &[(&str, Counts)] = &[
    ("crash=1", (13_432, 39_007, 23)),
    ("conflict=1", (21_346, 56_362, 24)),
    ("lost-request=1", (27_226, 63_856, 27)),
    ("lost-reply=1", (43_501, 114_051, 31)),
    ("relist=1", (15_654, 48_560, 23)),
    ("two-leaders=1", (30_764, 90_860, 30)),
    ("drift=1", (31_767, 79_850, 25)),
    ("clock=1", (16_002, 39_949, 25)),
    ("provider=1", (29_056, 67_639, 27)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (23_471, 68_913, 37)),
    ("crash=1,conflict=1", (56_417, 173_492, 38)),
    ("crash=1,lost-request=1", (64_201, 176_262, 41)),
    ("crash=1,lost-reply=1", (141_044, 436_003, 42)),
    ("crash=1,relist=1", (37_802, 133_821, 37)),
    ("crash=1,two-leaders=1", (91_958, 310_474, 43)),
    ("crash=1,drift=1", (109_053, 322_281, 38)),
    ("crash=1,clock=1", (38_957, 112_862, 37)),
    ("crash=1,provider=1", (68_852, 187_355, 42)),
    ("conflict=2", (55_409, 151_665, 39)),
    ("conflict=1,lost-request=1", (119_222, 301_921, 43)),
    ("conflict=1,lost-reply=1", (257_860, 740_508, 45)),
    ("conflict=1,relist=1", (63_779, 212_118, 38)),
    ("conflict=1,two-leaders=1", (165_661, 521_942, 45)),
    ("conflict=1,drift=1", (181_435, 493_813, 39)),
    ("conflict=1,clock=1", (68_832, 183_043, 38)),
    ("conflict=1,provider=1", (131_031, 323_353, 43)),
    ("lost-request=2", (64_133, 144_103, 45)),
    ("lost-request=1,lost-reply=1", (284_022, 763_478, 49)),
    ("lost-request=1,relist=1", (80_682, 236_637, 42)),
    ("lost-request=1,two-leaders=1", (226_204, 639_944, 49)),
    ("lost-request=1,drift=1", (215_050, 526_712, 46)),
    ("lost-request=1,clock=1", (79_489, 187_677, 41)),
    ("lost-request=1,provider=1", (106_087, 235_778, 45)),
    ("lost-reply=2", (372_820, 1_117_762, 50)),
    ("lost-reply=1,relist=1", (169_464, 557_488, 43)),
    ("lost-reply=1,two-leaders=1", (386_462, 1_220_788, 49)),
    ("lost-reply=1,drift=1", (506_446, 1_416_419, 46)),
    ("lost-reply=1,clock=1", (170_479, 462_603, 43)),
    ("lost-reply=1,provider=1", (325_929, 859_536, 49)),
    ("relist=2", (28_795, 96_617, 37)),
    ("relist=1,two-leaders=1", (107_908, 388_265, 43)),
    ("relist=1,drift=1", (123_368, 392_784, 38)),
    ("relist=1,clock=1", (44_649, 140_583, 37)),
    ("relist=1,provider=1", (86_939, 251_051, 42)),
    ("two-leaders=2", (164_844, 564_107, 47)),
    ("two-leaders=1,drift=1", (329_442, 997_125, 45)),
    ("two-leaders=1,clock=1", (113_016, 336_598, 43)),
    ("two-leaders=1,provider=1", (257_473, 723_963, 49)),
    ("drift=2", (148_498, 392_145, 39)),
    ("drift=1,clock=1", (130_247, 331_838, 38)),
    ("drift=1,provider=1", (238_155, 568_828, 46)),
    ("clock=2", (30_261, 72_424, 39)),
    ("clock=1,provider=1", (83_400, 193_488, 42)),
    ("provider=2", (65_583, 140_697, 45)),
];
