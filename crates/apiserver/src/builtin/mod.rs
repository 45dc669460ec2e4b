//! What built-in kinds add to the rules of all kinds.
//!
//! A new object goes through [`read`], [`default`], [`prepare_create`], [`validate_create`], [`write`], a changed
//! one through [`read`], [`default`], [`prepare_update`], [`validate_update`], [`write`]. All are functions of JSON;
//! what an object may need of others comes by [`Neighbours`].

mod shape;

use bowline_merge::FieldError;
use serde_json::Value;

use crate::document::{Counting, Json};
use crate::kinds::Kind;
use crate::status::Status;
use crate::time::Moment;

pub use shape::Mistyped;

/// What a new object may need to know of others.
pub trait Neighbours {
    /// The object of a built-in resource (`/serviceaccounts`), if it is there.
    fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Json>;

    /// All objects of a built-in resource without namespaces.
    fn list(&self, resource: &str) -> Vec<Json>;
}

/// Reads an object: the paths of the fields that its kind does not have, which are dropped.
///
/// # Errors
/// At the first value with a wrong type.
pub fn read(kind: &Kind, json: &mut Json) -> Result<Vec<String>, Mistyped> {
    shape::read(&kind.group, &kind.version, &kind.kind, json)
}

/// Makes an object as it is answered and kept.
pub fn write(kind: &Kind, json: &mut Json) {
    shape::write(&kind.group, &kind.version, &kind.kind, json);
}
