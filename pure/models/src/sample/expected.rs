//! What the explorer must say of the small controller.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "lag=2", (1_742, 3_604, 31), ALL),
    // Effects are counted, and a key stalls: it rests, goes on, and converges all the same.
    expect(MODEL, "bound=8", (5_884, 10_895, 51), ALL),
    // Two pairs at a time: with one create there is never more than one.
    expect(MODEL, "instances=2,workers=2,creates=2,edits=0", (41_493, 129_063, 43), ALL),
];

const MODEL: &str = super::CONTROL.name;

const ALL: &[Judgement] = &[
    holds("OneOfEach"),
    holds("LeftFirst"),
    holds("LeavesNothing"),
    holds("LeavesOthersAlone"),
    holds("KeepsWishes"),
    holds("Converges"),
    holds("Rests"),
    reached("Complete", 20),
    reached("TakenDown", 3),
    reached("Stale", 5),
];
