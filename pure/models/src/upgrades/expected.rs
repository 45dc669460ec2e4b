//! What the explorer must say of upgrades.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "", (2_747, 6_096, 73), &all(60)),
    // A partition, and a cache that lags.
    expect(MODEL, "partitions=1,lag=1", (16_710, 49_711, 101), &all(85)),
    // Three nodes, each of them in the partition.
    expect(MODEL, "nodes=3,partitions=1,size=3", (46_054, 163_319, 106), &all(88)),
    // Two devices.
    expect(MODEL, "nodes=3,devices=2", (9_380, 24_332, 99), &all(84)),
    // Four nodes.
    expect(MODEL, "nodes=4", (26_192, 82_525, 129), &all(108)),
    // Somebody changes what is wanted in the middle.
    expect(MODEL, "versions=3,edits=1", (22_880, 57_094, 135), &all(60)),
    // By command, each at any time at which it is accepted.
    expect(MODEL, "manual=true,commands=4", (39_631, 104_062, 70), &all(1)),
    // And by commands that are refused.
    expect(MODEL, "manual=true,wrong=true,commands=3", (48_320, 124_770, 55), &all(1)),
    // A new version that never works.
    expect(MODEL, "sick=2,deadline=true", (5_148, 13_763, 56), &all(1)),
    // An upgrade that goes back at any moment at which it waits.
    expect(MODEL, "deadline=true,partitions=1", (59_951, 158_892, 131), &all(64)),
    // An agent that is cut off, and comes back.
    expect(MODEL, "cuts=1,returns=1", (134_753, 384_718, 134), &all(37)),
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
const fn all(committed: usize) -> [Judgement; 15] {
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
        holds("MembersAgree"),
        holds("NoTrap"),
        holds("Mastered"),
        holds("Ends"),
        holds("ComesToRest"),
        reached("Committed", committed),
    ]
}
