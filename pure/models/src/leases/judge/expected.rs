//! What the explorer must say of the judge.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] =
    &[expect(super::JUDGE.name, "members=3,faults=3,persons=1", (89_472, 337_491, 27), ALL)];

const ALL: &[Judgement] = &[
    holds("OutageTakesNobody"),
    holds("SuspectTakesNobody"),
    holds("MostIsSuspect"),
    holds("FullLeaseFirst"),
    holds("RenewedIsLive"),
    holds("PersonIsBelieved"),
    holds("SuspicionEnds"),
    holds("DeadIsJudged"),
    reached("Suspects", 2),
    reached("JudgesMost", 7),
    reached("JudgesLiving", 4),
    reached("PersonErrs", 3),
];
