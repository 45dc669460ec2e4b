//! Groups of nodes are upgraded while they serve, with real processes and under load.

mod away;
mod bad_input;
mod beside;
mod broken;
mod by_hand;
mod chance;
mod ended;
mod killed;
mod left;
mod paused;
mod probed;
mod restarted;
mod shown;
mod small;
mod suspects;
mod upgraded;
