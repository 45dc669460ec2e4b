//! The software with real processes and real files: told, handed over, killed, stopped, paused, and told wrongly.

mod bed;
mod contract;
mod flaws;
mod handover;
mod wrong;
