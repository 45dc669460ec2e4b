//! What the seeds must give: counts and verdicts at several sizes.
//!
//! TLC (one worker) agrees with every number and verdict, and with the length of every trace of a
//! safety property, which is the shortest. The length of a lasso is the explorer's own; it need not be
//! the shortest, but it is always the same.

use bowline_explorer::Verdict;

use super::{complete_issu, irsa, kcp_storage, update_cluster};
use crate::catalogue::Expected;

/// A property's name, its verdict, and the length of its trace.
pub(super) type Judgement = (&'static str, Verdict, Option<usize>);

pub(super) const fn holds(name: &'static str) -> Judgement {
    (name, Verdict::Holds, None)
}

/// Violated, by a trace of so many states.
pub(super) const fn violated(name: &'static str, length: usize) -> Judgement {
    (name, Verdict::Violated, Some(length))
}

/// What a model must give at a size: distinct states, generated states and depth; and its verdicts.
pub(super) const fn expect(
    model: &'static str,
    size: &'static str,
    (distinct, generated, depth): (u64, u64, u32),
    verdicts: &'static [Judgement],
) -> Expected {
    Expected { model, size, distinct, generated, depth, verdicts }
}

/// What all seeds must give.
pub(crate) fn all() -> impl Iterator<Item = &'static Expected> {
    [update_cluster::EXPECTED, complete_issu::EXPECTED, irsa::EXPECTED, kcp_storage::EXPECTED]
        .into_iter()
        .flatten()
}
