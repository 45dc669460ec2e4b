//! Placements as people have them: a hub, workload clusters with a syncer each, and volumes that clusters can share.
//!
//! The volumes are real directories, handed out by a server of ours ([`Volumes`]), which is to each cluster what a CSI driver is,
//! with a provisioner, an attacher, and pods that write. What it has handed out, and what was written, is a log that is judged.

mod bed;
mod judge;
mod log;
mod road;
mod server;
mod site;
mod stays;
mod syncer;

pub use bed::Bed;
pub use judge::{Verdict, judge};
pub use log::{Entry, Log, What};
pub use road::Road;
pub use server::{DRIVER, Volumes};
pub use site::{Sites, Sort, claim, deployment, object, set, shared_claim};
pub use stays::stays;
pub use syncer::Syncer;
