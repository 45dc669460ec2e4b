//! An explicit-state model checker for the shipped decision functions.
//!
//! [`check`] explores a [`Model`] breadth-first and judges its properties: of states and steps as it
//! goes, liveness under weak fairness on the graph that it leaves. [`walk`] takes random walks through
//! what is too large. Counts, verdicts and traces are the same for any number of threads.

mod check;
mod components;
mod expand;
mod fairness;
mod graph;
mod lasso;
mod liveness;
mod model;
mod options;
mod panics;
mod parallel;
mod plan;
mod property;
mod replay;
mod report;
mod search;
mod shard;
mod shelf;
mod walk;

pub use check::check;
pub use model::{Class, Field, Model};
pub use options::{Options, Phase, Progress, Refused, Storage};
pub use property::{Formula, Kind, Property};
pub use report::{Cycle, End, Judged, Report, Step, Trace, Verdict};
pub use walk::{Walks, walk};
