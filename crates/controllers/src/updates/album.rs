//! What objects look like whole. A plan is made without it; people want to see it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::names::Place;

/// What was seen of objects, by where the content, or the inventory, says they are.
#[derive(Default)]
pub(crate) struct Album(Mutex<BTreeMap<Place, Picture>>);

/// An object as it is, and as its server would make it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Picture {
    pub(crate) live: Option<Value>,
    pub(crate) tried: Option<Value>,
}

impl Album {
    /// Keeps what was seen of a place.
    pub(crate) fn keep(&self, place: &Place, live: Option<&Value>, tried: Option<&Value>) {
        let picture = Picture { live: live.cloned(), tried: tried.cloned() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(place.clone(), picture);
    }

    /// What was kept.
    pub(crate) fn into_pictures(self) -> BTreeMap<Place, Picture> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
