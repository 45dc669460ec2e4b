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

/// What others change is put right where the stack may be, and only there; also where it may be again.
#[test]
fn what_others_change_is_put_right_where_that_is_allowed() {
    let drift: Faults = entry("updates").budgets("drift=1").expect("faults");
    let (counts, _) = run(entry("updates"), "requests=1,contents=1,turns=2,repairs=true", &drift);
    assert_eq!(counts, (157_724, 450_046, 108));
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (20_464, 31_574, 146)),
    ("conflict=1", (41_478, 89_930, 139)),
    ("lost-request=1", (18_749, 24_383, 143)),
    ("lost-reply=1", (114_403, 225_331, 145)),
    ("relist=1", (13_733, 47_348, 138)),
    ("two-leaders=1", (122_457, 241_172, 155)),
    ("drift=1", (78_405, 126_569, 160)),
    ("clock=1", (20_295, 28_582, 138)),
    ("provider=1", (28_976, 35_525, 155)),
];

const DELETED: &[(&str, Counts)] = &[
    ("crash=1", (14_020, 25_673, 99)),
    ("conflict=1", (22_845, 53_541, 97)),
    ("lost-request=1", (13_431, 21_070, 96)),
    ("lost-reply=1", (60_715, 132_369, 102)),
    ("relist=1", (9_207, 36_041, 96)),
    ("two-leaders=1", (66_274, 146_370, 112)),
    ("drift=1", (43_695, 80_441, 100)),
    ("clock=1", (13_524, 22_802, 95)),
    ("provider=1", (15_992, 24_377, 97)),
];

const DISCARDED: &[(&str, Counts)] = &[
    ("crash=1", (20_961, 32_294, 149)),
    ("conflict=1", (41_663, 89_402, 142)),
    ("lost-request=1", (19_188, 24_908, 146)),
    ("lost-reply=1", (120_342, 237_091, 148)),
    ("relist=1", (14_058, 48_476, 141)),
    ("two-leaders=1", (128_115, 252_375, 158)),
    ("drift=1", (77_315, 124_342, 163)),
    ("clock=1", (21_180, 29_687, 141)),
    ("provider=1", (30_037, 36_729, 160)),
];

const REPAIRED: &[(&str, Counts)] = &[
    ("drift=1", (77_951, 126_107, 160)),
    ("drift=2", (605_099, 1_207_439, 170)),
    ("crash=1,drift=1", (312_252, 618_822, 168)),
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
    ("crash=2", (45_381, 82_686, 148)),
    ("crash=1,conflict=1", (171_900, 427_299, 147)),
    ("crash=1,lost-request=1", (77_323, 125_055, 151)),
    ("crash=1,lost-reply=1", (614_227, 1_386_384, 153)),
    ("crash=1,relist=1", (55_508, 213_331, 146)),
    ("crash=1,two-leaders=1", (576_495, 1_336_651, 177)),
    ("crash=1,drift=1", (313_018, 620_137, 168)),
    ("crash=1,clock=1", (77_359, 134_908, 146)),
    ("crash=1,provider=1", (121_872, 191_056, 163)),
    ("conflict=2", (174_664, 530_014, 140)),
    ("conflict=1,lost-request=1", (163_248, 364_147, 145)),
    ("conflict=1,lost-reply=1", (960_701, 2_801_725, 146)),
    ("conflict=1,relist=1", (106_933, 493_330, 139)),
    ("conflict=1,two-leaders=1", (1_010_780, 2_976_340, 156)),
    ("conflict=1,drift=1", (655_387, 1_674_866, 161)),
    ("conflict=1,clock=1", (169_621, 395_572, 139)),
    ("conflict=1,provider=1", (255_450, 544_944, 156)),
    ("lost-request=2", (42_990, 58_245, 146)),
    ("lost-request=1,lost-reply=1", (492_247, 1_020_307, 150)),
    ("lost-request=1,relist=1", (54_870, 187_568, 144)),
    ("lost-request=1,two-leaders=1", (534_879, 1_098_106, 160)),
    ("lost-request=1,drift=1", (315_106, 529_014, 165)),
    ("lost-request=1,clock=1", (83_254, 125_293, 144)),
    ("lost-request=1,provider=1", (104_344, 136_356, 160)),
    ("lost-reply=2", (1_568_623, 4_319_652, 150)),
    ("lost-reply=1,relist=1", (321_241, 1_341_475, 145)),
    ("lost-reply=1,two-leaders=1", (3_216_123, 8_868_323, 160)),
    ("lost-reply=1,drift=1", (2_084_972, 4_899_484, 173)),
    ("lost-reply=1,clock=1", (476_831, 1_026_002, 150)),
    ("lost-reply=1,provider=1", (841_752, 1_702_880, 169)),
    ("relist=2", (22_540, 111_950, 138)),
    ("relist=1,two-leaders=1", (332_527, 1_417_482, 155)),
    ("relist=1,drift=1", (212_556, 829_343, 160)),
    ("relist=1,clock=1", (57_402, 206_910, 138)),
    ("relist=1,provider=1", (86_080, 286_011, 155)),
    ("two-leaders=2", (1_888_345, 5_198_542, 187)),
    ("two-leaders=1,drift=1", (2_122_241, 5_058_832, 177)),
    ("two-leaders=1,clock=1", (476_018, 1_032_012, 157)),
    ("two-leaders=1,provider=1", (895_968, 1_814_164, 177)),
    ("drift=2", (613_419, 1_219_173, 170)),
    ("drift=1,clock=1", (327_318, 587_879, 160)),
    ("drift=1,provider=1", (543_329, 864_311, 168)),
    ("clock=2", (45_250, 68_493, 138)),
    ("clock=1,provider=1", (119_477, 169_176, 155)),
    ("provider=2", (89_281, 112_490, 163)),
];
