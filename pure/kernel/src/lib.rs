//! The rules of the Kubernetes API, without I/O: what a write does to the objects, and what a watcher sees.
//!
//! The embedded server runs on these rules, and the controllers are explored in them: it is the same code.
//! So it is generic over the object. The server's carry JSON; a model's are a few bytes.
//!
//! - [`Head`] takes one [`Request`] after the other: `request + state → state + answer + changes`. It is ahead of
//!   what is durable.
//! - [`View`] is what readers and watchers see: the changes that are durable, in order. It keeps a log of
//!   them, from which a watch goes on where it was, and a list is taken as it was.
//! - [`collector`] and [`namespaces`] decide what nobody asks for and must be done: remove what lost its
//!   owner, empty a namespace that goes. They make requests like anybody.
//!
//! # Invariants
//! - There is one counter. Every change takes the next version; a write that changes nothing takes none.
//! - A write that names the version it saw wins only if it is the newest.
//! - An object that is being deleted stays so, takes no new finalizer, and goes with its last one.
//! - Nothing is made in a namespace that is not there, or that goes.
//! - What is removed by the collector has owners, and none of them lives.

pub mod collector;
mod head;
pub mod names;
pub mod namespaces;
mod object;
mod request;
pub mod selector;
mod verbs;
mod view;

pub use head::Head;
pub use object::{Deletion, Finalizer, Key, Meta, MetaOf, Object, Owner, OwnerOf, Version};
pub use request::{Answer, Change, Expect, ExpectOf, Outcome, Propagation, Refusal, RefusalOf, Request};
pub use view::{Collection, Expired, View};

#[cfg(test)]
mod tests;
