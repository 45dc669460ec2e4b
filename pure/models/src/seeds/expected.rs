//! What the seeds must give: counts and verdicts at several sizes.
//!
//! TLC (one worker) agrees with every number and verdict, and with the length of every trace of a
//! safety property, which is the shortest. The length of a lasso is the explorer's own; it need not be
//! the shortest, but it is always the same.

use super::{complete_issu, irsa, kcp_storage, update_cluster};
use crate::catalogue::Expected;
pub(super) use crate::judgements::{Judgement, expect, holds, violated};

/// What all seeds must give.
pub(crate) fn all() -> impl Iterator<Item = &'static Expected> {
    [update_cluster::EXPECTED, complete_issu::EXPECTED, irsa::EXPECTED, kcp_storage::EXPECTED]
        .into_iter()
        .flatten()
}
