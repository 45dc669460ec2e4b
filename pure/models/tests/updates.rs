//! Updates under every fault and every two faults, and which of them have hit which effect.

mod swept;

use bowline_models::Faults;
use swept::{Counts, entry, every_second_pair_is_pinned, run, runs_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    let updates = entry("updates");
    runs_are_pinned(updates, "", &updates.singles(), SINGLES);
}

#[test]
fn every_two_faults_together_break_nothing() {
    every_second_pair_is_pinned(entry("updates"), PAIRS, 0, MISSED);
}

#[test]
fn every_other_two_faults_together_break_nothing() {
    every_second_pair_is_pinned(entry("updates"), PAIRS, 1, MISSED_BY_OTHERS);
}

#[test]
fn what_one_half_of_the_pairs_does_not_hit_the_other_does() {
    assert!(MISSED.iter().all(|gap| !MISSED_BY_OTHERS.contains(gap)));
}

/// People delete an update, the stack, or the cluster, while something goes wrong: these effects are hit by every fault.
#[test]
fn what_is_deleted_goes_whatever_goes_wrong() {
    let updates = entry("updates");
    let size = "requests=1,deletes=1";
    let coverage = runs_are_pinned(updates, size, &updates.singles(), DELETED);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    let gaps = all.gaps();
    let of_deleted = gaps.iter().filter(|(_, effect)| ["let go", "cancel", "forget"].contains(effect));
    assert_eq!(of_deleted.collect::<Vec<_>>(), [&("", ""); 0]);
}

/// Updates that have ended are deleted, while something goes wrong: that too is hit by every fault.
#[test]
fn what_ended_long_ago_goes_whatever_goes_wrong() {
    let updates = entry("updates");
    let coverage = runs_are_pinned(updates, "discards=true", &updates.singles(), DISCARDED);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    assert_eq!(
        all.gaps().iter().filter(|(_, effect)| *effect == "discard").collect::<Vec<_>>(),
        [&("", ""); 0]
    );
}

/// What others change is put right, if that is wanted.
#[test]
fn what_others_change_is_put_right() {
    for (faults, pinned) in REPAIRED {
        let faults: Faults = entry("updates").budgets(faults).expect("faults");
        let (counts, _) = run(entry("updates"), "repairs=true", &faults);
        assert_eq!(counts, *pinned, "{faults}");
    }
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (20_382, 31_454, 143)),
    ("conflict=1", (41_233, 89_447, 136)),
    ("lost-request=1", (18_653, 24_277, 140)),
    ("lost-reply=1", (113_463, 223_548, 142)),
    ("relist=1", (13_652, 47_091, 135)),
    ("two-leaders=1", (121_700, 239_720, 152)),
    ("drift=1", (77_666, 125_593, 154)),
    ("clock=1", (18_952, 27_057, 135)),
    ("provider=1", (28_397, 34_878, 154)),
];

const DELETED: &[(&str, Counts)] = &[
    ("crash=1", (13_804, 25_310, 99)),
    ("conflict=1", (22_326, 52_580, 97)),
    ("lost-request=1", (13_362, 20_927, 96)),
    ("lost-reply=1", (59_789, 130_405, 102)),
    ("relist=1", (8_995, 35_262, 96)),
    ("two-leaders=1", (65_226, 144_331, 112)),
    ("drift=1", (43_044, 79_265, 100)),
    ("clock=1", (12_663, 21_562, 95)),
    ("provider=1", (15_873, 24_145, 97)),
];

const DISCARDED: &[(&str, Counts)] = &[
    ("crash=1", (20_879, 32_174, 146)),
    ("conflict=1", (41_430, 88_955, 139)),
    ("lost-request=1", (19_092, 24_802, 143)),
    ("lost-reply=1", (119_390, 235_284, 145)),
    ("relist=1", (13_977, 48_219, 138)),
    ("two-leaders=1", (127_346, 250_899, 155)),
    ("drift=1", (76_639, 123_457, 157)),
    ("clock=1", (19_824, 28_149, 138)),
    ("provider=1", (29_546, 36_170, 160)),
];

const REPAIRED: &[(&str, Counts)] = &[
    ("drift=1", (77_158, 125_077, 154)),
    ("drift=2", (595_825, 1_191_769, 168)),
    ("crash=1,drift=1", (310_938, 615_894, 162)),
];

