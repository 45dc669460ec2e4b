//! The objects as the last request left them, which may not be durable yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::collector::is_kept;
use crate::object::{Finalizer, Key, Object, Version};
use crate::request::Change;

/// The objects as the last request left them.
///
/// Requests are decided on it one after the other, while the changes of those before are still on their way
/// to the disk. If they do not get there, they are taken back ([`Head::revert`]); nobody has seen them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head<O: Object> {
    pub(crate) version: Version,
    objects: BTreeMap<O::Key, Arc<O>>,
    /// By the uid of an owner, living or not: what names it.
    dependents: BTreeMap<O::Uid, BTreeSet<O::Key>>,
    /// By the key of a namespace, there or not: what is in it.
    contents: BTreeMap<O::Key, Contents<O::Key>>,
    /// What the collector or a namespace may have to do something about.
    agenda: BTreeSet<O::Key>,
}

/// What is in a namespace. What is held up while it goes is put aside: to find the next that has to go,
/// nobody walks past it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Contents<K> {
    living: BTreeSet<K>,
    going: BTreeSet<K>,
}

impl<O: Object> Head<O> {
    /// A store with nothing in it.
    pub fn empty() -> Head<O> {
        Head::load(Version(0), [])
    }

    /// The store as it was kept: its version, and all objects.
    ///
    /// It is quickest if they come in the order of their keys.
    pub fn load(version: Version, objects: impl IntoIterator<Item = Arc<O>>) -> Head<O> {
        let objects: BTreeMap<_, _> =
            objects.into_iter().map(|object| (object.key().clone(), object)).collect();
        // A restart waits for this: indexes are built at once, not entry by entry.
        let owned = objects.values().flat_map(|object| {
            object.meta().owners.iter().map(|owner| (owner.uid.clone(), object.key().clone()))
        });
        let dependents = grouped(owned.collect());
        let homes = |going: bool| {
            let there = objects.values().filter(|object| object.meta().deletion.is_some() == going);
            let pairs = there.filter_map(|object| Some((object.key().home()?, object.key().clone())));
            grouped(pairs.collect())
        };
        let contents = homes(false).into_iter().map(|(home, living)| (home, Contents::of(living)));
        let mut contents: BTreeMap<_, _> = contents.collect();
        for (home, going) in homes(true) {
            contents.entry(home).or_insert_with(|| Contents::of(BTreeSet::new())).going = going;
        }
        let mut head = Head { version, objects, dependents, contents, agenda: BTreeSet::new() };
        let due = head.objects().filter(|object| !is_kept(&head, object));
        head.agenda = due.map(|object| object.key().clone()).collect();
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

    /// What is in the namespace at `home`: first what is not being deleted.
    pub fn contents(&self, home: &O::Key) -> impl Iterator<Item = &Arc<O>> {
        let contents = self.contents.get(home).into_iter();
        contents
            .flat_map(|Contents { living, going }| living.iter().chain(going))
            .filter_map(|key| self.get(key))
    }

    /// The keys that may be due for a chore: all that are, and some that are not, which are to be taken off by
    /// [`Head::settled`]. All of them are there.
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
        let after = (!change.removed).then_some(&change.after);
        self.exchange(&change.key, change.before.as_ref(), after);
    }

    /// Takes the last change back: it could not be made durable.
    ///
    /// A chore that was decided on what is taken back must not be performed any more: look again.
    ///
    /// # Panics
    /// If `change` is not the last that was made and not taken back.
    pub fn revert(&mut self, change: &Change<O>) {
        assert_eq!(self.version, change.version, "changes are taken back in reverse order");
        self.version = Version(change.version.0 - 1);
        let after = (!change.removed).then_some(&change.after);
        self.exchange(&change.key, after, change.before.as_ref());
    }

    /// Puts one object, which may be none, in the place of another.
    fn exchange(&mut self, key: &O::Key, old: Option<&Arc<O>>, new: Option<&Arc<O>>) {
        if let Some(old) = old {
            self.unindex(old);
        }
        if let Some(new) = new {
            self.index(new);
            self.objects.insert(key.clone(), Arc::clone(new));
        } else {
            self.objects.remove(key);
        }
        self.remind(key, old, new);
    }

