//! What the explorer must say of updates.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "requests=2", (5_045, 6_171, 133), &all([47, 66, 18, 92, 49])),
    expect(MODEL, "requests=3", (64_518, 86_252, 167), &all([47, 66, 18, 92, 49])),
    // The world turns: health, the way to the cluster, an upgrade.
    expect(MODEL, "turns=1", (71_571, 154_205, 159), &all([46, 66, 18, 85, 49])),
    // People delete an update, the stack, or the cluster.
    expect(MODEL, "deletes=1", (81_569, 135_534, 138), &all([47, 54, 18, 80, 44])),
    expect(MODEL, "pauses=1", (38_408, 69_296, 136), &all([47, 66, 18, 92, 49])),
    expect(MODEL, "releases=1,requests=3", (155_024, 232_670, 196), &all([47, 66, 18, 92, 49])),
    // Two stacks on one cluster.
    expect(MODEL, "stacks=2,workers=2", (230_607, 513_017, 171), &all([47, 66, 18, 92, 49])),
];

const MODEL: &str = super::UPDATES_MODEL.name;

/// All claims hold, and this is how far it is to what is to be reached.
const fn all([succeeds, rolls_back, supersedes, goes_back, takes_place]: [usize; 5]) -> [Judgement; 23] {
    [
        holds("NoConcurrentUpdate"),
        holds("NumbersInOrder"),
        holds("NoApplicationOfOutdatedReq"),
        holds("NotAgain"),
        holds("NeverTouched"),
        holds("LastGoodSucceeded"),
        holds("TakenOverFirst"),
        holds("OnlyWhatIsBegun"),
        holds("EnteredFirst"),
        holds("NotBesideAnUpgrade"),
        holds("NothingForeignIsLost"),
        holds("Kept"),
        holds("EveryReqIsProcessed"),
        holds("EveryReqInQueueIsProcessed"),
        holds("NoPartialUpdateTermination"),
        holds("IsLeft"),
        holds("Rests"),
        holds("Told"),
        reached("Succeeds", succeeds),
        reached("RollsBack", rolls_back),
        reached("Supersedes", supersedes),
        reached("GoesBack", goes_back),
        reached("TakesPlace", takes_place),
    ]
}
