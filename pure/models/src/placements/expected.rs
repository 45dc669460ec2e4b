//! What the explorer must say of placements.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "", (509, 1_234, 32), &all(26)),
    // Everything that syncers do is a step, and they see every object by itself.
    expect(MODEL, "stepwise=true,apart=true", (1_491, 4_456, 41), &all(34)),
    // Moved, and moved back or on while it moves.
    expect(MODEL, "moves=2", (6_722, 18_609, 52), &all(26)),
    expect(MODEL, "volumes=2", (2_735, 7_587, 42), &all(36)),
    expect(MODEL, "targets=3,fresh=true", (236, 364, 29), &all(24)),
    // A target is chosen, and drained or fenced.
    expect(MODEL, "chosen=true", (503, 1_221, 34), &all(28)),
    expect(MODEL, "chosen=true,fences=1,fresh=true", (5_736, 13_293, 38), &all(23)),
    // Moved in its window only, but for who is in a hurry.
    expect(MODEL, "window=true,moves=2", (1, 1, 1), &all(26)),
    expect(MODEL, "window=true,chosen=true,fences=1,fresh=true", (1, 1, 1), &all(26)),
    // A namespace that is nowhere yet.
    expect(MODEL, "new=true", (8_771, 24_063, 48), &all(18)),
    // A syncer that is cut off and comes back, or starts anew.
    expect(MODEL, "cuts=2", (42_851, 139_061, 40), &all(26)),
    // And where volumes enforce epochs.
    expect(MODEL, "enforces=true,cuts=2,fresh=true", (27_890, 73_642, 56), &all(23)),
    // A person deletes the namespace, or its placement alone.
    expect(MODEL, "deletes=1", (12_875, 36_451, 46), &all(26)),
    // A person fences and unfences targets.
    expect(MODEL, "fences=2,fresh=true", (40_238, 116_924, 51), &all(22)),
    // The hub is restored.
    expect(MODEL, "restores=1", (9_259, 25_048, 65), &all(26)),
    expect(MODEL, "restores=1,fences=1,fresh=true", (61_643, 156_527, 62), &all(22)),
    // From a backup with a fence that may be in force since.
    expect(
        MODEL,
        "restores=1,requested=true,fences=1,driver=true,fresh=true",
        (141_738, 398_827, 64),
        &all(21),
    ),
    // And nobody tells of it.
    expect(MODEL, "restores=1,behind=true", (18_530, 53_056, 75), &all(26)),
    expect(MODEL, "restores=1,behind=true,targets=3,fresh=true", (16_202, 44_520, 61), &all(24)),
];

const MODEL: &str = super::PLACEMENTS.name;

/// All claims hold, and this is how far it is until a namespace is moved.
const fn all(moved: usize) -> [Judgement; 19] {
    [
        holds("UsableByAtMostOne"),
        holds("RunsOnce"),
        holds("UserIsGranted"),
        holds("NSAtMostOne"),
        holds("PVCAtMostOne"),
        holds("EpochsGrow"),
        holds("GivenOnce"),
        holds("NothingOnFenced"),
        holds("DataIsKept"),
        holds("MadeOnce"),
        holds("NothingStopsByItself"),
        holds("WaitsForItsWindow"),
        holds("CleanBeforeUnfenced"),
        holds("MoveCompletes"),
        holds("SaysWhatFor"),
        holds("EndsClean"),
        holds("Goes"),
        holds("ComesToRest"),
        reached("Moved", moved),
    ]
}
