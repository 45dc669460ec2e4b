//! Software for upgrades to be tried on: a small sharded key-value server, in three versions.
//!
//! A node runs one process ([`server`], the binary `kv`). Keys are spread over devices, and a device is a directory that all
//! nodes see, like a disk that they share ([`device`]). Who is master of a device is not for the software to find out: Bowline's
//! agent tells it ([`duties`], which is the contract between both). The device keeps a log of all that was done to it, by whom,
//! in which epoch and when. [`load`] writes all the time and notes what was acknowledged; [`judge`] holds both against each
//! other. [`node`] starts processes as the agent does, where there is no agent.

pub mod clock;
pub mod device;
pub mod duties;
pub mod http;
pub mod judge;
pub mod load;
mod master;
pub mod node;
pub mod server;
