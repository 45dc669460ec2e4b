//! Updates under every fault and every two faults, and which of them have hit which effect.

mod swept;

use bowline_models::Faults;
use swept::{Counts, entry, pairs_together_are_pinned, run, runs_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    let updates = entry("updates");
    runs_are_pinned(updates, "", &updates.singles(), SINGLES);
}

#[test]
fn every_two_faults_together_hit_every_effect_and_break_nothing() {
    pairs_together_are_pinned(entry("updates"), PAIRS);
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
    ("crash=1", (22_278, 33_674, 141)),
    ("conflict=1", (42_805, 92_494, 134)),
    ("lost-request=1", (18_813, 24_494, 138)),
    ("lost-reply=1", (117_960, 232_637, 146)),
    ("relist=1", (14_128, 48_589, 133)),
    ("two-leaders=1", (128_551, 251_915, 156)),
    ("drift=1", (78_171, 127_139, 152)),
    ("clock=1", (19_376, 27_728, 133)),
    ("provider=1", (25_216, 31_118, 147)),
];

const DELETED: &[(&str, Counts)] = &[
    ("crash=1", (13_809, 25_367, 97)),
    ("conflict=1", (21_841, 51_805, 93)),
    ("lost-request=1", (12_826, 20_312, 95)),
    ("lost-reply=1", (58_140, 128_112, 98)),
    ("relist=1", (8_794, 34_686, 92)),
    ("two-leaders=1", (64_612, 143_895, 108)),
    ("drift=1", (40_834, 76_386, 96)),
    ("clock=1", (12_369, 21_218, 91)),
    ("provider=1", (13_867, 21_353, 95)),
];

const REPAIRED: &[(&str, Counts)] = &[
    ("drift=1", (78_656, 127_782, 152)),
    ("drift=2", (578_683, 1_180_564, 163)),
    ("crash=1,drift=1", (339_949, 662_390, 159)),
];

const PAIRS: &[(&str, Counts)] = &[
    ("crash=2", (48_831, 88_789, 143)),
    ("crash=1,conflict=1", (188_087, 461_474, 142)),
    ("crash=1,lost-request=1", (82_780, 131_463, 146)),
    ("crash=1,lost-reply=1", (679_326, 1_518_112, 157)),
    ("crash=1,relist=1", (60_752, 230_866, 141)),
    ("crash=1,two-leaders=1", (622_968, 1_436_862, 174)),
    ("crash=1,drift=1", (335_528, 656_190, 159)),
    ("crash=1,clock=1", (80_316, 138_016, 141)),
    ("crash=1,provider=1", (116_008, 178_128, 153)),
    ("conflict=2", (180_806, 547_543, 135)),
    ("conflict=1,lost-request=1", (164_535, 366_775, 140)),
    ("conflict=1,lost-reply=1", (995_429, 2_902_737, 147)),
    ("conflict=1,relist=1", (110_697, 509_320, 134)),
    ("conflict=1,two-leaders=1", (1_066_604, 3_126_669, 157)),
    ("conflict=1,drift=1", (658_768, 1_686_861, 153)),
    ("conflict=1,clock=1", (162_602, 381_831, 134)),
    ("conflict=1,provider=1", (224_674, 478_618, 148)),
    ("lost-request=2", (43_109, 58_406, 141)),
    ("lost-request=1,lost-reply=1", (495_146, 1_027_495, 151)),
    ("lost-request=1,relist=1", (54_951, 188_242, 139)),
    ("lost-request=1,two-leaders=1", (551_904, 1_128_413, 161)),
    ("lost-request=1,drift=1", (306_709, 519_170, 157)),
    ("lost-request=1,clock=1", (78_791, 120_203, 138)),
    ("lost-request=1,provider=1", (89_834, 118_058, 152)),
    ("lost-reply=2", (1_621_251, 4_475_838, 153)),
    ("lost-reply=1,relist=1", (331_815, 1_386_310, 146)),
    ("lost-reply=1,two-leaders=1", (3_433_965, 9_441_704, 163)),
    ("lost-reply=1,drift=1", (2_086_519, 4_936_099, 172)),
    ("lost-reply=1,clock=1", (454_303, 988_135, 148)),
    ("lost-reply=1,provider=1", (740_499, 1_503_593, 161)),
    ("relist=2", (23_211, 115_235, 133)),
    ("relist=1,two-leaders=1", (350_361, 1_487_777, 156)),
    ("relist=1,drift=1", (212_740, 831_410, 152)),
    ("relist=1,clock=1", (55_005, 199_239, 133)),
    ("relist=1,provider=1", (75_448, 250_305, 147)),
    ("two-leaders=2", (2_010_125, 5_518_606, 187)),
    ("two-leaders=1,drift=1", (2_180_747, 5_196_631, 182)),
    ("two-leaders=1,clock=1", (468_799, 1_018_722, 156)),
    ("two-leaders=1,provider=1", (811_699, 1_638_047, 174)),
    ("drift=2", (570_995, 1_166_821, 163)),
    ("drift=1,clock=1", (306_235, 559_403, 154)),
    ("drift=1,provider=1", (455_954, 732_901, 160)),
    ("clock=2", (40_871, 62_882, 133)),
    ("clock=1,provider=1", (96_081, 138_529, 147)),
    ("provider=2", (67_743, 86_095, 155)),
];
