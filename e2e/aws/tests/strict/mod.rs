//! What only the strict IAM can do.

mod chain;
mod consistency;
mod permissions;
mod rate;
mod secrets;
