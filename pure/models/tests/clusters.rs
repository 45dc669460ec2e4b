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

/// Who is pointed at another server, and back: every fault.
#[test]
fn no_other_server_is_taken_for_its_own() {
    let clusters = entry("clusters");
    for (faults, pinned) in clusters.singles().iter().zip(MOVED) {
        let (counts, _) = run(clusters, "edits=0,turns=1,moves=2", faults);
        assert_eq!((faults.to_string().as_str(), counts), *pinned);
    }
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (15_460, 41_642, 37)),
    ("conflict=1", (26_814, 66_020, 38)),
    ("lost-request=1", (27_004, 59_473, 41)),
    ("lost-reply=1", (61_981, 156_991, 42)),
    ("relist=1", (17_380, 51_308, 37)),
    ("two-leaders=1", (44_092, 121_484, 43)),
    ("drift=1", (51_140, 119_618, 38)),
    ("clock=1", (18_878, 43_301, 37)),
    ("provider=1", (30_389, 64_814, 42)),
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

const MOVED: &[(&str, Counts)] = &[
    ("crash=1", (19_142, 54_154, 38)),
    ("conflict=1", (31_333, 80_261, 41)),
    ("lost-request=1", (35_220, 82_341, 42)),
    ("lost-reply=1", (76_531, 201_999, 47)),
    ("relist=1", (21_237, 65_371, 39)),
    ("two-leaders=1", (55_371, 158_310, 47)),
    ("drift=1", (50_415, 120_135, 40)),
    ("clock=1", (23_358, 56_229, 39)),
    ("provider=1", (44_454, 102_734, 42)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (23_725, 69_562, 37)),
    ("crash=1,conflict=1", (56_858, 174_542, 38)),
    ("crash=1,lost-request=1", (59_508, 164_699, 41)),
    ("crash=1,lost-reply=1", (136_800, 425_603, 42)),
    ("crash=1,relist=1", (36_987, 131_914, 37)),
    ("crash=1,two-leaders=1", (92_986, 313_111, 43)),
    ("crash=1,drift=1", (109_924, 324_099, 38)),
    ("crash=1,clock=1", (40_143, 115_549, 37)),
    ("crash=1,provider=1", (67_099, 182_671, 42)),
    ("conflict=2", (55_409, 151_665, 39)),
    ("conflict=1,lost-request=1", (109_580, 279_503, 44)),
    ("conflict=1,lost-reply=1", (248_107, 717_927, 45)),
    ("conflict=1,relist=1", (61_741, 207_651, 38)),
    ("conflict=1,two-leaders=1", (166_102, 522_992, 45)),
    ("conflict=1,drift=1", (181_435, 493_813, 39)),
    ("conflict=1,clock=1", (69_995, 185_580, 38)),
    ("conflict=1,provider=1", (127_185, 314_280, 44)),
    ("lost-request=2", (55_129, 125_665, 45)),
    ("lost-request=1,lost-reply=1", (248_232, 674_246, 49)),
    ("lost-request=1,relist=1", (74_933, 220_512, 43)),
    ("lost-request=1,two-leaders=1", (212_637, 606_311, 49)),
    ("lost-request=1,drift=1", (196_595, 484_524, 47)),
    ("lost-request=1,clock=1", (71_857, 171_608, 42)),
    ("lost-request=1,provider=1", (97_091, 217_146, 45)),
    ("lost-reply=2", (339_443, 1_033_083, 50)),
    ("lost-reply=1,relist=1", (161_922, 536_875, 43)),
    ("lost-reply=1,two-leaders=1", (372_678, 1_186_618, 49)),
    ("lost-reply=1,drift=1", (487_447, 1_373_048, 46)),
    ("lost-reply=1,clock=1", (161_860, 445_389, 43)),
    ("lost-reply=1,provider=1", (315_386, 836_233, 50)),
    ("relist=2", (27_485, 93_056, 37)),
    ("relist=1,two-leaders=1", (105_953, 383_331, 43)),
    ("relist=1,drift=1", (120_075, 386_063, 38)),
    ("relist=1,clock=1", (45_018, 141_907, 37)),
    ("relist=1,provider=1", (84_027, 242_926, 43)),
    ("two-leaders=2", (165_746, 566_327, 47)),
    ("two-leaders=1,drift=1", (330_313, 998_943, 45)),
    ("two-leaders=1,clock=1", (116_673, 346_632, 43)),
    ("two-leaders=1,provider=1", (260_846, 733_827, 50)),
    ("drift=2", (148_498, 392_145, 39)),
    ("drift=1,clock=1", (132_078, 335_127, 38)),
    ("drift=1,provider=1", (231_719, 555_670, 47)),
    ("clock=2", (32_005, 76_249, 39)),
    ("clock=1,provider=1", (79_349, 183_701, 42)),
    ("provider=2", (61_248, 131_374, 45)),
];
