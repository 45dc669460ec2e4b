//! How ownership moves when an object changes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value;

use super::managed::ManagerId;
use super::{Conflict, Conflicts, Versions};
use crate::fields::FieldSet;
use crate::schema::Schema;
use crate::typed::{self, Comparison, Faults};

/// What one manager owns, and in which version.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) set: FieldSet,
    pub(super) api_version: String,
}

pub(super) type Records = BTreeMap<ManagerId, Record>;

/// Brings sets that were written under an older schema up to the present one.
pub(super) fn reconcile(versions: &impl Versions, records: &mut Records) {
    records.retain(|_, record| match versions.at(&record.api_version) {
        Some(schema) => {
            typed::reconcile(schema.ty(), &mut record.set);
            true
        }
        None => false,
    });
}

/// The changes from one object to another, seen in each version once.
pub(super) struct Changes<'a, V> {
    versions: &'a V,
    old: &'a Value,
    new: &'a Value,
    ignored: &'a FieldSet,
    seen: RefCell<BTreeMap<String, Comparison>>,
}

impl<'a, V: Versions> Changes<'a, V> {
    pub(super) fn new(versions: &'a V, old: &'a Value, new: &'a Value, ignored: &'a FieldSet) -> Self {
        Changes { versions, old, new, ignored, seen: RefCell::default() }
    }

    fn at<R>(
        &self,
        version: &str,
        own: &str,
        look: impl FnOnce(&Comparison) -> R,
    ) -> Result<Option<R>, Faults> {
        let mut seen = self.seen.borrow_mut();
        if !seen.contains_key(version) {
            let Some(schema) = self.versions.at(version) else { return Ok(None) };
            let mut found = typed::compare(schema.ty(), self.old, self.new)?;
            // What an endpoint resets is known for its own version only.
            if version == own && !self.ignored.is_empty() {
                for set in [&mut found.removed, &mut found.changed] {
                    *set = set.recursive_difference(self.ignored);
                }
            }
            seen.insert(version.to_owned(), found);
        }
        Ok(seen.get(version).map(look))
    }

    /// What the one who made the changes comes to own.
    pub(super) fn into_taken(self, version: &str) -> Result<FieldSet, Faults> {
        self.at(version, version, |_| ())?;
        Ok(self.seen.into_inner().remove(version).unwrap_or_default().changed)
    }

    /// Takes from all others what changed and what is gone. Without force, what changed and is owned by another
    /// is a conflict, and nobody loses anything.
    pub(super) fn settle(
        &self,
        records: &mut Records,
        writer: Option<&ManagerId>,
        force: bool,
        version: &str,
    ) -> Result<Conflicts, Faults> {
        let mut conflicts = Vec::new();
        let mut lost = Vec::new();
        for (id, record) in records.iter().filter(|(id, _)| Some(*id) != writer) {
            let found = self.at(&record.api_version, version, |found| {
                let conflict = record.set.intersection(&found.changed);
                (conflict, record.set.intersection(&found.removed))
            })?;
            let Some((conflict, removed)) = found else { continue };
            if conflict.is_empty() && removed.is_empty() {
                continue;
            }
            conflicts.extend(conflict.paths().into_iter().map(|path| Conflict::new(id, path)));
            lost.push((id.clone(), conflict.union(&removed)));
        }
        if !force && !conflicts.is_empty() {
            return Ok(Conflicts::new(conflicts));
        }
        for (id, set) in lost {
            if let Some(record) = records.get_mut(&id) {
                record.set = record.set.difference(&set);
            }
        }
        records.retain(|_, record| !record.set.is_empty());
        Ok(Conflicts::default())
    }
}

/// Takes from a merged object what its applier owned, applies no longer, and nobody else owns.
pub(super) fn prune(
    versions: &impl Versions,
    merged: Value,
    records: &Records,
    last: Option<&Record>,
) -> Value {
    let Some(last) = last.filter(|last| !last.set.is_empty()) else { return merged };
    let Some(schema) = versions.at(&last.api_version) else { return merged };
    let ty = schema.ty();
    let last_named = typed::ensure_named(Some(ty), &last.set);
    let mut pruned = typed::remove(ty, &merged, &last_named);
    let mut owned = BTreeMap::<&str, FieldSet>::new();
    for record in records.values() {
        owned.entry(&record.api_version).or_default().extend(&record.set);
    }
    if let Some(set) = owned.remove(last.api_version.as_str()) {
        pruned = add_back(schema, &merged, &pruned, &set);
    }
    for (version, set) in owned {
        if let Some(schema) = versions.at(version) {
            pruned = add_back(schema, &merged, &pruned, &set);
        }
    }
    // Only what the applier owned may go: what hung on it may belong to an updater, or to nobody.
    let named = |value: &Value| typed::ensure_named(Some(ty), &typed::collect(ty, value));
    let gone = named(&merged).difference(&named(&pruned)).intersection(&last_named);
    typed::remove(ty, &merged, &gone)
}

/// The object with what is left of it and what is owned.
fn add_back(schema: &Schema, merged: &Value, pruned: &Value, owned: &FieldSet) -> Value {
    let ty = schema.ty();
    let named = |set: &FieldSet| typed::ensure_named(Some(ty), set);
    let mut kept = named(&typed::collect(ty, pruned));
    kept.extend(&named(owned));
    let gone = named(&typed::collect(ty, merged)).difference(&kept);
    typed::remove(ty, merged, &gone)
}
