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
fn every_two_faults_together_hit_every_effect_and_break_nothing() {
    every_second_pair_is_pinned(entry("updates"), PAIRS, 0);
}

#[test]
fn every_other_two_faults_together_hit_every_effect_and_break_nothing() {
    every_second_pair_is_pinned(entry("updates"), PAIRS, 1);
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

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (47_183, 85_957, 146)),
    ("crash=1,conflict=1", (181_889, 448_059, 142)),
    ("crash=1,lost-request=1", (81_468, 129_837, 146)),
    ("crash=1,lost-reply=1", (647_667, 1_449_193, 148)),
    ("crash=1,relist=1", (58_849, 224_226, 141)),
    ("crash=1,two-leaders=1", (592_047, 1_367_485, 168)),
    ("crash=1,drift=1", (332_797, 648_433, 160)),
    ("crash=1,clock=1", (78_930, 135_779, 141)),
    ("crash=1,provider=1", (125_737, 193_553, 156)),
    ("conflict=2", (178_918, 541_841, 135)),
    ("conflict=1,lost-request=1", (165_816, 368_974, 140)),
    ("conflict=1,lost-reply=1", (970_415, 2_824_710, 141)),
    ("conflict=1,relist=1", (109_523, 504_300, 134)),
    ("conflict=1,two-leaders=1", (1_023_153, 3_002_270, 151)),
    ("conflict=1,drift=1", (661_561, 1_690_166, 153)),
    ("conflict=1,clock=1", (162_773, 381_315, 134)),
    ("conflict=1,provider=1", (250_439, 533_251, 151)),
    ("lost-request=2", (43_599, 58_846, 141)),
    ("lost-request=1,lost-reply=1", (494_100, 1_021_970, 145)),
    ("lost-request=1,relist=1", (55_671, 189_952, 139)),
    ("lost-request=1,two-leaders=1", (539_831, 1_103_195, 155)),
    ("lost-request=1,drift=1", (315_612, 529_979, 157)),
    ("lost-request=1,clock=1", (79_644, 120_878, 139)),
    ("lost-request=1,provider=1", (102_116, 133_245, 155)),
    ("lost-reply=2", (1_563_987, 4_298_983, 145)),
    ("lost-reply=1,relist=1", (324_163, 1_351_902, 140)),
    ("lost-reply=1,two-leaders=1", (3_256_461, 8_944_638, 155)),
    ("lost-reply=1,drift=1", (2_068_713, 4_864_305, 163)),
    ("lost-reply=1,clock=1", (451_248, 976_633, 145)),
    ("lost-reply=1,provider=1", (814_719, 1_646_307, 164)),
    ("relist=2", (23_053, 114_345, 133)),
    ("relist=1,two-leaders=1", (336_490, 1_430_167, 150)),
    ("relist=1,drift=1", (214_277, 835_796, 152)),
    ("relist=1,clock=1", (55_092, 199_133, 133)),
    ("relist=1,provider=1", (84_343, 279_685, 150)),
    ("two-leaders=2", (1_889_266, 5_186_405, 178)),
    ("two-leaders=1,drift=1", (2_131_323, 5_062_122, 169)),
    ("two-leaders=1,clock=1", (459_350, 995_830, 152)),
    ("two-leaders=1,provider=1", (876_161, 1_767_292, 168)),
    ("drift=2", (607_875, 1_212_699, 164)),
    ("drift=1,clock=1", (311_165, 563_690, 152)),
    ("drift=1,provider=1", (526_534, 837_983, 160)),
    ("clock=2", (41_131, 62_985, 133)),
    ("clock=1,provider=1", (108_616, 155_285, 150)),
    ("provider=2", (85_127, 107_217, 155)),
];
