//! Kubernetes' rules for objects, as functions: what a schema drops, fills in and refuses; who owns which
//! field; how patches merge.
//!
//! The semantics and the words are those of Kubernetes 1.34. Nothing here knows a clock or a file: times are
//! arguments, schemas are values.
//!
//! - [`Schema`]: custom resources (`structural`) and built-in kinds (`builtin`).
//! - [`apply`]: server-side apply, and noting who changed what in every other write.
//! - [`strategic`]: strategic merge patches.
//! - [`fields`]: sets of fields, with their form in `managedFields`.
//! - [`json`]: reading JSON as Kubernetes does: numbers, duplicate fields, words of errors.

mod error;
mod go;
mod path;
mod schema;
mod times;
mod typed;
mod value;

pub mod apply;
pub mod fields;
pub mod json;
pub mod strategic;

pub use error::{Cause, FieldError};
pub use path::FieldPath;
pub use schema::rules::{Rule, RuleSite};
pub use schema::{Definitions, Schema};
