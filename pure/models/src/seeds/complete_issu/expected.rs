//! What CompleteISSU must give.

use crate::catalogue::Expected;
use crate::seeds::expected::{Judgement, expect, holds, violated};

const MODEL: &str = super::ENTRY.name;

pub(in crate::seeds) const EXPECTED: &[Expected] = &[
    expect(MODEL, "nodes=2,partition-size=1", (30, 91, 8), TWO_NODES_SIZE_1),
    expect(MODEL, "nodes=3", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=3,versions=3", (1_236, 5_314, 22), THREE_NODES_THREE_VERSIONS),
    expect(MODEL, "nodes=3,partition-size=1", (87, 362, 9), THREE_NODES_SIZE_1),
    expect(MODEL, "nodes=3,partition-size=3", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=3,devices=2,partitions=2", (101, 414, 9), THREE_NODES),
    expect(MODEL, "nodes=2,devices=2,versions=3,partitions=2", (134, 423, 19), TWO_NODES_THREE_VERSIONS),
    expect(MODEL, "nodes=4", (396, 2_119, 10), FOUR_NODES),
    expect(MODEL, "nodes=3,fair=true", (101, 414, 9), THREE_NODES_FAIR),
    expect(MODEL, "nodes=3,versions=3,fair=true", (1_236, 5_314, 22), THREE_NODES_THREE_VERSIONS_FAIR),
];

/// Alone in its partition no node disagrees with another.
const TWO_NODES_SIZE_1: &[Judgement] = &[
    holds("Deadlock"),
    holds("TypeInvariant"),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    holds("PartitionSizes"),
    holds("PartitionSizesMin"),
    holds("SameVersionAgree"),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 4),
    violated("MasteredWhenPossible", 4),
    violated("SomeNodeInUpgradeVersion", 4),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 7),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

/// Whatever the numbers of devices and partitions.
const THREE_NODES: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 5),
    violated("MasteredWhenPossible", 5),
    violated("SomeNodeInUpgradeVersion", 5),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 8),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

const THREE_NODES_THREE_VERSIONS: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 5),
    violated("MasteredWhenPossible", 5),
    violated("SomeNodeInUpgradeVersion", 5),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 14),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

/// `PartitionSizes` has its minimum as printed, `PartitionSizesMin` as it was probably meant.
const THREE_NODES_SIZE_1: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    holds("PartitionSizesMin"),
    holds("SameVersionAgree"),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 5),
    violated("MasteredWhenPossible", 5),
    violated("SomeNodeInUpgradeVersion", 5),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 8),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

const TWO_NODES_THREE_VERSIONS: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 4),
    violated("MasteredWhenPossible", 4),
    violated("SomeNodeInUpgradeVersion", 4),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 12),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

const FOUR_NODES: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 6),
    violated("MasteredWhenPossible", 6),
    violated("SomeNodeInUpgradeVersion", 6),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 9),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 3),
];

/// Also with fairness: initialized at the last version, nothing can be done.
const THREE_NODES_FAIR: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 5),
    violated("MasteredWhenPossible", 5),
    violated("SomeNodeInUpgradeVersion", 5),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 8),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 9),
];

const THREE_NODES_THREE_VERSIONS_FAIR: &[Judgement] = &[
    holds("Deadlock"),
    violated("TypeInvariant", 4),
    holds("AtMostTwoVersions"),
    holds("MasterInUpgradeVersion"),
    violated("PartitionSizes", 4),
    violated("PartitionSizesMin", 4),
    violated("SameVersionAgree", 4),
    violated("MembersInSameVersion", 3),
    violated("AlwaysMastered", 5),
    violated("MasteredWhenPossible", 5),
    violated("SomeNodeInUpgradeVersion", 5),
    holds("CrashedIsNotMaster"),
    holds("NeverCommittedOrReset"),
    violated("NotStuckInitialized", 14),
    holds("CrashChangesNoNode"),
    violated("CrashRollsBack", 4),
    violated("UpgradeEnds", 15),
];
