//! What the explorer must say of clusters.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "lag=2", (7_275, 15_220, 37), &all([10, 9, 1])),
    // Effects are counted, and a key stalls: it rests, goes on, and converges all the same.
    expect(MODEL, "bound=3", (14_784, 28_472, 47), &all([10, 9, 1])),
    // Not in the hub, where no embedded cluster can be used.
    expect(MODEL, "hub=false", (5_942, 13_148, 24), &all([1, 9, 1])),
    // Two clusters at a time; what has fallen silent has no time to answer again.
    expect(MODEL, "instances=2,workers=2,edits=0,turns=1", (16_570, 44_965, 31), &all([10, 1, 1])),
    // A cluster is pointed at another server, and back.
    expect(MODEL, "edits=0,turns=1,moves=2", (9_075, 20_027, 38), &all([10, 1, 14])),
];

const MODEL: &str = super::CLUSTERS.name;

/// All claims hold, and this is how far it is until a cluster is usable, until one recovers, and until one was pointed elsewhere.
const fn all([usable, recovers, strays]: [usize; 3]) -> [Judgement; 14] {
    [
        holds("NoneRunsAlone"),
        holds("HeldFirst"),
        holds("Found"),
        holds("OneServer"),
        holds("LeftToItsHub"),
        holds("Converges"),
        holds("Goes"),
        holds("Rests"),
        reached("Usable", usable),
        reached("Recovers", recovers),
        reached("LooksAgain", 10),
        reached("TakenDown", 3),
        reached("Strays", strays),
        reached("Stale", 5),
    ]
}