/// Of these a fault needs another one beside it to come to such an effect.
const MISSED: &[(&str, &str)] = &[
    ("conflict", "take over"),
    ("lost-request", "fail"),
    ("lost-request", "stall"),
    ("lost-request", "mend"),
    ("lost-reply", "fail"),
    ("lost-reply", "stall"),
    ("lost-reply", "mend"),
    ("two-leaders", "take over"),
    ("drift", "fail"),
    ("drift", "stall"),
    ("drift", "mend"),
    ("clock", "take over"),
    ("clock", "fail"),
    ("clock", "stall"),
];
const MISSED_BY_OTHERS: &[(&str, &str)] = &[
    ("crash", "fail"),
    ("crash", "stall"),
    ("crash", "mend"),
    ("conflict", "fail"),
    ("conflict", "stall"),
    ("conflict", "mend"),
    ("lost-request", "take over"),
    ("relist", "fail"),
    ("relist", "stall"),
    ("relist", "mend"),
    ("two-leaders", "fail"),
    ("two-leaders", "stall"),
    ("two-leaders", "mend"),
    ("drift", "take over"),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (45_087, 82_252, 148)),
    ("crash=1,conflict=1", (171_201, 425_583, 144)),
    ("crash=1,lost-request=1", (77_046, 124_624, 148)),
    ("crash=1,lost-reply=1", (610_464, 1_377_870, 150)),
    ("crash=1,relist=1", (55_277, 212_476, 143)),
    ("crash=1,two-leaders=1", (571_755, 1_326_599, 174)),
    ("crash=1,drift=1", (311_722, 617_252, 162)),
    ("crash=1,clock=1", (74_175, 129_408, 143)),
    ("crash=1,provider=1", (119_169, 187_188, 158)),
    ("conflict=2", (173_596, 526_948, 137)),
    ("conflict=1,lost-request=1", (162_407, 362_402, 142)),
    ("conflict=1,lost-reply=1", (952_528, 2_778_301, 143)),
    ("conflict=1,relist=1", (106_285, 490_488, 136)),
    ("conflict=1,two-leaders=1", (1_004_189, 2_957_235, 153)),
    ("conflict=1,drift=1", (648_852, 1_660_071, 155)),
    ("conflict=1,clock=1", (158_426, 372_075, 136)),
    ("conflict=1,provider=1", (250_379, 534_445, 155)),
    ("lost-request=2", (42_780, 57_999, 143)),
    ("lost-request=1,lost-reply=1", (488_944, 1_013_678, 147)),
    ("lost-request=1,relist=1", (54_578, 186_648, 141)),
    ("lost-request=1,two-leaders=1", (532_159, 1_092_626, 157)),
    ("lost-request=1,drift=1", (312_816, 525_755, 159)),
    ("lost-request=1,clock=1", (78_045, 118_825, 141)),
    ("lost-request=1,provider=1", (102_653, 134_290, 159)),
    ("lost-reply=2", (1_551_845, 4_272_747, 147)),
    ("lost-reply=1,relist=1", (318_530, 1_330_440, 142)),
    ("lost-reply=1,two-leaders=1", (3_189_223, 8_792_945, 157)),
    ("lost-reply=1,drift=1", (2_057_067, 4_838_090, 167)),
    ("lost-reply=1,clock=1", (444_811, 964_173, 147)),
    ("lost-reply=1,provider=1", (821_736, 1_663_026, 166)),
    ("relist=2", (22_406, 111_314, 135)),
    ("relist=1,two-leaders=1", (330_354, 1_408_547, 152)),
    ("relist=1,drift=1", (210_449, 821_928, 154)),
    ("relist=1,clock=1", (53_638, 194_313, 135)),
    ("relist=1,provider=1", (84_423, 280_539, 154)),
    ("two-leaders=2", (1_869_149, 5_147_524, 184)),
    ("two-leaders=1,drift=1", (2_102_642, 5_014_262, 171)),
    ("two-leaders=1,clock=1", (451_566, 982_894, 154)),
    ("two-leaders=1,provider=1", (875_637, 1_774_876, 174)),
    ("drift=2", (605_347, 1_205_127, 168)),
    ("drift=1,clock=1", (306_262, 554_862, 154)),
    ("drift=1,provider=1", (532_241, 847_829, 162)),
    ("clock=2", (40_244, 61_786, 135)),
    ("clock=1,provider=1", (108_873, 155_914, 154)),
    ("provider=2", (87_003, 109_904, 159)),
];
