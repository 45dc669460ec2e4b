//! The syncer of a target: it carries out on a workload cluster what [`bowline_placements::syncer`] decides, and tells the hub.
//!
//! # How it goes
//! `run` goes round: what has changed in a namespace of the cluster is read there, at the server (`site`); what has changed on the
//! hub is in the view (`hub`); the next act of each namespace is decided, and carried out (`acts`). What people have in a namespace
//! that is up is copied down, and status up (`mirror`, `copies`), when nothing else is to be done. Watches are bells (`bells`,
//! `upstream`): they say where to look, and what is written rests on what was read.
//!
//! # Invariants
//! - Every write is guarded by what was read: by version, by uid, or by the object not being there. What is not answered is looked at.
//!   A copy that was not there is applied, and what that makes too late is found where nothing is to run, and stopped.
//! - What has to be remembered is in the cluster (`marks`, `memory`): a syncer that is killed and started again knows it.
//! - Data stays unless a person deletes its namespace on the hub: a claim is deleted when its volume was read back to be kept.
//! - Nothing is removed in the cluster because it is not seen on the hub, unless the hub shows the whole namespace, in this tenure,
//!   while it is granted here, and has not been restored since that was copied.
//! - At rest nothing is written.

mod acts;
mod asks;
mod bells;
mod copies;
mod hub;
mod kinds;
mod marks;
mod memory;
mod mirror;
mod portable;
mod run;
mod site;
mod told;
mod upstream;

pub use run::{Setup, Stopped, run};
