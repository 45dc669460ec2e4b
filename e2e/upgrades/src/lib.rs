//! Groups of nodes as people have them: `bowline up`, or `bowline controllers` on a real Kubernetes, agents as processes, each with
//! software of its own, and a load on all of it.

mod agent;
mod bed;
mod sights;
mod spec;

pub use agent::Agent;
pub use bed::Bed;
pub use sights::{masters, seat, stays};
pub use spec::{Group, PORT, scripted};
