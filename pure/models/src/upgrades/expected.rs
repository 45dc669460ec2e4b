//! What the explorer must say of upgrades.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "", (2_721, 6_014, 71), &all(58)),
    // A partition, and a cache that lags.
    expect(MODEL, "partitions=1,lag=1", (5_546, 15_361, 86), &all(70)),
    // Three nodes, each of them in the partition.
    expect(MODEL, "nodes=3,partitions=1,size=3", (46_210, 163_587, 104), &all(86)),
    // Two devices.
    expect(MODEL, "nodes=3,devices=2", (9_124, 23_514, 97), &all(82)),
    // Four nodes.
    expect(MODEL, "nodes=4", (25_288, 79_321, 127), &all(106)),
    // Somebody changes what is wanted in the middle.
    expect(MODEL, "versions=3,edits=1", (22_576, 56_028, 131), &all(58)),
    // By command, each at any time at which it is accepted.
    expect(MODEL, "manual=true,commands=4", (38_669, 100_574, 70), &all(1)),
    // Also if who is moved has to be replaced in its partition.
    expect(MODEL, "manual=true,partitions=1,commands=4", (69_521, 195_528, 72), &all(1)),
    // And by commands that are refused.
    expect(MODEL, "manual=true,wrong=true,commands=3", (46_010, 118_084, 55), &all(1)),
    // A new version that never works.
    expect(MODEL, "sick=2,deadline=true", (4_886, 13_021, 56), &all(1)),
    // An upgrade that goes back at any moment at which it waits.
    expect(MODEL, "deadline=true,partitions=1", (41_300, 107_274, 104), &all(52)),
    // An agent that is cut off, and comes back.
    expect(MODEL, "cuts=1,returns=1", (133_930, 381_029, 129), &all(37)),
    // On a cluster that others want, too.
    expect(MODEL, "cluster=true,updates=1,edits=2", (44_653, 126_949, 80), &all(60)),
    // Somebody deletes a member, or the group.
    expect(MODEL, "deletions=1", (87_866, 234_995, 84), &all(39)),
    // A single node.
    expect(
        MODEL,
        "nodes=1,interrupts=true,crashes=1,returns=1,deadline=true",
        (21_978, 51_079, 59),
        &all(28),
    ),
];

const MODEL: &str = super::UPGRADES.name;

/// All claims hold, and this is how far it is until an upgrade is committed.
const fn all(committed: usize) -> [Judgement; 20] {
    [
        holds("OneMaster"),
        holds("MastersServe"),
        holds("EpochsGrow"),
        holds("AtMostTwoVersions"),
        holds("KeepsQuorum"),
        holds("SwitchesOnlyIfItCan"),
        holds("CrashRollsBack"),
        holds("CommitsWhenAllAreThere"),
        holds("StaysFailed"),
        holds("CanGoBack"),
        holds("OneAtATime"),
        holds("LeavesTheCluster"),
        holds("MembersAgree"),
        holds("NoTrap"),
        holds("Mastered"),
        holds("StopsBeforeItGoes"),
        holds("Ends"),
        holds("DeletedGoes"),
        holds("ComesToRest"),
        reached("Committed", committed),
    ]
}
