//! The systems together under every fault, and which of them have hit the effects by which systems meet.

mod swept;

use swept::{Counts, entry, runs_are_pinned};

#[test]
fn no_fault_makes_one_system_harm_another() {
    let fleet = entry("fleet");
    let coverage = runs_are_pinned(fleet, "", &fleet.singles(), SINGLES);
    let all = coverage.into_iter().reduce(|all, one| all.and(&one)).expect("faults");
    // Where who waits has its turn at once, no clock jumps over that; and no role lapses before its account is published.
    let is_open = |(kind, effect): &(&str, &str)| *kind != "clock" && *effect != "identities: lapse";
    let gaps = all.gaps().into_iter().filter(is_open);
    assert_eq!(gaps.collect::<Vec<_>>(), [("", ""); 0]);
}

/// The two that change a cluster, each step by itself.
#[test]
fn no_fault_lets_an_update_and_an_upgrade_meet() {
    let fleet = entry("fleet");
    runs_are_pinned(fleet, "stepwise=true,placements=0,identities=0", &fleet.singles(), STEPWISE);
}

const SINGLES: &[(&str, Counts)] = &[
    ("crash=1", (41_984, 184_890, 26)),
    ("conflict=1", (26_540, 160_501, 27)),
    ("lost-request=1", (15_895, 72_116, 26)),
    ("lost-reply=1", (43_869, 211_180, 28)),
    ("relist=1", (18_810, 219_036, 26)),
    ("two-leaders=1", (168_539, 817_338, 28)),
    ("drift=1", (128_102, 574_679, 27)),
    ("clock=1", (6_000, 23_576, 25)),
    ("provider=1", (15_550, 65_111, 27)),
];

const STEPWISE: &[(&str, Counts)] = &[
    ("crash=1", (70_320, 217_128, 91)),
    ("conflict=1", (61_745, 236_130, 87)),
    ("lost-request=1", (93_504, 261_034, 91)),
    ("lost-reply=1", (152_747, 462_041, 91)),
    ("relist=1", (37_710, 283_229, 87)),
    ("two-leaders=1", (199_205, 606_253, 96)),
    ("drift=1", (136_642, 418_076, 112)),
    ("clock=1", (45_082, 127_241, 86)),
    ("provider=1", (106_364, 292_185, 99)),
];
