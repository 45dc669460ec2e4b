//! What the explorer must say of watches.

use crate::catalogue::Expected;
use crate::judgements::{Judgement, expect, holds, reached};

pub(in crate::kernel) const EXPECTED: &[Expected] =
    &[expect(super::WATCH.name, "writes=3,losses=1,forgets=1", (55_915, 194_121, 14), ALL)];

const ALL: &[Judgement] = &[
    holds("CacheIsTruth"),
    holds("NextInOrder"),
    holds("NoDuplicate"),
    holds("OnlyDurable"),
    holds("NeverBack"),
    holds("WatchersAgree"),
    holds("Converges"),
    reached("Expires", 2),
    reached("Follows", 5),
    reached("PendingWhileWatched", 7),
    reached("WrittenAgain", 10),
];
