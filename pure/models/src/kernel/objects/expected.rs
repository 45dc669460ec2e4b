//! What the explorer must say of writes.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(in crate::kernel) const EXPECTED: &[Expected] =
    &[expect(super::OBJECTS.name, "updates=3,others=3,restarts=1", (161_742, 647_692, 18), ALL)];

const ALL: &[Judgement] = &[
    holds("NoLostUpdate"),
    holds("StaleNeverWins"),
    holds("AnsweredStays"),
    holds("HeadAhead"),
    holds("VersionsGrow"),
    holds("GoingStays"),
    holds("DoneIsGone"),
    holds("EndIsTold"),
    holds("HolderLetsGo"),
    holds("WritesAnswered"),
    reached("ReaderStale", 3),
    reached("Batched", 4),
    reached("BothCount", 7),
    reached("GoesHeld", 3),
    reached("HolderAsked", 6),
    reached("MadeAgain", 5),
];
