//! IAM behind a small trait: what Bowline calls of AWS, and what can become of a call.
//!
//! [`Iam`] has the calls, in plain data of our own; [`Client`] carries them with AWS's own SDK. A call is sent once: no
//! client here tries again by itself, because only who decides knows whether a second try is right. What went wrong is
//! an [`Error`] that says what may have happened ([`Kind`]). All calls of a process go through one [`Gate`]: so many at
//! once, in the order in which they came, and fewer a second when AWS says that it is too much ([`Budget`]).
//!
//! Nothing here waits for anything to become so, and nothing is decided. No credential and no token is ever printed.

mod action;
mod budget;
mod classify;
mod client;
mod error;
mod gate;
mod iam;
mod model;
mod settings;

pub use action::{Action, Needs};
pub use budget::{Budget, Limits, Millis};
pub use client::{Client, Listener};
pub use error::{Arrival, Error, Kind};
pub use gate::Gate;
pub use iam::{Iam, Term};
pub use model::{
    Attached, Caller, Holder, Listed, NewPolicy, NewRole, Policy, PolicyVersion, Role, Secret, Tags,
    WebIdentity,
};
pub use settings::{Keys, Settings, Unset};
