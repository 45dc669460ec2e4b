//! The loop on a controller of one object: it counts a number up to what is wanted.

mod catching_up;
mod counter;
mod events;
mod naming;
mod rests;
