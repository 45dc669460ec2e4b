//! Models that the explorer checks.

mod budgets;
mod catalogue;
mod clusters;
mod fleet;
mod harness;
mod identities;
mod judgements;
mod kernel;
mod leases;
#[cfg(test)]
mod mutants;
#[cfg(test)]
mod naive;
mod placements;
pub mod preflight;
mod sample;
mod seeds;
mod tiny;
mod updates;
mod upgrades;
mod workqueue;

pub use budgets::{BadFaults, Coverage, Faults, Hit};
pub use catalogue::{BadSize, Claim, Entry, Expected, Size, SizeKey, Subject, Value, catalogue, expected};
pub use sample::{Move, Part, rehearsal};
pub use seeds::{Visitor, visit_seed};
