//! What each request does.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::head::Head;
use crate::object::{Deletion, Finalizer, Key, MetaOf, Object};
use crate::request::{Answer, Change, Expect, ExpectOf, Outcome, Propagation, Refusal, RefusalOf, Request};

impl<O: Object> Head<O> {
    /// Performs a request: what is answered, and the change if there is one.
    pub fn perform(&mut self, request: Request<O>) -> (Outcome<O>, Option<Change<O>>) {
        match self.decide(request) {
            Err(refusal) => (Err(refusal), None),
            Ok(Step::Nothing(object)) => (Ok(Answer::Unchanged(object)), None),
            Ok(Step::To(change)) => {
                self.make(&change);
                (Ok(change.answer()), Some(change))
            }
        }
    }

    /// What a request would come to now. Nothing changes.
    ///
    /// # Errors
    /// Why it would be refused.
    pub fn foresee(&self, request: Request<O>) -> Outcome<O> {
        self.decide(request).map(|step| match step {
            Step::Nothing(object) => Answer::Unchanged(object),
            Step::To(change) => change.answer(),
        })
    }

    fn decide(&self, request: Request<O>) -> Decided<O> {
        match request {
            Request::Create(object) => self.create(object),
            Request::Replace(object, expect) => self.replace(object, &expect),
            Request::Apply(key, change) => self.apply(&key, &change),
            Request::Delete { key, expect, propagation, grace_s, at } => {
                self.delete(&key, &expect, propagation, Deletion { at, grace_s })
            }
        }
    }

    fn create(&self, mut object: O) -> Decided<O> {
        if self.get(object.key()).is_some() {
            return Err(Refusal::AlreadyExists);
        }
        if let Some(home) = object.key().home() {
            let home = self.get(&home).ok_or(Refusal::NoHome)?;
            if home.meta().deletion.is_some() {
                return Err(Refusal::HomeGoes);
            }
        }
        let meta = object.meta();
        let meta = MetaOf::<O> {
            version: self.version.next(),
            generation: meta.generation.map(|_| 1),
            deletion: None,
            ..meta.clone()
        };
        object.stamp(meta);
        Ok(Step::To(self.change(None, object, false)))
    }

    fn replace(&self, object: O, expect: &ExpectOf<O>) -> Decided<O> {
        let current = self.expected(object.key(), expect)?;
        self.put(current, object)
    }

    fn apply(&self, key: &O::Key, change: &O::Change) -> Decided<O> {
        let current = self.get(key);
        let object = O::apply(current.map(|object| &**object), change).map_err(Refusal::Change)?;
        match current {
            None => self.create(object),
            Some(current) => self.put(current, object),
        }
    }

    /// The object in place of `current`: the rules of every update.
    fn put(&self, current: &Arc<O>, mut object: O) -> Decided<O> {
        let (old, new) = (current.meta(), object.meta());
        if old.deletion.is_some() {
            // There may be very many, and nobody else decides meanwhile.
            let had: BTreeSet<_> = old.finalizers.iter().collect();
            if !new.finalizers.iter().all(|finalizer| had.contains(finalizer)) {
                return Err(Refusal::LateFinalizer);
            }
        }
        let counted = object.spec_differs(current);
        let mut meta = MetaOf::<O> {
            uid: old.uid.clone(),
            version: old.version,
            generation: old.generation.map(|generation| generation + u64::from(counted)),
            deletion: old.deletion.clone(),
            ..new.clone()
        };
        object.stamp(meta.clone());
        if object.same(current) && !meta.is_done() {
            return Ok(Step::Nothing(Arc::clone(current)));
        }
        meta.version = self.version.next();
        let removed = meta.is_done();
        object.stamp(meta);
        Ok(Step::To(self.change(Some(current), object, removed)))
    }

