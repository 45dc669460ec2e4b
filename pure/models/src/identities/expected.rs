//! What the explorer must say of identities.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "lag=2", (1_267, 1_902, 58), &all(17)),
    // Deleted, and made again under the same name.
    expect(MODEL, "creates=2,deletes=2", (15_077, 31_179, 96), &all(17)),
    // Somebody makes, and removes, a policy, a role or an account of the same name.
    expect(MODEL, "turns=2", (18_365, 42_302, 60), &all(17)),
    expect(MODEL, "bad=true", (1_927, 2_953, 58), &all(17)),
    expect(MODEL, "orphans=true,creates=2,deletes=2", (76_935, 173_503, 88), &all(17)),
    expect(MODEL, "adopts=true,turns=1", (13_742, 25_417, 60), &all(16)),
    // People name a boundary, and others take the policy away that is one.
    expect(MODEL, "bounded=true,turns=1", (24_352, 46_500, 59), &all(17)),
    // Two identities; a third worker has nothing to do.
    expect(MODEL, "instances=2,workers=2,creates=2,edits=0", (24_361, 55_615, 92), &all(1)),
    expect(MODEL, "instances=2,workers=3,creates=2,edits=0", (24_361, 55_615, 92), &all(1)),
];

const MODEL: &str = super::IDENTITIES.name;

/// All claims hold, and this is how far it is until a policy has another version.
const fn all(corrected: usize) -> [Judgement; 19] {
    [
        holds("NoConcurrentProcessingOfSameResource"),
        holds("AtMostOne"),
        holds("IntendedFirst"),
        holds("OnlyWhenComplete"),
        holds("LapsedFirst"),
        holds("NothingHalfMade"),
        holds("NothingForeignIsTouched"),
        holds("OrphansAreLeft"),
        holds("NothingIsLeft"),
        holds("BuriedFirst"),
        holds("OnlyWhatIsBuried"),
        holds("Converges"),
        holds("Goes"),
        holds("LeavesNothing"),
        holds("Forgotten"),
        holds("TerminationIsTheLastAction"),
        reached("Ready", 29),
        reached("Corrected", corrected),
        reached("TakenDown", 24),
    ]
}
