//! What readers and watchers see: the durable changes, in their order, and a while of their history.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::object::{Key, Object, Version};
use crate::request::Change;

type ResourceOf<O> = <<O as Object>::Key as Key>::Resource;

/// What is durable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<O: Object> {
    version: Version,
    /// History before this version is lost.
    start: Version,
    collections: BTreeMap<ResourceOf<O>, Collection<O>>,
}

/// The history that was asked for is no longer kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expired {
    /// What was asked for.
    pub asked: Version,
    /// The oldest version from which history is kept.
    pub oldest: Version,
}

impl<O: Object> View<O> {
    /// The store as it was kept: its version, and all objects. It has no history.
    pub fn load(version: Version, objects: impl IntoIterator<Item = Arc<O>>) -> View<O> {
        let mut resources = BTreeMap::<ResourceOf<O>, Vec<_>>::new();
        for object in objects {
            let key = object.key().clone();
            match resources.get_mut(key.resource()) {
                Some(group) => group.push((key, object)),
                None => drop(resources.insert(key.resource().clone(), vec![(key, object)])),
            }
        }
        let collections = resources.into_iter().map(|(resource, group)| {
            let objects = group.into_iter().collect();
            (resource, Collection { objects, log: VecDeque::new(), start: version })
        });
        View { version, start: version, collections: collections.collect() }
    }

    /// The version of the last durable change.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Shows a change that has become durable.
    ///
    /// # Panics
    /// If it is not the one after the last: there would be a gap.
    pub fn publish(&mut self, change: Change<O>) {
        assert_eq!(change.version, self.version.next(), "changes are published in order");
        self.version = change.version;
        self.collection_mut(change.key.resource()).publish(change);
    }

    /// All objects of a resource, and their history. `None` if there never was one.
    pub fn collection(&self, resource: &ResourceOf<O>) -> Option<&Collection<O>> {
        self.collections.get(resource)
    }

    /// The object at `key`.
    pub fn get(&self, key: &O::Key) -> Option<&Arc<O>> {
        self.collection(key.resource())?.objects.get(key)
    }

    /// All collections.
    pub fn collections(&self) -> impl Iterator<Item = (&ResourceOf<O>, &Collection<O>)> {
        self.collections.iter()
    }

    /// The changes to a resource after `version`, in order.
    ///
    /// # Errors
    /// If they are no longer all there.
    pub fn since(
        &self,
        resource: &ResourceOf<O>,
        version: Version,
    ) -> Result<impl DoubleEndedIterator<Item = &Change<O>>, Expired> {
        let collection = self.collection(resource);
        let oldest = collection.map_or(self.start, |collection| collection.start);
        if version < oldest {
            return Err(Expired { asked: version, oldest });
        }
        Ok(collection.into_iter().flat_map(move |collection| {
            let from = collection.log.partition_point(|change| change.version <= version);
            collection.log.range(from..)
        }))
    }

    /// The objects of a resource as they were at `version`, in the order of their keys.
    ///
    /// # Errors
    /// If the history back to then is no longer all there.
    pub fn at(
        &self,
        resource: &ResourceOf<O>,
        version: Version,
    ) -> Result<BTreeMap<&O::Key, &Arc<O>>, Expired> {
        let later = self.since(resource, version)?;
        let mut objects: BTreeMap<_, _> =
            self.collection(resource).into_iter().flat_map(|collection| &collection.objects).collect();
        for change in later.rev() {
            match &change.before {
                Some(before) => objects.insert(&change.key, before),
                None => objects.remove(&change.key),
            };
        }
        Ok(objects)
    }

    /// Forgets the history of a resource up to and including `version`.
    pub fn forget(&mut self, resource: &ResourceOf<O>, version: Version) {
        // What has not happened cannot be forgotten.
        let version = version.min(self.version);
        let collection = self.collection_mut(resource);
        let gone = collection.log.partition_point(|change| change.version <= version);
        collection.log.drain(..gone);
        collection.start = collection.start.max(version);
    }

    fn collection_mut(&mut self, resource: &ResourceOf<O>) -> &mut Collection<O> {
        if !self.collections.contains_key(resource) {
            let empty = Collection { objects: BTreeMap::new(), log: VecDeque::new(), start: self.start };
            self.collections.insert(resource.clone(), empty);
        }
        self.collections.get_mut(resource).expect("it was just put there")
    }
}

/// The objects of one resource, and their history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collection<O: Object> {
    objects: BTreeMap<O::Key, Arc<O>>,
    log: VecDeque<Change<O>>,
    /// The log has every change after this version.
    start: Version,
}

impl<O: Object> Collection<O> {
    fn publish(&mut self, change: Change<O>) {
        if change.removed {
            self.objects.remove(&change.key);
        } else {
            self.objects.insert(change.key.clone(), Arc::clone(&change.after));
        }
        self.log.push_back(change);
    }

    /// The objects, in the order of their keys.
    pub fn objects(&self) -> &BTreeMap<O::Key, Arc<O>> {
        &self.objects
    }

    /// The history that is kept, in order.
    pub fn log(&self) -> &VecDeque<Change<O>> {
        &self.log
    }
}
