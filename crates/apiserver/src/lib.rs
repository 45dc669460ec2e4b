//! An embedded Kubernetes API server: one process, one file.
//!
//! [`Server::start`] serves real clients over TLS; [`Server::service`] serves clients in this process without a
//! socket. It knows the kinds of Kubernetes, and those that CustomResourceDefinitions add; none by name.

mod admission;
mod api;
mod audit;
mod auth;
mod authorize;
mod background;
mod body;
mod builtin;
mod builtin_table;
mod crd;
mod discovery;
mod document;
mod field_validation;
mod fields;
mod flow;
mod guest;
mod hub;
mod key;
mod kinds;
mod metadata;
mod metrics;
mod negotiate;
mod openapi;
mod other;
mod part;
mod path;
mod policy;
mod protobuf;
mod quantity;
mod query;
mod random;
mod render;
mod reply;
mod schemas;
mod selection;
mod server;
mod service;
mod status;
mod store;
mod table;
mod time;
mod user;
mod verbs;
mod versions;
mod warnings;
mod yaml;

#[cfg(test)]
mod fuzz;

/// What differs from Kubernetes in kinds: `docs/hub.md` is held against it.
pub mod differences {
    pub use crate::builtin::{AS_SENT, FILLED_IN_ONLY};
    pub use crate::builtin_table::{NOT_SERVED, NotServed};
}

/// The log of who did what, and whether it is what was written.
pub mod audit_log {
    pub use crate::audit::{AuditError, AuditLog, Flaw, Verdict, verify};
}

pub use guest::Guest;
pub use other::backup::PATH as BACKUP_PATH;
pub use server::{Config, Server, StartError, rotate_key};
pub use service::Service;
pub use store::{BackupCheck, BackupError, Mend, Mending, RestoreError, Restored, Unread, restore};
pub use user::User;
