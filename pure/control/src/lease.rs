//! Leases: who may act, in which epoch, and until when.
//!
//! A [`Lease`] is one object, changed by guarded writes. A [`Candidate`] wants to hold it: [`Candidate::decide`] says what
//! is to be done about the lease, and [`Candidate::tenure`] whether it may act, in which [`Epoch`], and until when. A
//! [`Judge`] looks at all leases of a hub, says which have lapsed, and when the hub had better suspect itself.
//!
//! # Promises
//! - No two candidates act in one epoch: an acquisition raises it in the same guarded write. That rests on no clock.
//! - No two act at the same time, as long as clocks keep the bound below.
//! - Nobody acts because of a write whose answer is not known; it looks first.
//! - A lease that was given back is taken without waiting.
//!
//! # The bound
//! Nobody compares what two clocks say. A holder counts from before its renewal was sent, by its own clock, and acts
//! for [`Settings::acts_for`]:
//!
//! ```text
//! acts_for = term - drift · term - margin
//! ```
//!
//! Everybody else counts from when they saw the lease change last, by their own clock, and takes it after `term`. They
//! cannot see a renewal before it was sent, so the holder has stopped before, if
//!
//! - while any clock measures `term`, any other measures at least `term - drift · term`; it runs while the machine sleeps;
//! - nothing that a holder sent before its deadline arrives later than `margin` after it.
//!
//! A machine that is stopped with its clock (by its hypervisor) keeps neither. Then only the epoch tells who is late:
//! who is acted upon has to refuse the smaller one.
//!
//! # Identities
//! A candidate is one run of one process, and its identity is random. Who comes back after a crash is somebody else, and
//! waits: what it left under way may still arrive. Where nothing can be left, a name may be
//! [exclusive](Candidate::exclusive), and who comes back under it does not wait.

mod candidate;
mod judge;
mod settings;
#[cfg(test)]
mod tests;

use std::fmt;

pub use candidate::{Answer, Asked, Candidate, Hold, Request, Sight, Step, Tenure, Wish};
pub use judge::{Judge, Known, Lapse, Suspicion};
pub use settings::{BadSettings, PerMille, Settings};

use crate::Millis;
use crate::object::Version;

/// How often a lease was acquired. Greater is later; of two who act, the smaller one is late.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The epoch of the next acquisition.
    #[must_use]
    pub fn next(self) -> Epoch {
        Epoch(self.0.saturating_add(1))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A lease, as `coordination.k8s.io/v1` has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease<H> {
    /// The version of its last change.
    pub version: Version,
    /// `holderIdentity`; `None` if it was given back.
    pub holder: Option<H>,
    /// `leaseDurationSeconds`: who has not seen it change for so long may take it.
    pub term: Millis,
    /// `leaseTransitions`.
    pub epoch: Epoch,
    /// `acquireTime`, by the clock on the holder's wall. For people; nobody decides by it.
    pub acquired: Millis,
    /// `renewTime`, likewise. It grows with every write: a write that changes nothing is no change, and others would not
    /// see it.
    pub renewed: Millis,
}
