//! Events have two forms, and are kept in the older one.

use super::shape;
use crate::document::Json;

/// The names of the same field: of the older form, and of the newer one.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// From the newer form to that which is kept.
pub(super) fn to_core(json: &mut Json) {
    for (core, newer) in NAMES {
        rename(json, newer, core);
    }
    shape::write("", "v1", "Event", json);
}

/// From the form that is kept to the newer one.
pub(super) fn from_core(json: &mut Json) {
    for (core, newer) in NAMES {
        rename(json, core, newer);
    }
    shape::write("events.k8s.io", "v1", "Event", json);
}

fn rename(json: &mut Json, from: &str, to: &str) {
    if let Some(value) = json.remove(from) {
        json.insert(to.to_owned(), value);
    }
}
