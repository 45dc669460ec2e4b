//! `cargo xtask soak`: writers, readers and watchers on a hub that is killed again and again.
//!
//! Everything that a client does and is told is written down ([`log`]), and after every life it is held against one history
//! ([`judge`]). There is nothing to search for: every change has a version, and all clients have one clock.

pub mod clients;
pub mod dice;
pub mod judge;
pub mod log;
pub mod object;
pub mod run;
