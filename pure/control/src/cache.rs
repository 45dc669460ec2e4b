//! The objects as the watches have shown them, each kind as late as it may be.

use std::collections::{BTreeMap, BTreeSet};

use crate::controller::Controller;
use crate::object::{Id, KindOf, Object, Version};

type IdOf<C> = <<C as Controller>::Object as Object>::Id;

/// What a watch says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event<O: Object> {
    /// All objects of a kind are listed from here on: what was answered before is in that list.
    ListBegins(KindOf<O>),
    /// All objects of a kind, as they were at one time.
    Listed(KindOf<O>, Vec<O>),
    /// An object is new, or another one now.
    Put(O),
    /// An object is gone; this is its last state, at the version of its removal.
    Gone(O),
}

/// The objects that were shown, and which of them concern a key.
pub struct Cache<C: Controller> {
    objects: BTreeMap<IdOf<C>, C::Object>,
    /// By kind, how far it was shown.
    reached: BTreeMap<KindOf<C::Object>, Version>,
    listed: BTreeSet<KindOf<C::Object>>,
    concern: BTreeMap<C::Key, BTreeSet<IdOf<C>>>,
    /// The keys of those that name an object, and how many of them do, whether it is there or not.
    named: BTreeMap<IdOf<C>, BTreeMap<C::Key, usize>>,
}

/// An object before and after: what a key is woken by.
pub(crate) struct Shown<O> {
    pub(crate) before: Option<O>,
    pub(crate) after: Option<O>,
}

impl<C: Controller> Cache<C> {
    pub(crate) fn new() -> Cache<C> {
        Cache {
            objects: BTreeMap::new(),
            reached: BTreeMap::new(),
            listed: BTreeSet::new(),
            concern: BTreeMap::new(),
            named: BTreeMap::new(),
        }
    }

    /// A cache that goes on from a moment.
    pub(crate) fn resume(
        controller: &C,
        objects: Vec<C::Object>,
        reached: Vec<(KindOf<C::Object>, Version)>,
    ) -> Cache<C> {
        let mut this = Cache::new();
        for object in objects {
            this.put(controller, object);
        }
        this.listed = reached.iter().map(|(kind, _)| *kind).collect();
        this.reached = reached.into_iter().collect();
        this
    }

    /// The object, as it was shown last.
    pub fn get(&self, id: &IdOf<C>) -> Option<&C::Object> {
        self.objects.get(id)
    }

    /// The objects that concern a key, and after them those that they name.
    pub fn of(&self, controller: &C, key: &C::Key) -> Vec<&C::Object> {
        let own = self.concern.get(key).into_iter().flatten().filter_map(|id| self.objects.get(id));
        let mut all: Vec<_> = own.collect();
        let named: BTreeSet<_> = all.iter().flat_map(|object| controller.names(object)).collect();
        all.extend(named.iter().filter_map(|id| self.objects.get(id)));
        all
    }

    /// Whether nothing concerns a key.
    pub(crate) fn has_nothing_of(&self, key: &C::Key) -> bool {
        !self.concern.contains_key(key)
    }

    /// The keys of those that name an object.
    pub(crate) fn naming(&self, id: &IdOf<C>) -> Vec<C::Key> {
        self.named.get(id).into_iter().flat_map(BTreeMap::keys).cloned().collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Whether every kind has been listed.
    pub fn is_complete(&self, controller: &C) -> bool {
        controller.kinds().iter().all(|kind| self.listed.contains(kind))
    }

    /// The version up to which a kind is known to have been shown.
    pub(crate) fn has_reached(&self, kind: KindOf<C::Object>, version: Version) -> bool {
        self.reached.get(&kind).is_some_and(|reached| *reached >= version)
    }

    /// Takes over what a watch says, and tells what has changed by it.
    pub(crate) fn take_in(&mut self, controller: &C, event: Event<C::Object>) -> Vec<Shown<C::Object>> {
        match event {
            Event::ListBegins(_) => Vec::new(),
            Event::Put(object) => vec![self.put(controller, object)],
            Event::Gone(object) => {
                self.reach(&object);
                vec![self.remove(controller, &object.id())]
            }
            Event::Listed(kind, objects) => {
                self.listed.insert(kind);
                // A store that was restored from a backup begins again at a smaller version.
                self.reached.remove(&kind);
                let there: BTreeSet<_> = objects.iter().map(Object::id).collect();
                let gone = self.objects.keys().filter(|id| id.kind() == kind && !there.contains(id));
                let gone: Vec<_> = gone.cloned().collect();
                let mut shown: Vec<_> = gone.iter().map(|id| self.remove(controller, id)).collect();
                shown.extend(objects.into_iter().map(|object| self.put(controller, object)));
                shown
            }
        }
    }

    fn put(&mut self, controller: &C, object: C::Object) -> Shown<C::Object> {
        self.reach(&object);
        let id = object.id();
        let before = self.objects.insert(id.clone(), object.clone());
        self.forget_concern(controller, before.as_ref());
        for key in controller.keys(&object) {
            for named in controller.names(&object) {
                *self.named.entry(named).or_default().entry(key.clone()).or_default() += 1;
            }
            self.concern.entry(key).or_default().insert(id.clone());
        }
        Shown { before, after: Some(object) }
    }

    fn remove(&mut self, controller: &C, id: &IdOf<C>) -> Shown<C::Object> {
        let before = self.objects.remove(id);
        self.forget_concern(controller, before.as_ref());
        Shown { before, after: None }
    }

    fn forget_concern(&mut self, controller: &C, object: Option<&C::Object>) {
        let Some(object) = object else { return };
        let id = object.id();
        for key in controller.keys(object) {
            for named in controller.names(object) {
                self.forget_name(&named, &key);
            }
            let Some(ids) = self.concern.get_mut(&key) else { continue };
            ids.remove(&id);
            if ids.is_empty() {
                self.concern.remove(&key);
            }
        }
    }

    fn forget_name(&mut self, named: &IdOf<C>, key: &C::Key) {
        let Some(keys) = self.named.get_mut(named) else { return };
        if let Some(count) = keys.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                keys.remove(key);
            }
        }
        if keys.is_empty() {
            self.named.remove(named);
        }
    }

    fn reach(&mut self, object: &C::Object) {
        let reached = self.reached.entry(object.id().kind()).or_insert(object.version());
        *reached = (*reached).max(object.version());
    }
}
