//! What UpdateCluster must give.

use crate::catalogue::Expected;
use crate::seeds::expected::{Judgement, expect, holds, violated};

const MODEL: &str = super::ENTRY.name;

pub(in crate::seeds) const EXPECTED: &[Expected] = &[
    expect(MODEL, "requests=1,workers=1", (46, 91, 10), ONE_REQUEST),
    expect(MODEL, "requests=2,workers=1", (625, 1_664, 16), TWO_REQUESTS),
    expect(MODEL, "requests=2,workers=2", (1_024, 2_982, 16), TWO_REQUESTS),
    expect(MODEL, "requests=2,workers=3", (1_423, 4_300, 16), TWO_REQUESTS),
    expect(MODEL, "requests=3,workers=2", (16_892, 63_380, 20), THREE_REQUESTS),
];

const ONE_REQUEST: &[Judgement] = &[
    holds("Deadlock"),
    holds("TypeInvariants"),
    holds("NoConcurrentUpdate"),
    violated("NoPartialUpdateTermination", 5),
    holds("EveryReqIsProcessed"),
    holds("AtMostOneWorking"),
    holds("AtMostOneActive"),
    holds("LockHasHolder"),
    holds("ActiveImpliesLock"),
    holds("OnlyFourRequestStates"),
    holds("ClusterNeverStarting"),
    violated("NoApplicationOfOutdatedReq", 6),
    holds("NoSilentDowngrade"),
    violated("NoUselessApply", 3),
    violated("AcceptedIsNotRejected", 5),
    holds("EveryReqTerminates"),
    holds("AllEndRejected"),
    violated("FailuresStop", 10),
    violated("ClusterEndsIdle", 5),
    violated("WorkersEndIdle", 4),
    violated("DeployedIsSuccess", 10),
    holds("AcceptedIsAttempted"),
    holds("LockFreedInfinitelyOften"),
];

/// The lock leaks, whatever the number of workers.
const TWO_REQUESTS: &[Judgement] = &[
    violated("Deadlock", 9),
    holds("TypeInvariants"),
    holds("NoConcurrentUpdate"),
    violated("NoPartialUpdateTermination", 7),
    holds("EveryReqIsProcessed"),
    holds("AtMostOneWorking"),
    holds("AtMostOneActive"),
    violated("LockHasHolder", 7),
    holds("ActiveImpliesLock"),
    holds("OnlyFourRequestStates"),
    holds("ClusterNeverStarting"),
    violated("NoApplicationOfOutdatedReq", 6),
    holds("NoSilentDowngrade"),
    violated("NoUselessApply", 3),
    violated("AcceptedIsNotRejected", 5),
    holds("EveryReqTerminates"),
    holds("AllEndRejected"),
    violated("FailuresStop", 12),
    violated("ClusterEndsIdle", 7),
    violated("WorkersEndIdle", 6),
    violated("DeployedIsSuccess", 12),
    violated("AcceptedIsAttempted", 9),
    violated("LockFreedInfinitelyOften", 9),
];

const THREE_REQUESTS: &[Judgement] = &[
    violated("Deadlock", 11),
    holds("TypeInvariants"),
    holds("NoConcurrentUpdate"),
    violated("NoPartialUpdateTermination", 9),
    holds("EveryReqIsProcessed"),
    holds("AtMostOneWorking"),
    holds("AtMostOneActive"),
    violated("LockHasHolder", 7),
    holds("ActiveImpliesLock"),
    holds("OnlyFourRequestStates"),
    holds("ClusterNeverStarting"),
    violated("NoApplicationOfOutdatedReq", 6),
    holds("NoSilentDowngrade"),
    violated("NoUselessApply", 3),
    violated("AcceptedIsNotRejected", 5),
    holds("EveryReqTerminates"),
    holds("AllEndRejected"),
    violated("FailuresStop", 14),
    violated("ClusterEndsIdle", 9),
    violated("WorkersEndIdle", 8),
    violated("DeployedIsSuccess", 14),
    violated("AcceptedIsAttempted", 11),
    violated("LockFreedInfinitelyOften", 11),
];
