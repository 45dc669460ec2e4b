//! The small controller under every fault and every two faults, and which of them have hit which effect.

mod swept;

use swept::{Counts, entry, pairs_are_pinned, run, singles_are_pinned};

#[test]
fn every_fault_hits_every_effect_and_breaks_nothing() {
    singles_are_pinned(entry("control"), SINGLES);
}

#[test]
fn every_two_faults_hit_every_effect_and_break_nothing() {
    pairs_are_pinned(entry("control"), PAIRS);
}

/// A timer of one key goes off while the other waits for its cache: it is not the other's turn.
#[test]
fn two_pairs_at_a_time_are_not_mixed_up() {
    let control = entry("control");
    let faults = control.budgets("lost-request=1").expect("a kind of the model");
    let (counts, _) = run(control, "instances=2,workers=2,creates=2,edits=0", &faults);
    assert_eq!(counts, (138_439, 451_655, 49));
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (3_484, 9_371, 31)),
    ("conflict=1", (10_888, 30_943, 33)),
    ("lost-request=1", (5_495, 11_760, 42)),
    ("lost-reply=1", (26_207, 67_997, 42)),
    ("relist=1", (4_070, 15_739, 32)),
    ("two-leaders=1", (23_515, 62_516, 39)),
    ("drift=1", (26_424, 72_219, 37)),
    ("clock=1", (4_803, 10_790, 33)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (5_226, 15_138, 31)),
    ("crash=1,conflict=1", (21_776, 75_407, 33)),
    ("crash=1,lost-request=1", (10_990, 30_078, 42)),
    ("crash=1,lost-reply=1", (52_414, 168_198, 42)),
    ("crash=1,relist=1", (8_140, 36_622, 32)),
    ("crash=1,two-leaders=1", (47_030, 154_325, 39)),
    ("crash=1,drift=1", (52_848, 177_319, 37)),
    ("crash=1,clock=1", (9_606, 27_218, 33)),
    ("conflict=2", (34_169, 121_174, 34)),
    ("conflict=1,lost-request=1", (34_896, 102_135, 45)),
    ("conflict=1,lost-reply=1", (164_279, 553_807, 45)),
    ("conflict=1,relist=1", (24_485, 115_077, 34)),
    ("conflict=1,two-leaders=1", (147_280, 506_688, 41)),
    ("conflict=1,drift=1", (154_587, 541_006, 38)),
    ("conflict=1,clock=1", (29_169, 87_900, 35)),
    ("lost-request=2", (10_282, 23_070, 43)),
    ("lost-request=1,lost-reply=1", (84_865, 230_241, 50)),
    ("lost-request=1,relist=1", (13_021, 50_957, 43)),
    ("lost-request=1,two-leaders=1", (74_451, 203_744, 49)),
    ("lost-request=1,drift=1", (85_075, 239_454, 45)),
    ("lost-request=1,clock=1", (16_600, 38_892, 42)),
    ("lost-reply=2", (228_961, 722_545, 50)),
    ("lost-reply=1,relist=1", (61_241, 268_747, 43)),
    ("lost-reply=1,two-leaders=1", (244_039, 785_857, 49)),
    ("lost-reply=1,drift=1", (419_098, 1_369_729, 46)),
    ("lost-reply=1,clock=1", (69_264, 190_835, 44)),
    ("relist=2", (6_398, 30_218, 32)),
    ("relist=1,two-leaders=1", (54_825, 244_380, 40)),
    ("relist=1,drift=1", (58_742, 270_497, 38)),
    ("relist=1,clock=1", (11_222, 45_319, 34)),
    ("two-leaders=2", (188_956, 619_306, 45)),
    ("two-leaders=1,drift=1", (377_830, 1_259_876, 44)),
    ("two-leaders=1,clock=1", (61_283, 173_902, 41)),
    ("drift=2", (176_650, 584_690, 38)),
    ("drift=1,clock=1", (71_582, 207_364, 39)),
    ("clock=2", (7_926, 18_643, 35)),
];