    fn index(&mut self, object: &Arc<O>) {
        for owner in &object.meta().owners {
            self.dependents.entry(owner.uid.clone()).or_default().insert(object.key().clone());
        }
        if let Some(home) = object.key().home() {
            let contents = self.contents.entry(home);
            let contents = contents.or_insert_with(|| Contents::of(BTreeSet::new()));
            contents.shelf(&**object).insert(object.key().clone());
        }
    }

    fn unindex(&mut self, object: &Arc<O>) {
        for owner in &object.meta().owners {
            // An owner may be named twice.
            let Some(keys) = self.dependents.get_mut(&owner.uid) else { continue };
            keys.remove(object.key());
            if keys.is_empty() {
                self.dependents.remove(&owner.uid);
            }
        }
        let Some(home) = object.key().home() else { return };
        let Some(contents) = self.contents.get_mut(&home) else { return };
        contents.shelf(&**object).remove(object.key());
        if contents.living.is_empty() && contents.going.is_empty() {
            self.contents.remove(&home);
        }
    }

    /// Puts on the agenda whatever a change, made or taken back, may have made due.
    fn remind(&mut self, key: &O::Key, old: Option<&Arc<O>>, new: Option<&Arc<O>>) {
        if new.is_some_and(|object| may_be_due(&**object)) {
            self.agenda.insert(key.clone());
        } else {
            self.agenda.remove(key);
        }
        // What it owns may have lost its owner, or have to go before it.
        let standing = |object: Option<&Arc<O>>| object.map(|object| waits(&**object));
        if let Some(object) = old.or(new)
            && standing(old) != standing(new)
        {
            let dependents = self.dependents.get(&object.meta().uid).into_iter().flatten().cloned();
            self.agenda.extend(dependents);
        }
        if let Some(home) = key.home().filter(|home| self.is_going(home)) {
            self.agenda.insert(home);
        }
        for object in old.into_iter().chain(new) {
            self.remind_owners(object);
        }
    }

    /// Puts on the agenda what waits for the object: its owners, and theirs, since what waits in a circle is
    /// free as soon as the circle is closed, wherever that is.
    fn remind_owners(&mut self, object: &Arc<O>) {
        let mut seen = BTreeSet::new();
        let mut stack = vec![Arc::clone(object)];
        while let Some(object) = stack.pop() {
            for key in object.meta().owners.iter().filter_map(|owner| owner.key.as_ref()) {
                let Some(owner) = self.get(key).filter(|owner| owner.meta().deletion.is_some()) else {
                    continue;
                };
                if seen.insert(key.clone()) {
                    stack.push(Arc::clone(owner));
                }
            }
        }
        self.agenda.extend(seen);
    }

    fn is_going(&self, key: &O::Key) -> bool {
        self.get(key).is_some_and(|object| object.meta().deletion.is_some())
    }
}

impl<K> Contents<K> {
    fn of(living: BTreeSet<K>) -> Contents<K> {
        Contents { living, going: BTreeSet::new() }
    }

    /// Where `object` stands.
    fn shelf<O: Object<Key = K>>(&mut self, object: &O) -> &mut BTreeSet<K> {
        if object.meta().deletion.is_some() { &mut self.going } else { &mut self.living }
    }
}

/// Whether anything could have to be done about the object. Most objects are spared a look by it.
fn may_be_due<O: Object>(object: &O) -> bool {
    let meta = object.meta();
    meta.deletion.is_some() || !meta.owners.is_empty()
}

/// Whether the object goes only after what it owns.
pub(crate) fn waits<O: Object>(object: &O) -> bool {
    let meta = object.meta();
    // Who asked for both is better served by losing nothing.
    meta.deletion.is_some() && meta.has(&Finalizer::Foreground) && !meta.has(&Finalizer::Orphan)
}

/// What belongs together, by what it belongs to.
fn grouped<A: Ord, B: Ord>(mut pairs: Vec<(A, B)>) -> BTreeMap<A, BTreeSet<B>> {
    // What belongs to one thing is in order already.
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut groups: Vec<(A, Vec<B>)> = Vec::new();
    for (to, what) in pairs {
        match groups.last_mut() {
            Some((last, group)) if *last == to => group.push(what),
            _ => groups.push((to, vec![what])),
        }
    }
    groups.into_iter().map(|(to, group)| (to, group.into_iter().collect())).collect()
}
