//! Who watches a resource is woken when it changes, and only then.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use bowline_kernel::Version;
use tokio::sync::watch;

use crate::key::Resource;

#[derive(Default)]
pub(super) struct Bells {
    by_resource: RwLock<BTreeMap<Resource, watch::Sender<Version>>>,
}

impl Bells {
    pub(super) fn listen(&self, resource: &Resource) -> watch::Receiver<Version> {
        if let Some(bell) = self.by_resource.read().unwrap_or_else(PoisonError::into_inner).get(resource) {
            return bell.subscribe();
        }
        let mut bells = self.by_resource.write().unwrap_or_else(PoisonError::into_inner);
        bells.entry(resource.clone()).or_insert_with(|| watch::Sender::new(Version(0))).subscribe()
    }

    pub(super) fn ring(&self, resource: &Resource, version: Version) {
        if let Some(bell) = self.by_resource.read().unwrap_or_else(PoisonError::into_inner).get(resource) {
            bell.send_replace(version);
        }
    }
}
