//! `bowline up`, `controllers` and `cluster`, with real clients and real processes.

mod clusters;
mod embedded;
mod ends;
mod killed;
mod led;
