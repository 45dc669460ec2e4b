//! What the explorer must say of leases.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(
        super::LEASES.name,
        "holders=2,faults=2,leaves=1,walls=false,exclusive=false",
        (1_752_449, 9_480_038, 30),
        ALL,
    ),
    expect(
        super::LEASES.name,
        "holders=2,faults=1,leaves=1,walls=true,exclusive=false",
        (109_912, 474_162, 24),
        WALLS,
    ),
    expect(
        super::LEASES.name,
        "holders=2,faults=2,leaves=1,walls=false,exclusive=true",
        (1_573_757, 8_570_155, 30),
        ALL,
    ),
];

const ALL: &[Judgement] = &judgements(10);
/// Of two faults one may be a jump, and then nobody waits for the paused one.
const WALLS: &[Judgement] = &judgements(11);

const fn judgements(paused: usize) -> [Judgement; 15] {
    [
        holds("OneEpoch"),
        holds("OneActs"),
        holds("ActsInTime"),
        holds("EpochGrows"),
        holds("UnknownGivesNothing"),
        holds("OwnIsTakenAtOnce"),
        holds("SomebodyHolds"),
        holds("FreeIsTaken"),
        holds("LeavesInTheEnd"),
        reached("TwoBelieve", 8),
        reached("ActsOverPaused", paused),
        reached("PastActs", 6),
        reached("TwoActAfterJump", 10),
        reached("LateRaces", 6),
        reached("Drains", 6),
    ]
}
