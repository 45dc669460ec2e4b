//! `bowline up`, `controllers` and `cluster`, with real clients and real processes.

mod clusters;
mod embedded;
mod ends;
mod kept;
mod killed;
mod led;
mod pods;
mod updates;
