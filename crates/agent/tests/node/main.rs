//! The hands of an agent with real processes: killed, stopped, deaf, gone astray.

mod commands;
mod duties;
mod fencing;
mod logs;
mod probes;
mod server;
mod shims;
mod starting;
mod stopping;
mod world;
