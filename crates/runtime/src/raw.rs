//! The objects as the server has sent them, whole: a write must not lose what the protocol does not know of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_control::{Object, Version};
use kube::core::DynamicObject;

/// The objects that the watches have shown, whole.
pub(crate) struct Raw<O: Object>(Mutex<BTreeMap<O::Id, Arc<DynamicObject>>>);

impl<O: Object> Raw<O> {
    pub(crate) fn new() -> Raw<O> {
        Raw(Mutex::new(BTreeMap::new()))
    }

    /// Keeps an object. What nobody of us reads and is large is not kept: who wrote which field.
    pub(crate) fn put(&self, id: O::Id, mut raw: DynamicObject) {
        raw.metadata.managed_fields = None;
        self.lock().insert(id, Arc::new(raw));
    }

    pub(crate) fn remove(&self, id: &O::Id) {
        self.lock().remove(id);
    }

    /// Keeps only what `stays`.
    pub(crate) fn retain(&self, stays: impl Fn(&O::Id) -> bool) {
        self.lock().retain(|id, _| stays(id));
    }

    /// The object at this version, if it is still the one that was shown last.
    pub(crate) fn at(&self, object: &O) -> Option<DynamicObject> {
        let raw = Arc::clone(self.lock().get(&object.id())?);
        (version(&raw) == Some(object.version())).then(|| DynamicObject::clone(&raw))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<O::Id, Arc<DynamicObject>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The version of an object as the server has sent it.
pub(crate) fn version(raw: &DynamicObject) -> Option<Version> {
    raw.metadata.resource_version.as_deref()?.parse().ok().map(Version)
}
