//! The worker loop of all controllers, without I/O: what the watches show and what is answered goes in, effects come
//! out.
//!
//! A [`Controller`] says what a key is about, what is to be done, and how; the [`Loop`] says when. Production carries
//! the effects ([`Effect`]); the explorer runs the same loop in every order that crashes, lagging caches, lost answers and
//! competing writers allow.
//!
//! # Promises
//! - A key is decided only when every kind has been listed, and when its cache has reached its own last write.
//! - One effect of a key is under way at a time; nobody waits inside of it for anything but its answer.
//! - After a write that was refused as outdated, or never answered, the object is looked at, and the cache has to reach
//!   what was seen.
//! - What waits, has come to rest, fails or leads nowhere says so ([`Controller::report`]), and writes that once.
//! - Failures are forgotten only when a key has come to rest. More effects than [`Settings::effects`] without that are
//!   too many: it is stalled, until a person changes what is wanted, or a long time has passed.

mod cache;
mod controller;
mod effect;
pub mod lease;
mod memo;
mod object;
mod still;
#[cfg(test)]
mod tests;
mod turns;
mod verdict;

pub use bowline_workqueue::{Backoff, Counts, Millis, Priority};
pub use cache::{Cache, Event};
pub use controller::{Controller, Decision, EffectOf, Standing};
pub use effect::{Answer, Effect, Refusal, Write};
pub use memo::{Level, Memo, Need, What};
pub use object::{Id, KindOf, Object, Version};
pub use still::{Known, Still};
pub use turns::{Loop, Settings, Turn};
pub use verdict::Verdict;

/// A moment, by two clocks, and by who leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// By a clock that never jumps, and runs while the machine sleeps: what queues and deadlines go by.
    pub clock: Millis,
    /// By the clock on the wall, since 1970: what people read. It may jump.
    pub wall: Millis,
    /// In which epoch whoever decides leads. It is another one after every restart.
    pub epoch: lease::Epoch,
    /// Whoever led before has handed over, and was not lost.
    pub handed: bool,
}
