//! The objects as the server has sent them, whole: a write must not lose what the protocol does not know of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_control::{Object, Version};
use kube::core::DynamicObject;

/// The objects that the watches have shown, whole.
pub(crate) struct Raw<O: Object>(Mutex<BTreeMap<O::Id, Kept>>);

/// An object as text: its tree in memory is several times as large, and most objects are never written again.
struct Kept {
    version: Option<Version>,
    json: Arc<[u8]>,
}

impl<O: Object> Raw<O> {
    pub(crate) fn new() -> Raw<O> {
        Raw(Mutex::new(BTreeMap::new()))
    }

    /// Keeps an object. What nobody of us reads and is large is not kept: who wrote which field.
    pub(crate) fn put(&self, id: O::Id, mut raw: DynamicObject) {
        raw.metadata.managed_fields = None;
        // What came as JSON can be written as JSON; if it could not, it would be as if it had moved on.
        let json = serde_json::to_vec(&raw).unwrap_or_default().into();
        self.lock().insert(id, Kept { version: version(&raw), json });
    }

    pub(crate) fn remove(&self, id: &O::Id) {
        self.lock().remove(id);
    }

    /// Takes out the one that this says.
    pub(crate) fn take(&self, is_it: impl Fn(&O::Id) -> bool) -> Option<DynamicObject> {
        let mut all = self.lock();
        let id = all.keys().find(|id| is_it(id))?.clone();
        serde_json::from_slice(&all.remove(&id)?.json).ok()
    }

    /// Keeps only what `stays`.
    pub(crate) fn retain(&self, stays: impl Fn(&O::Id) -> bool) {
        self.lock().retain(|id, _| stays(id));
    }

    /// The object at this version, if it is still the one that was shown last.
    pub(crate) fn at(&self, object: &O) -> Option<DynamicObject> {
        let json = {
            let all = self.lock();
            let kept = all.get(&object.id())?;
            (kept.version == Some(object.version())).then(|| Arc::clone(&kept.json))?
        };
        serde_json::from_slice(&json).ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<O::Id, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The version of an object as the server has sent it.
fn version(raw: &DynamicObject) -> Option<Version> {
    raw.metadata.resource_version.as_deref()?.parse().ok().map(Version)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Clone, PartialEq, Eq, Debug)]
    struct Thing(u64);

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
    struct Only;

    impl bowline_control::Id for Only {
        type Kind = ();

        fn kind(&self) {}
    }

    impl Object for Thing {
        type Id = Only;
        type Uid = ();

        fn id(&self) -> Only {
            Only
        }

        fn uid(&self) {}

        fn version(&self) -> Version {
            Version(self.0)
        }

        fn wish(&self) -> Option<u64> {
            None
        }
    }

    fn sent(version: u64) -> Value {
        json!({
            "apiVersion": "g/v1", "kind": "Thing",
            "metadata": { "name": "a", "resourceVersion": version.to_string(), "labels": { "x": "y" } },
            "spec": { "unknown": [1, 2.5, null, { "deep": "ü" }] }, "status": {}, "more": true,
        })
    }

    #[test]
    fn an_object_comes_back_as_it_was_sent_but_for_who_wrote_it() {
        let raw = Raw::<Thing>::new();
        let mut object = sent(7);
        object["metadata"]["managedFields"] = json!([{ "manager": "somebody" }]);
        raw.put(Only, serde_json::from_value(object).unwrap());
        assert_eq!(json!(raw.at(&Thing(7))), sent(7));
        // What was listed does not say its type.
        let mut listed = sent(8);
        listed.as_object_mut().unwrap().retain(|field, _| field != "kind" && field != "apiVersion");
        raw.put(Only, serde_json::from_value(listed.clone()).unwrap());
        let back = raw.at(&Thing(8)).unwrap();
        assert_eq!((back.types.clone(), json!(back)), (None, listed));
    }

    #[test]
    fn an_object_that_has_moved_on_or_is_gone_does_not_come_back() {
        let raw = Raw::<Thing>::new();
        raw.put(Only, serde_json::from_value(sent(7)).unwrap());
        assert!(raw.at(&Thing(6)).is_none() && raw.at(&Thing(8)).is_none());
        raw.put(Only, serde_json::from_value(sent(8)).unwrap());
        assert!(raw.at(&Thing(7)).is_none() && raw.at(&Thing(8)).is_some());
        raw.remove(&Only);
        assert!(raw.at(&Thing(8)).is_none());
    }
}
