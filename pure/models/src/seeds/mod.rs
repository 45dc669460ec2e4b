//! The four seeds as they are written, defects included.
//!
//! They show that we read the seeds right, and why the shipped protocols differ. Each is a model of
//! its TLA+ specification, action by action and property by property, under the same names: TLC
//! finds the same states, and generates as many. One module a seed: the model and its steps in
//! `<seed>.rs`, the packed variables in `<seed>/state.rs`, the claims in `<seed>/properties.rs`, and what
//! the explorer must say of them in `<seed>/expected.rs`.

pub(crate) mod expected;
mod names;
mod packed;
mod visit;

pub(crate) mod complete_issu;
pub(crate) mod irsa;
pub(crate) mod kcp_storage;
pub(crate) mod update_cluster;

pub use visit::{Visitor, visit_seed};

#[cfg(test)]
mod tests;
