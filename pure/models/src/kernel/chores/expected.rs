//! What the explorer must say of chores.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(in crate::kernel) const EXPECTED: &[Expected] = &[
    expect(
        super::COLLECTOR.name,
        "objects=3,deletes=1,writes=1,held=1,restarts=0,refusals=0",
        (217_969, 592_164, 16),
        COLLECTOR,
    ),
    // Fewer objects, and what takes longer: a second deletion in another way, a new owner for what lost one, and
    // writes that are taken back.
    expect(
        super::COLLECTOR.name,
        "objects=2,deletes=2,writes=2,held=1,restarts=0,refusals=1",
        (82_194, 337_268, 18),
        COLLECTOR,
    ),
    expect(
        super::NAMESPACES.name,
        "contents=2,deletes=2,writes=2,held=1,restarts=1,refusals=0",
        (105_774, 424_368, 16),
        NAMESPACES,
    ),
];

const COLLECTOR: &[Judgement] = &[
    holds("AgendaComplete"),
    holds("OnlyUnownedCollected"),
    holds("StaleDecisionsRefused"),
    holds("OrphansSurvive"),
    holds("ForegroundLast"),
    holds("DeletionEnds"),
    holds("UnownedGo"),
    reached("CollectorRemoves", 3),
    reached("DecisionGoesStale", 4),
    reached("OrphanFreed", 3),
    reached("OwnerWaits", 2),
    reached("WaitsInCircle", 2),
];

const NAMESPACES: &[Judgement] = &[
    COLLECTOR[0],
    COLLECTOR[1],
    COLLECTOR[2],
    COLLECTOR[3],
    COLLECTOR[4],
    COLLECTOR[5],
    COLLECTOR[6],
    COLLECTOR[7],
    COLLECTOR[8],
    COLLECTOR[9],
    COLLECTOR[10],
    COLLECTOR[11],
    holds("NothingEnters"),
    holds("NoStrays"),
    reached("NamespaceWaits", 2),
    reached("NamespaceGone", 7),
];
