//! What the explorer must say of the queue.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[expect(
    super::WORKQUEUE.name,
    "keys=3,workers=2,adds=5,fails=2,priorities=3",
    (130_921, 1_368_883, 15),
    ALL,
)];

const ALL: &[Judgement] = &[
    holds("OneWorker"),
    holds("NothingLost"),
    holds("AgainWaits"),
    holds("InOrder"),
    holds("NotBefore"),
    holds("DrainedIsEmpty"),
    holds("AddedIsTaken"),
    holds("DrainEnds"),
    reached("AllWork", 5),
    reached("Again", 4),
    reached("OutOfTurn", 3),
    reached("DrainedBusy", 5),
];