    fn delete(
        &self,
        key: &O::Key,
        expect: &ExpectOf<O>,
        propagation: Option<Propagation>,
        deletion: Deletion<O::Time>,
    ) -> Decided<O> {
        let current = self.expected(key, expect)?;
        let old = current.meta();
        let mut finalizers = finalizers_of_deletion(old, propagation);
        let holder = current.holder().filter(|_| old.deletion.is_none());
        finalizers.extend(holder.iter().filter(|holder| !old.has(holder)).cloned());
        let deletion = match &old.deletion {
            Some(begun) if begun.grace_s == 0 => begun.clone(),
            // Who deletes again may shorten what is left to it, and else changes nothing.
            Some(begun) if begun.grace_s <= deletion.grace_s => {
                return Ok(Step::Nothing(Arc::clone(current)));
            }
            _ => deletion,
        };
        // Being deleted is a thing that is wanted of an object; what its holder makes of it is not.
        let counted = u64::from(old.deletion.is_none() && holder.is_none());
        let mut meta = MetaOf::<O> { finalizers, deletion: Some(deletion), ..old.clone() };
        let news = current.is_run() && meta.deletion != old.deletion;
        let removed = meta.is_done() && !news;
        if !removed {
            meta.generation = old.generation.map(|generation| generation + counted);
            if meta == *old {
                return Ok(Step::Nothing(Arc::clone(current)));
            }
        } else if old.deletion.is_none() {
            // It goes at once: nobody will see that it was being deleted.
            meta.deletion = None;
        }
        meta.version = self.version.next();
        let mut object = O::clone(current);
        object.stamp(meta);
        Ok(Step::To(self.change(Some(current), object, removed)))
    }

    /// The object at `key`, if it is what the caller believes.
    fn expected(&self, key: &O::Key, expect: &ExpectOf<O>) -> Result<&Arc<O>, RefusalOf<O>> {
        let current = self.get(key).ok_or(Refusal::NotFound)?;
        let Expect { version, uid } = expect;
        let meta = current.meta();
        if let Some(uid) = uid.as_ref().filter(|uid| **uid != meta.uid) {
            return Err(Refusal::Another { expected: uid.clone(), found: meta.uid.clone() });
        }
        match version {
            Some(version) if *version != meta.version => {
                Err(Refusal::Stale { expected: *version, found: meta.version })
            }
            _ => Ok(current),
        }
    }

    fn change(&self, before: Option<&Arc<O>>, after: O, removed: bool) -> Change<O> {
        Change {
            version: self.version.next(),
            key: after.key().clone(),
            before: before.cloned(),
            after: Arc::new(after),
            removed,
        }
    }
}

impl<O: Object> Change<O> {
    fn answer(&self) -> Answer<O> {
        let after = Arc::clone(&self.after);
        match (&self.before, self.removed) {
            (_, true) => Answer::Removed(after),
            (None, false) => Answer::Created(after),
            (Some(_), false) => Answer::Changed(after),
        }
    }
}

type Decided<O> = Result<Step<O>, RefusalOf<O>>;

enum Step<O: Object> {
    Nothing(Arc<O>),
    To(Change<O>),
}

/// Who has to agree once the object is deleted like this: at most one of the collector's finalizers.
fn finalizers_of_deletion<K, U, M: Clone + PartialEq, T>(
    meta: &crate::object::Meta<K, U, M, T>,
    propagation: Option<Propagation>,
) -> Vec<Finalizer<M>> {
    let Some(propagation) = propagation else {
        return meta.finalizers.clone();
    };
    let wanted = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(Finalizer::Foreground),
        Propagation::Orphan => Some(Finalizer::Orphan),
    };
    let collectors = [Finalizer::Foreground, Finalizer::Orphan];
    let mut kept: Vec<_> = meta
        .finalizers
        .iter()
        .filter(|finalizer| !collectors.contains(finalizer) || wanted.as_ref() == Some(finalizer))
        .cloned()
        .collect();
    if let Some(wanted) = wanted.filter(|wanted| !kept.contains(wanted)) {
        kept.push(wanted);
    }
    kept
}
