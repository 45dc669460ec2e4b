//! The small controller as a process, on both homes: what it makes, what it survives, and that it rests.

mod killed;
mod led;
mod replay;
mod story;
mod weather;
mod world;
