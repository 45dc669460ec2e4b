//! An explicit-state model checker for the shipped decision functions.

mod model;
mod options;
mod property;
mod report;

pub use model::{Class, Field, Model};
pub use options::{Options, Phase, Progress, Refused, Storage};
pub use property::{Formula, Kind, Property};
pub use report::{Cycle, End, Judged, Report, Step, Trace, Verdict};

/// Explores a model breadth-first and judges its properties.
///
/// # Errors
/// Says what it does not support instead of passing over it.
pub fn check<M: Model>(_model: &M, _options: &Options<'_>) -> Result<Report, Refused> {
    unimplemented!()
}

/// How to walk at random.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    /// How many walks.
    pub count: u64,
    /// How many steps each may take.
    pub steps: u32,
    /// The same seed gives the same walks.
    pub seed: u64,
}

/// Walks at random through a model that is too large to explore.
///
/// # Errors
/// Says what it does not support instead of passing over it.
pub fn walk<M: Model>(_model: &M, _walks: Walks, _options: &Options<'_>) -> Result<Report, Refused> {
    unimplemented!()
}
