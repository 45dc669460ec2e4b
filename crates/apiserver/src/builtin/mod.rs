//! What built-in kinds add to the rules of all kinds.
//!
//! A new object goes through [`read`], [`default`], [`prepare_create`], [`validate_create`], [`write`], a changed
//! one through [`read`], [`default`], [`prepare_update`], [`validate_update`], [`write`]. All are functions of JSON;
//! what an object may need of others comes by [`Neighbours`].

mod addresses;
mod admission;
mod coverage;
mod defaults;
mod events;
pub(crate) mod fields;
mod gotime;
mod habits;
mod mistyped;
mod nothing;
mod parts;
mod prepare;
pub(crate) mod quota;
mod shape;
mod text;
mod validate;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use bowline_merge::FieldError;

use crate::document::Json;
use crate::kinds::Kind;
use crate::status::Status;
use crate::time::Moment;

pub(crate) use addresses::{Addresses, Reservation};
pub use coverage::{AS_SENT, FILLED_IN_ONLY};
pub(crate) use habits::{
    creates_on_update, default_propagation, deprecation, grace_s, is_certificate_request, not_main,
    not_status, shows_deleted, unsaid_propagation, updates_unconditionally,
};
pub(crate) use mistyped::Mistyped;
pub(crate) use parts::{bind, check_eviction, evict, scale, with_scale};
pub(crate) use text::{Touched, patched};

/// What a new object may need to know of others.
pub(crate) trait Neighbours {
    /// The object of a built-in resource (`/serviceaccounts`), if it is there.
    fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Json>;

    /// All objects of a built-in resource without namespaces.
    fn list(&self, resource: &str) -> Vec<Json>;
}

/// Whether a selector of labels, which was judged, selects these. One that is not there selects nothing.
pub(crate) fn selects(selector: Option<&serde_json::Value>, labels: &Json) -> bool {
    validate::selects(selector, labels).unwrap_or(false)
}

/// Reads an object: the paths of the fields that its kind does not have, which are dropped.
///
/// # Errors
/// At the first value with a wrong type.
pub(crate) fn read(kind: &Kind, json: &mut Json) -> Result<Vec<String>, Mistyped> {
    shape::read(&kind.group, &kind.version, &kind.kind, json)
}

/// Whether objects of the kind are kept in the form of another: see [`to_kept`] and [`from_kept`].
pub(crate) fn is_converted(kind: &Kind) -> bool {
    (&*kind.group, &*kind.kind) == ("events.k8s.io", "Event")
}

/// Brings an object that was [`write`]n into the form in which it is kept. All other functions take objects in the
/// form of their kind.
pub(crate) fn to_kept(kind: &Kind, json: &mut Json) {
    if is_converted(kind) {
        events::to_core(json);
    }
}

/// Brings an object from the form in which it is kept into that of its kind.
pub(crate) fn from_kept(kind: &Kind, json: &mut Json) {
    if is_converted(kind) {
        events::from_core(json);
    }
}

/// Fills in what an object does not say.
pub(crate) fn default(kind: &Kind, json: &mut Json) {
    if kind.custom.is_none() {
        defaults::fill_in(&kind.group, &kind.kind, json);
    }
}

/// Prepares a new object, whose metadata is prepared: what the server writes into it.
///
/// # Errors
/// If another object stands against it, or is missing.
pub(crate) fn prepare_create(
    kind: &Kind,
    json: &mut Json,
    neighbours: &dyn Neighbours,
    now: Moment,
) -> Result<(), Status> {
    if kind.custom.is_some() {
        return Ok(());
    }
    admission::admit(kind, json, neighbours)?;
    prepare::create(kind, json, now);
    default(kind, json);
    Ok(())
}

/// Prepares a changed object, whose metadata is prepared: the parts that are not the writer's stay as they are.
/// `subresource` is empty for the object itself.
pub(crate) fn prepare_update(kind: &Kind, new: &mut Json, old: &Json, subresource: &str, now: Moment) {
    if kind.custom.is_none() {
        prepare::update(kind, new, old, subresource, now);
        default(kind, new);
    }
}

/// What is wrong with a new object, its metadata included.
pub(crate) fn validate_create(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let mut errors = crate::metadata::own_rules(kind, json);
    if kind.custom.is_none() {
        errors.extend(validate::create(kind, json));
    }
    if errors.is_empty() { crate::metadata::validate_create(kind, json) } else { errors }
}

/// What is wrong with a changed object, its metadata included.
pub(crate) fn validate_update(kind: &Kind, new: &Json, old: &Json, subresource: &str) -> Vec<FieldError> {
    let mut errors = crate::metadata::validate_update(kind, new, old);
    if kind.custom.is_some() {
        errors.extend(crate::metadata::own_rules_of_update(kind, new, old));
    } else {
        errors.extend(validate::update(kind, new, old, subresource));
    }
    errors
}

/// Puts `null` where a list or map is missing that is always written, as there is in what is kept.
pub(crate) fn fill_nothing(kind: &Kind, json: &mut Json) {
    nothing::fill(&kind.group, &kind.version, &kind.kind, json);
}

/// Makes an object as it is answered, and kept if its kind is not converted.
pub(crate) fn write(kind: &Kind, json: &mut Json) {
    shape::write(&kind.group, &kind.version, &kind.kind, json);
}
