//! How it is written what the explorer must say of a model.

use bowline_explorer::Verdict;

use crate::catalogue::Expected;

/// A property's name, its verdict, and the length of its trace.
pub(crate) type Judgement = (&'static str, Verdict, Option<usize>);

pub(crate) const fn holds(name: &'static str) -> Judgement {
    (name, Verdict::Holds, None)
}

/// Violated, by a trace of so many states.
pub(crate) const fn violated(name: &'static str, length: usize) -> Judgement {
    (name, Verdict::Violated, Some(length))
}

/// A `sometimes` that is shown by a trace of so many states.
pub(crate) const fn reached(name: &'static str, length: usize) -> Judgement {
    (name, Verdict::Reached, Some(length))
}

/// What a model must give at a size: distinct states, generated states and depth; and its verdicts.
pub(crate) const fn expect(
    model: &'static str,
    size: &'static str,
    (distinct, generated, depth): (u64, u64, u32),
    verdicts: &'static [Judgement],
) -> Expected {
    Expected { model, size, distinct, generated, depth, verdicts }
}
