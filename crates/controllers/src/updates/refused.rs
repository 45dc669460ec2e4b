//! What a server does not take, and what to do about it.

use bowline_updates::Fit;
use serde_json::Value;

use super::discreet::SAID;
use super::look::api_version;
use super::names::{Place, Text};

/// What servers say of fields that are what they are as long as their object is there.
const FIXED: &[&str] = &[
    "immutable",
    "may not change once set",
    "cannot change roleRef",
    "updates to statefulset spec",
    "pod updates may not change fields",
];

/// What to do about them.
pub(super) const MADE_ANEW: &str =
    "; nothing is deleted and made anew by itself: give it another name, or delete it on the cluster before";

/// Whether a server says that what an object says cannot be changed any more.
pub(super) fn is_fixed(words: &str) -> bool {
    FIXED.iter().any(|fixed| words.contains(fixed))
}

/// Whether a webhook has refused it: what a server says for itself reads otherwise.
pub(super) fn is_denied(words: &str) -> bool {
    let is_told = ["admission webhook ", SAID].iter().any(|begins| words.starts_with(begins));
    is_told && words.contains(" denied the request")
}

/// No server knows its kind, and nobody brings it.
pub(super) fn unknown(place: &Place, body: &Value) -> Fit<Text> {
    let (kind, version) = (&place.kind, api_version(body));
    Fit::Refused(format!(
        "{place}: the cluster knows no kind {kind:?} of {version:?}; put its definition into the bundle, or on the cluster"
    ))
}
