//! The hands of a node agent: all that touches processes, files and sockets, and no policy. Plain values go in and come out.
//!
//! [`Software`] is what can be done to the software of one member; [`Local`] does it to a process of this machine. Each such
//! process has a [`shim`] as its parent, which holds it while agents come and go, and kills it when its deadline on
//! [`Boottime`] has passed. [`Probe`] asks whether it works, [`Command`] drains it, [`Duties`] tell it what it is, and
//! [`tail`] has its last words.
//!
//! - The binary calls [`play`] for the roles that it has beside the agent.
//! - A directory ([`Home`]) is a member's. All there is to know is found by it: an agent that begins anew goes on.
//! - Nothing here tries again by itself, and nothing runs longer than it was given time for.
//! - No value of an environment is printed, or written anywhere.

mod client;
mod clock;
mod commands;
mod duties;
mod home;
mod http;
mod launch;
mod log;
mod probe;
mod processes;
mod protocol;
mod roles;
pub mod shim;
mod software;
mod words;

pub use client::{Shim, ShimError};
pub use clock::Boottime;
pub use commands::{Command, Failure};
pub use duties::{Device, Duties, Notify, Partition, Told};
pub use home::{Home, HomeError};
pub use log::tail;
pub use probe::{Check, Gauge, Outcome, Probe, Timing};
pub use protocol::{
    Answer, Cause, End, Env, Exit, Fence, Launch, Limits, MAX_LINE_BYTES, PROTOCOL, Phase, Reason, Refusal,
    Request, Run, Status,
};
pub use roles::{embed, play};
pub use software::{Local, Software};
pub use words::ended;
