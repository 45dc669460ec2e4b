//! What Irsa must give.

use crate::catalogue::Expected;
use crate::seeds::expected::{Judgement, expect, holds, violated};

const MODEL: &str = super::ENTRY.name;

pub(in crate::seeds) const EXPECTED: &[Expected] = &[
    expect(MODEL, "workers=1", (319, 575, 50), ONE_WORKER),
    expect(MODEL, "workers=2", (7_053, 19_180, 48), SEVERAL_WORKERS),
    expect(MODEL, "workers=3", (31_292, 107_848, 48), SEVERAL_WORKERS),
    expect(MODEL, "workers=1,attached=true", (62, 93, 25), ONE_WORKER_ATTACHED),
    expect(MODEL, "workers=2,attached=true", (670, 1_553, 26), TWO_WORKERS_ATTACHED),
    expect(MODEL, "workers=3,attached=true", (2_462, 7_229, 26), THREE_WORKERS_ATTACHED),
];

/// The role's request waits in the only worker for the policy.
const ONE_WORKER: &[Judgement] = &[
    violated("Deadlock", 12),
    holds("TypeOk"),
    holds("NoConcurrentProcessingOfSameResource"),
    holds("TerminationIsTheLastAction"),
    violated("EventuallyConverged", 12),
    violated("EventuallyQuiet", 12),
    holds("NoConcurrent"),
    holds("QueueConsistent"),
    violated("NeverBlockedWorker", 9),
    holds("IrsaStatusNeverWritten"),
];

/// It converges, by luck of the queue's order.
const SEVERAL_WORKERS: &[Judgement] = &[
    holds("Deadlock"),
    holds("TypeOk"),
    holds("NoConcurrentProcessingOfSameResource"),
    holds("TerminationIsTheLastAction"),
    holds("EventuallyConverged"),
    holds("EventuallyQuiet"),
    holds("NoConcurrent"),
    holds("QueueConsistent"),
    violated("NeverBlockedWorker", 8),
    holds("IrsaStatusNeverWritten"),
];

/// A policy that is attached already is a trap.
const ONE_WORKER_ATTACHED: &[Judgement] = &[
    violated("Deadlock", 10),
    holds("TypeOk"),
    holds("NoConcurrentProcessingOfSameResource"),
    holds("TerminationIsTheLastAction"),
    violated("EventuallyConverged", 10),
    violated("EventuallyQuiet", 10),
    holds("NoConcurrent"),
    holds("QueueConsistent"),
    violated("NeverBlockedWorker", 8),
    holds("IrsaStatusNeverWritten"),
];

const TWO_WORKERS_ATTACHED: &[Judgement] = &[
    violated("Deadlock", 23),
    holds("TypeOk"),
    holds("NoConcurrentProcessingOfSameResource"),
    holds("TerminationIsTheLastAction"),
    violated("EventuallyConverged", 23),
    violated("EventuallyQuiet", 23),
    holds("NoConcurrent"),
    holds("QueueConsistent"),
    violated("NeverBlockedWorker", 7),
    holds("IrsaStatusNeverWritten"),
];

const THREE_WORKERS_ATTACHED: &[Judgement] = &[
    violated("Deadlock", 26),
    holds("TypeOk"),
    holds("NoConcurrentProcessingOfSameResource"),
    holds("TerminationIsTheLastAction"),
    violated("EventuallyConverged", 26),
    violated("EventuallyQuiet", 26),
    holds("NoConcurrent"),
    holds("QueueConsistent"),
    violated("NeverBlockedWorker", 7),
    holds("IrsaStatusNeverWritten"),
];
