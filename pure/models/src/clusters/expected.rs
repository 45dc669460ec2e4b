//! What the explorer must say of clusters.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[expect(MODEL, "lag=2", (0, 0, 0), ALL)];

const MODEL: &str = super::CLUSTERS.name;

const ALL: &[Judgement] = &[
    holds("NoneRunsAlone"),
    holds("HeldFirst"),
    holds("Found"),
    holds("LeftToItsHub"),
    holds("Converges"),
    holds("Goes"),
    holds("Rests"),
    reached("Usable", 1),
    reached("Recovers", 1),
    reached("LooksAgain", 1),
    reached("TakenDown", 1),
    reached("Stale", 1),
];
