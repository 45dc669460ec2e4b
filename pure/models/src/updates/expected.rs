//! What the explorer must say of updates.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(crate) const EXPECTED: &[Expected] = &[
    expect(MODEL, "requests=2", (4_926, 6_032, 138), &all([47, 66, 18, 94, 51])),
    expect(MODEL, "requests=3", (61_416, 82_576, 174), &all([47, 66, 18, 94, 51])),
    // The world turns: health, the way to the cluster, who may use it, an upgrade.
    expect(MODEL, "turns=1", (85_603, 175_057, 173), &all([46, 66, 18, 85, 51])),
    // Twice: what was taken away is given back.
    expect(MODEL, "requests=1,turns=2", (29_106, 80_318, 103), &all([46, 62, 1, 1, 1])),
    // People delete an update, the stack, or the cluster.
    expect(MODEL, "deletes=1", (84_663, 138_057, 143), &all([47, 54, 18, 82, 46])),
    // The cluster is deleted, and one of its name is made.
    expect(MODEL, "requests=1,contents=1,deletes=2", (8_813, 17_553, 80), &all([47, 54, 1, 1, 1])),
    expect(MODEL, "pauses=1", (37_803, 67_893, 141), &all([47, 66, 18, 94, 51])),
    expect(MODEL, "releases=1,requests=3", (155_121, 235_615, 209), &all([47, 66, 18, 94, 51])),
    // Updates that have ended are deleted.
    expect(MODEL, "discards=true,requests=3", (63_120, 84_758, 171), &all([47, 66, 18, 94, 51])),
    // Two stacks on one cluster.
    expect(MODEL, "stacks=2,workers=2", (222_609, 495_679, 175), &all([47, 66, 18, 94, 51])),
];

const MODEL: &str = super::UPDATES_MODEL.name;

/// All claims hold, and this is how far it is to what is to be reached.
const fn all([succeeds, rolls_back, supersedes, goes_back, takes_place]: [usize; 5]) -> [Judgement; 31] {
    [
        holds("NoConcurrentUpdate"),
        holds("NumbersInOrder"),
        holds("NoApplicationOfOutdatedReq"),
        holds("NotAgain"),
        holds("NotToBlame"),
        holds("NeverTouched"),
        holds("LastGoodSucceeded"),
        holds("OnlyWhatHasEndedIsDiscarded"),
        holds("TakenOverFirst"),
        holds("OnlyWhatIsBegun"),
        holds("SeenThere"),
        holds("OnlyWhereAllowed"),
        holds("EnteredFirst"),
        holds("NotBesideAnUpgrade"),
        holds("NothingForeignIsLost"),
        holds("Kept"),
        holds("DriftIsTold"),
        holds("GoingIsTold"),
        holds("Discarded"),
        holds("EveryReqIsProcessed"),
        holds("EveryReqInQueueIsProcessed"),
        holds("NewestWins"),
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
