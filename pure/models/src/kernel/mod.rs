//! The kernel of the hub by itself: what `bowline-kernel` promises, in every order of what can happen.
//!
//! Each model runs the shipped code: a state is a few bytes, the kernel's own types are made of it for every step,
//! and what becomes of them is made a state again. Mutants are servers that do one thing wrong; for every claim there
//! is one that breaks it.

mod chores;
mod objects;
mod thing;
mod watch;

use crate::catalogue::Expected;
#[cfg(test)]
use crate::mutants::Mutant;

pub(crate) use chores::{COLLECTOR, NAMESPACES};
pub(crate) use objects::OBJECTS;
pub(crate) use watch::WATCH;

/// What the models must give.
pub(crate) fn expected() -> impl Iterator<Item = &'static Expected> {
    [objects::EXPECTED, watch::EXPECTED, chores::EXPECTED].into_iter().flatten()
}

/// Servers that do one thing wrong.
#[cfg(test)]
pub(crate) fn mutants() -> impl Iterator<Item = &'static Mutant> {
    [chores::mutants::MUTANTS, objects::mutants::MUTANTS, watch::mutants::MUTANTS].into_iter().flatten()
}

#[cfg(test)]
mod tests;
