//! The async shell of the worker loop: it carries what [`bowline_control::Loop`] decides, and decides nothing.
//!
//! [`drive`] runs one controller: watches feed the loop, effects are carried concurrently, one to a key, and their answers
//! go back. What the protocol's objects look like as JSON is the business of a [`Wire`], what is called outside of the API
//! that of an [`Outside`].
//!
//! - Requests are never repeated by the client, and have a deadline: what was not answered is looked at, by the loop.
//! - A write rests on the object as it was read, whole: fields that we do not know stay as they are.
//! - Who shares its objects with other processes has a [`Leader`]: it takes turns only while its lease is its own, and what it
//!   sends ends before that does.
//! - What controllers need on a server is put there by [`install`] and [`apply`], and put back by [`keep`].
//! - Every decision is a line in the journal, a span, and a count; a status that was written, and says something new, is an Event.

mod carrier;
mod client;
mod clock;
mod complaint;
mod drive;
mod failures;
mod fit;
mod herald;
mod install;
mod journal;
mod keep;
mod lead;
mod metrics;
mod piece;
mod plain;
mod raw;
mod sentence;
mod series;
mod watch;
mod wire;
mod words;

pub use carrier::{NoOutside, Outside};
pub use client::{ClientError, Manner, REQUEST, client, client_in_cluster, client_of};
pub use clock::now;
pub use drive::{Driven, Driver, drive};
pub use fit::{Unfit, fit};
pub use herald::{Forbidden, Herald, Notice};
pub use install::{InstallError, apply, install, make_namespace, served};
pub use journal::{Journal, JournalError};
pub use keep::{Keeper, keep};
pub use lead::{Election, Identity, Leader, Mandate, Over, elect, establish};
pub use metrics::{Counted, Crossed, Metrics, PerObject, Timed};
pub use plain::plain;
pub use sentence::{clause, sentence};
pub use wire::{Address, Watched, Wire};
