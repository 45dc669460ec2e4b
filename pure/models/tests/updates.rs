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
    ("crash=1", (20_419, 31_513, 143)),
    ("conflict=1", (41_370, 89_718, 136)),
    ("lost-request=1", (18_717, 24_347, 140)),
    ("lost-reply=1", (113_888, 224_333, 142)),
    ("relist=1", (13_698, 47_237, 135)),
    ("two-leaders=1", (121_993, 240_285, 152)),
    ("drift=1", (78_153, 126_213, 157)),
    ("clock=1", (19_190, 27_309, 135)),
    ("provider=1", (28_581, 35_082, 154)),
];

const DELETED: &[(&str, Counts)] = &[
    ("crash=1", (13_804, 25_310, 99)),
    ("conflict=1", (22_326, 52_580, 97)),
    ("lost-request=1", (13_362, 20_927, 96)),
    ("lost-reply=1", (59_795, 130_411, 102)),
    ("relist=1", (8_995, 35_262, 96)),
    ("two-leaders=1", (65_238, 144_343, 112)),
    ("drift=1", (43_116, 79_379, 100)),
    ("clock=1", (12_699, 21_598, 95)),
    ("provider=1", (15_931, 24_224, 97)),
];

const DISCARDED: &[(&str, Counts)] = &[
    ("crash=1", (20_916, 32_233, 146)),
    ("conflict=1", (41_567, 89_226, 139)),
    ("lost-request=1", (19_156, 24_872, 143)),
    ("lost-reply=1", (119_815, 236_069, 145)),
    ("relist=1", (14_023, 48_365, 138)),
    ("two-leaders=1", (127_639, 251_464, 155)),
    ("drift=1", (77_111, 124_062, 160)),
    ("clock=1", (20_062, 28_401, 138)),
    ("provider=1", (29_721, 36_365, 160)),
];

const REPAIRED: &[(&str, Counts)] = &[
    ("drift=1", (77_699, 125_751, 157)),
    ("drift=2", (602_295, 1_202_527, 170)),
    ("crash=1,drift=1", (311_357, 617_207, 165)),
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
    ("crash=2", (45_145, 82_361, 148)),
    ("crash=1,conflict=1", (171_516, 426_391, 144)),
    ("crash=1,lost-request=1", (77_196, 124_872, 148)),
    ("crash=1,lost-reply=1", (611_807, 1_380_984, 150)),
    ("crash=1,relist=1", (55_382, 212_876, 143)),
    ("crash=1,two-leaders=1", (572_813, 1_328_926, 174)),
    ("crash=1,drift=1", (312_123, 618_522, 165)),
    ("crash=1,clock=1", (74_704, 130_291, 143)),
    ("crash=1,provider=1", (119_905, 188_279, 160)),
    ("conflict=2", (174_188, 528_646, 137)),
    ("conflict=1,lost-request=1", (162_986, 363_573, 142)),
    ("conflict=1,lost-reply=1", (956_170, 2_788_518, 143)),
    ("conflict=1,relist=1", (106_647, 492_076, 136)),
    ("conflict=1,two-leaders=1", (1_006_696, 2_964_525, 153)),
    ("conflict=1,drift=1", (653_063, 1_669_454, 158)),
    ("conflict=1,clock=1", (160_487, 376_235, 136)),
    ("conflict=1,provider=1", (251_990, 537_753, 155)),
    ("lost-request=2", (42_934, 58_177, 143)),
    ("lost-request=1,lost-reply=1", (490_758, 1_017_224, 147)),
    ("lost-request=1,relist=1", (54_783, 187_269, 141)),
    ("lost-request=1,two-leaders=1", (533_434, 1_095_200, 157)),
    ("lost-request=1,drift=1", (314_426, 527_978, 162)),
    ("lost-request=1,clock=1", (78_940, 119_872, 141)),
    ("lost-request=1,provider=1", (103_198, 134_927, 159)),
    ("lost-reply=2", (1_557_555, 4_287_963, 147)),
    ("lost-reply=1,relist=1", (319_759, 1_335_347, 142)),
    ("lost-reply=1,two-leaders=1", (3_196_990, 8_814_254, 157)),
    ("lost-reply=1,drift=1", (2_073_444, 4_872_687, 170)),
    ("lost-reply=1,clock=1", (450_837, 975_548, 150)),
    ("lost-reply=1,provider=1", (828_737, 1_676_716, 169)),
    ("relist=2", (22_482, 111_674, 135)),
    ("relist=1,two-leaders=1", (331_195, 1_412_001, 152)),
    ("relist=1,drift=1", (211_838, 826_741, 157)),
    ("relist=1,clock=1", (54_330, 196_537, 135)),
    ("relist=1,provider=1", (84_979, 282_305, 154)),
    ("two-leaders=2", (1_872_852, 5_157_095, 187)),
    ("two-leaders=1,drift=1", (2_112_103, 5_035_383, 174)),
    ("two-leaders=1,clock=1", (455_632, 990_812, 157)),
    ("two-leaders=1,provider=1", (882_298, 1_787_881, 174)),
    ("drift=2", (610_615, 1_214_261, 170)),
    ("drift=1,clock=1", (310_073, 560_636, 157)),
    ("drift=1,provider=1", (536_041, 853_367, 165)),
    ("clock=2", (41_086, 62_830, 135)),
    ("clock=1,provider=1", (110_700, 158_042, 154)),
    ("provider=2", (87_886, 110_875, 160)),
];
