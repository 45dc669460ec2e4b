//! What the explorer must say of clusters.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "lag=2", (7_275, 15_220, 37), &all(10, 9)),
    // Effects are counted, and a key stalls: it rests, goes on, and converges all the same.
    expect(MODEL, "bound=3", (14_784, 28_472, 47), &all(10, 9)),
    // Not in the hub, where no embedded cluster can be used.
    expect(MODEL, "hub=false", (5_942, 13_148, 24), &all(1, 9)),
    // Two clusters at a time; what has fallen silent has no time to answer again.
    expect(MODEL, "instances=2,workers=2,edits=0,turns=1", (16_570, 44_965, 31), &all(10, 1)),
];

const MODEL: &str = super::CLUSTERS.name;

/// All claims hold, and this is how far it is until a cluster is usable, and until one recovers.
const fn all(usable: usize, recovers: usize) -> [Judgement; 12] {
    [
        holds("NoneRunsAlone"),
        holds("HeldFirst"),
        holds("Found"),
        holds("LeftToItsHub"),
        holds("Converges"),
        holds("Goes"),
        holds("Rests"),
        reached("Usable", usable),
        reached("Recovers", recovers),
        reached("LooksAgain", 10),
        reached("TakenDown", 3),
        reached("Stale", 5),
    ]
}
