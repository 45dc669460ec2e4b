//! Workloads on a hub in process, simulated.

mod claims;
mod deployments;
mod faults;
mod jobs;
mod sets;
mod world;
