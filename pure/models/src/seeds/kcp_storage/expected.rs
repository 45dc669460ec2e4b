//! What KcpStorage must give.

use crate::catalogue::Expected;
use crate::seeds::expected::{Judgement, expect, holds, violated};

const MODEL: &str = super::ENTRY.name;

pub(in crate::seeds) const EXPECTED: &[Expected] = &[
    expect(MODEL, "clusters=1", (8, 25, 5), ONE_CLUSTER),
    expect(MODEL, "clusters=2", (36, 157, 8), SEVERAL_CLUSTERS),
    expect(MODEL, "clusters=3", (128, 705, 11), SEVERAL_CLUSTERS),
    expect(MODEL, "clusters=4", (400, 2_641, 14), SEVERAL_CLUSTERS),
];

const ONE_CLUSTER: &[Judgement] = &[
    holds("Deadlock"),
    holds("TypeOK"),
    holds("Inv_NSAtMostOneCluster"),
    holds("Inv_PVCAtMostOneCluster"),
    holds("Inv_UsableByAtMostOne"),
    holds("Invariants"),
    violated("Termination", 2),
    holds("NSAtMostOne"),
    holds("PVCAtMostOne"),
    holds("UsableByAtMostOne"),
    violated("UserIsAssignee", 4),
    violated("PvcAgrees", 3),
    holds("NeverEmpty"),
    holds("PvcFollows"),
    holds("SyncerFollows"),
];

/// The syncer of the old cluster is slower than that of the new one.
const SEVERAL_CLUSTERS: &[Judgement] = &[
    holds("Deadlock"),
    holds("TypeOK"),
    holds("Inv_NSAtMostOneCluster"),
    holds("Inv_PVCAtMostOneCluster"),
    violated("Inv_UsableByAtMostOne", 6),
    violated("Invariants", 6),
    violated("Termination", 2),
    holds("NSAtMostOne"),
    holds("PVCAtMostOne"),
    violated("UsableByAtMostOne", 6),
    violated("UserIsAssignee", 4),
    violated("PvcAgrees", 3),
    holds("NeverEmpty"),
    violated("PvcFollows", 5),
    violated("SyncerFollows", 5),
];
