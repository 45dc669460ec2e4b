//! Updates under every fault and every two faults, and which of them have hit which effect.

mod swept;

use bowline_models::Faults;
use swept::{Counts, entry, run, runs_are_pinned};

#[test]
fn no_fault_breaks_anything() {
    let updates = entry("updates");
    runs_are_pinned(updates, "", &updates.singles(), SINGLES);
}

/// People delete an update, the stack, or the cluster, while something goes wrong: these effects are hit by every fault.
#[test]
fn what_is_deleted_goes_whatever_goes_wrong() {
    let updates = entry("updates");
    let size = "requests=1,deletes=1";
    let coverage = runs_are_pinned(updates, size, &updates.singles(), DELETED);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    let gaps = all.gaps();
    let of_deleted = gaps.iter().filter(|(_, effect)| ["let go", "cancel"].contains(effect));
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
