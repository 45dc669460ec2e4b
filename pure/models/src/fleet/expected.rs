//! What the explorer must say of the systems together.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "", (6_000, 23_576, 25), &all([4, 4, 6, 2, 20])),
    // Caches that lag, each by itself.
    expect(MODEL, "lag=1", (16_790, 72_976, 31), &all([6, 5, 7, 2, 23])),
    // The two that change a cluster, each step by itself.
    expect(
        MODEL,
        "stepwise=true,placements=0,identities=0,lag=1",
        (66_642, 223_883, 114),
        &all([20, 32, 1, 1, 99]),
    ),
];

const MODEL: &str = super::FLEET.name;

/// All claims hold, and this is how far it is to what is to be reached.
const fn all([update_waits, upgrade_waits, refused, fenced, done]: [usize; 5]) -> [Judgement; 13] {
    [
        holds("NoUpdateBesideAnUpgrade"),
        holds("NoUpgradeBesideAPartialUpdate"),
        holds("NothingPlacedOnAFence"),
        holds("NothingPlacedIsTouched"),
        holds("NoAccountBeforeItsRole"),
        holds("AllEnd"),
        holds("MoveCompletes"),
        holds("Converges"),
        reached("AnUpdateWaits", update_waits),
        reached("AnUpgradeWaits", upgrade_waits),
        reached("AStackIsRefused", refused),
        reached("AFenceIsWaitedFor", fenced),
        reached("AllDone", done),
    ]
}
