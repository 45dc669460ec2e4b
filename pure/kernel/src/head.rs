//! The objects as the last request left them, which may not be durable yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::object::{Key, Object, Version};
use crate::request::Change;

/// The objects as the last request left them.
///
/// Requests are decided on it one after the other, while the changes of those before are still on their way
/// to the disk. If they do not get there, they are taken back ([`Head::revert`]); nobody has seen them.
#[derive(Clone, Debug)]
pub struct Head<O: Object> {
    pub(crate) version: Version,
    objects: BTreeMap<O::Key, Arc<O>>,
    /// By the uid of an owner, living or not: what names it.
    dependents: BTreeMap<O::Uid, BTreeSet<O::Key>>,
    /// By the key of a namespace, there or not: what is in it.
    contents: BTreeMap<O::Key, BTreeSet<O::Key>>,
    /// What the collector or a namespace may have to do something about.
    agenda: BTreeSet<O::Key>,
}

impl<O: Object> Head<O> {
    /// A store with nothing in it.
    pub fn empty() -> Head<O> {
        Head {
            version: Version(0),
            objects: BTreeMap::new(),
            dependents: BTreeMap::new(),
            contents: BTreeMap::new(),
            agenda: BTreeSet::new(),
        }
    }

    /// The store as it was kept: its version, and all objects.
    pub fn load(version: Version, objects: impl IntoIterator<Item = Arc<O>>) -> Head<O> {
        let mut head = Head { version, ..Head::empty() };
        for object in objects {
            head.index(&object);
            let meta = object.meta();
            if meta.deletion.is_some() || !meta.owners.is_empty() {
                head.agenda.insert(object.key().clone());
            }
            head.objects.insert(object.key().clone(), object);
        }
        head
    }

    /// The version of the last change.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The object at `key`.
    pub fn get(&self, key: &O::Key) -> Option<&Arc<O>> {
        self.objects.get(key)
    }

    /// All objects, in the order of their keys.
    pub fn objects(&self) -> impl Iterator<Item = &Arc<O>> {
        self.objects.values()
    }

    /// What names `uid` as an owner.
    pub fn dependents(&self, uid: &O::Uid) -> impl Iterator<Item = &Arc<O>> {
        self.dependents.get(uid).into_iter().flatten().filter_map(|key| self.get(key))
    }

    /// What is in the namespace at `home`.
    pub fn contents(&self, home: &O::Key) -> impl Iterator<Item = &Arc<O>> {
        self.contents.get(home).into_iter().flatten().filter_map(|key| self.get(key))
    }

    /// The keys that may be due for a chore, and that are taken off by [`Head::settled`].
    pub fn agenda(&self) -> &BTreeSet<O::Key> {
        &self.agenda
    }

    /// There is nothing to do about `key`, until something changes that it depends on.
    pub fn settled(&mut self, key: &O::Key) {
        self.agenda.remove(key);
    }

    /// Makes a change that has been decided.
    pub(crate) fn make(&mut self, change: &Change<O>) {
        self.version = change.version;
        if let Some(before) = &change.before {
            self.unindex(before);
        }
        if change.removed {
            self.objects.remove(&change.key);
        } else {
            self.index(&change.after);
            self.objects.insert(change.key.clone(), Arc::clone(&change.after));
        }
        self.remind(change);
    }

    /// Takes the last change back: it could not be made durable.
    ///
    /// # Panics
    /// If `change` is not the last that was made and not taken back.
    pub fn revert(&mut self, change: &Change<O>) {
        assert_eq!(self.version, change.version, "changes are taken back in reverse order");
        self.version = Version(change.version.0 - 1);
        if !change.removed {
            self.unindex(&change.after);
            self.objects.remove(&change.key);
        }
        if let Some(before) = &change.before {
            self.index(before);
            self.objects.insert(change.key.clone(), Arc::clone(before));
        }
        // What the change made superfluous is due again.
        self.remind(change);
    }

    fn index(&mut self, object: &Arc<O>) {
        for owner in &object.meta().owners {
            self.dependents.entry(owner.uid.clone()).or_default().insert(object.key().clone());
        }
        if let Some(home) = object.key().home() {
            self.contents.entry(home).or_default().insert(object.key().clone());
        }
    }

    fn unindex(&mut self, object: &Arc<O>) {
        for owner in &object.meta().owners {
            forget(&mut self.dependents, &owner.uid, object.key());
        }
        if let Some(home) = object.key().home() {
            forget(&mut self.contents, &home, object.key());
        }
    }

    /// Puts on the agenda whatever the change may have made due.
    fn remind(&mut self, change: &Change<O>) {
        let Change { key, before, after, removed, .. } = change;
        let going = *removed || after.meta().deletion.is_some();
        if !removed && (going || !after.meta().owners.is_empty()) {
            self.agenda.insert(key.clone());
        }
        // What it owns may have lost its owner, or have to forget it.
        if going {
            let dependents = self.dependents.get(&after.meta().uid).cloned().unwrap_or_default();
            self.agenda.extend(dependents);
        }
        // Its owners, and its namespace, may have waited for it.
        let owners = before.iter().chain([after]).flat_map(|object| &object.meta().owners);
        let waiting = owners.filter_map(|owner| owner.key.clone()).chain(key.home());
        let waiting: Vec<_> = waiting.filter(|key| self.is_going(key)).collect();
        self.agenda.extend(waiting);
    }

    fn is_going(&self, key: &O::Key) -> bool {
        self.get(key).is_some_and(|object| object.meta().deletion.is_some())
    }
}

fn forget<A: Ord, B: Ord>(index: &mut BTreeMap<A, BTreeSet<B>>, of: &A, what: &B) {
    if let Some(set) = index.get_mut(of) {
        set.remove(what);
        if set.is_empty() {
            index.remove(of);
        }
    }
}
