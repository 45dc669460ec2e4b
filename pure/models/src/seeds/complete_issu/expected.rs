//! What CompleteISSU must give.

use crate::catalogue::Expected;
use crate::seeds::expected::{Judgement, expect, holds, violated};

const MODEL: &str = super::ENTRY.name;

pub(in crate::seeds) const EXPECTED: &[Expected] = &[
    expect(MODEL, "nodes=2,partition-size=1", (30, 91, 8), &judged(ALONE_OF_TWO, 2, 7, 3)),
    expect(MODEL, "nodes=3", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=3,versions=3", (1_236, 5_314, 22), &judged(SHARED, 3, 14, 3)),
    expect(MODEL, "nodes=3,partition-size=1", (87, 362, 9), &judged(ALONE_OF_THREE, 3, 8, 3)),
    expect(MODEL, "nodes=3,partition-size=3", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=3,devices=2,partitions=2", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=2,devices=2,versions=3,partitions=2", (134, 423, 19), &judged(SHARED, 2, 12, 3)),
    expect(MODEL, "nodes=4", (396, 2_119, 10), &judged(SHARED, 4, 9, 3)),
    // Also with fairness: initialized at the last version, nothing can be done.
    expect(MODEL, "nodes=3,fair=true", (101, 414, 9), &judged(SHARED, 3, 8, 9)),
    expect(MODEL, "nodes=3,versions=3,fair=true", (1_236, 5_314, 22), &judged(SHARED, 3, 14, 15)),
];

/// Whatever the numbers of devices and partitions.
const THREE_NODES: &[Judgement] = &judged(SHARED, 3, 8, 3);

/// What depends on who shares a partition: `TypeInvariant`, `PartitionSizes`, `PartitionSizesMin` and
/// `SameVersionAgree`.
type OfPartitions = [Judgement; 4];

const SHARED: OfPartitions = [
    violated("TypeInvariant", 4),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
];

/// Alone in its partition no node disagrees with another.
const ALONE_OF_TWO: OfPartitions =
    [holds("TypeInvariant"), holds("PartitionSizes"), holds("PartitionSizesMin"), holds("SameVersionAgree")];

/// `PartitionSizes` has its minimum as printed, `PartitionSizesMin` as it was probably meant.
const ALONE_OF_THREE: OfPartitions = [
    violated("TypeInvariant", 4),
    violated("PartitionSizes", 4),
    holds("PartitionSizesMin"),
    holds("SameVersionAgree"),
];

/// Every property; `stuck` and `endless` are the lengths of traces that depend on the number of versions, and
/// the second on fairness.
const fn judged(of_partitions: OfPartitions, nodes: usize, stuck: usize, endless: usize) -> [Judgement; 17] {
    let [types, sizes, sizes_min, agree] = of_partitions;
    // A device loses its master without any crash, one state later with each node more.
    let masterless = nodes + 2;
    [
        holds("Deadlock"),
        types,
        holds("AtMostTwoVersions"),
        holds("MasterInUpgradeVersion"),
        sizes,
        sizes_min,
        agree,
        violated("MembersInSameVersion", 3),
        violated("AlwaysMastered", masterless),
        violated("MasteredWhenPossible", masterless),
        violated("SomeNodeInUpgradeVersion", masterless),
        holds("CrashedIsNotMaster"),
        holds("NeverCommittedOrReset"),
        violated("NotStuckInitialized", stuck),
        holds("CrashChangesNoNode"),
        violated("CrashRollsBack", 4),
        violated("UpgradeEnds", endless),
    ]
}
