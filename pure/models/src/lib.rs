//! Models that the explorer checks.

mod catalogue;
mod judgements;
mod kernel;
#[cfg(test)]
mod mutants;
#[cfg(test)]
mod naive;
mod seeds;
mod workqueue;

pub use catalogue::{BadSize, Claim, Entry, Expected, Size, SizeKey, Subject, Value, catalogue, expected};
pub use seeds::{Visitor, visit_seed};
