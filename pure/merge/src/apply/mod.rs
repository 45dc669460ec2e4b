//! Server-side apply: who owns which field, and what an applied configuration makes of an object.
//!
//! Two functions change an object's `managedFields`. [`apply`] lays a configuration over an object; [`track`]
//! takes note of what any other write changed. Both work on the object as it is stored, without defaults being
//! filled in between: call [`Schema::default`] on what `apply` returns.

mod conflict;
mod last_applied;
mod managed;
mod ownership;

use std::fmt;

use serde_json::{Map, Value};

pub use conflict::{Conflict, Conflicts};

use crate::fields::FieldSet;
use crate::schema::Schema;
use crate::schema::prune::tidy_metadata;
use crate::typed;
use managed::{Managed, ManagerId};
use ownership::{Record, Records};

/// Beyond so many, the oldest updates are thrown together.
const MAX_UPDATERS: usize = 10;
const ANCIENT: &str = "ancient-changes";
const BEFORE_FIRST_APPLY: &str = "before-first-apply";
const KUBECTL: &str = "kubectl";

/// How a manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// It applies configurations.
    Apply,
    /// It creates, updates or patches in any other way.
    Update,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        }
    }
}

/// Who writes, and how.
#[derive(Clone, Copy, Debug)]
pub struct Manager<'a> {
    /// The `fieldManager` of the request, or what stands for it.
    pub name: &'a str,
    /// How it writes.
    pub operation: Operation,
    /// The version in which it writes: `apps/v1`.
    pub api_version: &'a str,
    /// The subresource that it writes to; empty for the object itself.
    pub subresource: &'a str,
    /// Now, as RFC 3339 in UTC, to the second: `2024-01-31T12:00:00Z`.
    pub time: &'a str,
}

impl Manager<'_> {
    fn id(&self) -> ManagerId {
        let name = if self.name.is_empty() { "unknown" } else { self.name };
        ManagerId::new(name, self.operation, self.api_version, self.subresource)
    }
}

/// The schemas of the versions in which a kind is served. Fields are owned in the version in which they were
/// written; here all versions of an object are the same but for `apiVersion`.
pub trait Versions {
    /// The schema of a version (`apps/v1`); none if it is no longer served: what was owned in it is forgotten.
    fn at(&self, api_version: &str) -> Option<&Schema>;
}

/// One schema for every version.
impl Versions for Schema {
    fn at(&self, _: &str) -> Option<&Schema> {
        Some(self)
    }
}

/// Why a configuration was not applied.
#[derive(Clone, Debug, PartialEq)]
pub enum ApplyError {
    /// Others own fields that it would change: 409, reason `Conflict`.
    Conflict(Conflicts),
    /// The request is at fault: 400, reason `BadRequest`.
    BadRequest(String),
    /// The configuration does not fit the schema: Kubernetes answers 500 without a reason.
    Untyped(String),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::Conflict(conflicts) => conflicts.fmt(f),
            ApplyError::BadRequest(message) | ApplyError::Untyped(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ApplyError {}

/// Applies a configuration to a live object, or makes a new one of it.
///
/// The result has the new `managedFields`. `ignored` are fields that this endpoint resets: nobody comes to own
/// them through it. With `force` the manager takes what others own.
pub fn apply(
    versions: &impl Versions,
    live: Option<&Value>,
    config: &Value,
    manager: &Manager<'_>,
    force: bool,
    ignored: &FieldSet,
) -> Result<Value, ApplyError> {
    let schema = accept(versions, config, manager)?;
    let faults = typed::check(schema.ty(), config, false);
    if !faults.is_empty() {
        let what = format!("failed to create typed patch object ({}): {faults}", describe(config));
        return Err(ApplyError::Untyped(what));
    }
    let start = live.unwrap_or(schema.zero()).clone();
    let mut managed = Managed::decode(start.pointer("/metadata/managedFields"))
        .map_err(|why| ApplyError::Untyped(format!("failed to decode managed fields: {why}")))?;
    if managed.is_empty() && live.is_some() {
        managed = before_first_apply(versions, &start, manager, ignored);
    }
    let request = Request { versions, schema, live: &start, config, manager, ignored };
    let (object, managed) = match request.run(managed.clone(), force) {
        Err(ApplyError::Conflict(conflicts)) if manager.name == KUBECTL => {
            let allowed = last_applied::allowed(schema, &start, manager.api_version);
            match allowed.map(|allowed| conflicts.clone().without(&allowed)) {
                Some(rest) if rest.is_empty() => request.run(managed, true)?,
                Some(rest) => return Err(ApplyError::Conflict(rest)),
                None => return Err(ApplyError::Conflict(conflicts)),
            }
        }
        other => other?,
    };
    let mut object = object.unwrap_or(start);
    if let Some(metadata) = object.get_mut("metadata") {
        tidy_metadata(metadata);
    }
    managed.encode_into(&mut object);
    if manager.name == KUBECTL {
        last_applied::renew(&mut object, config);
    }
    Ok(object)
}

/// What any request of this kind must fulfil.
fn accept<'a>(
    versions: &'a impl Versions,
    config: &Value,
    manager: &Manager<'_>,
) -> Result<&'a Schema, ApplyError> {
    let version = config.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let schema = versions.at(manager.api_version).filter(|_| version == manager.api_version);
    let Some(schema) = schema else {
        return Err(ApplyError::BadRequest(format!("invalid object type: {}", gvk(config))));
    };
    if config.pointer("/metadata/managedFields").is_some_and(|fields| !fields.is_null()) {
        return Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
    }
    Ok(schema)
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The kind of an object as errors have it: `group/version, Kind=Kind`.
pub fn gvk(object: &Value) -> String {
    let version = text(object, "/apiVersion");
    let slash = if version.contains('/') { "" } else { "/" };
    format!("{slash}{version}, Kind={}", text(object, "/kind"))
}

/// An object as errors have it: its namespace, its name and its kind.
pub fn describe(object: &Value) -> String {
    format!("{}/{}; {}", text(object, "/metadata/namespace"), text(object, "/metadata/name"), gvk(object))
}

/// What an object had before anybody applied anything.
fn before_first_apply(
    versions: &impl Versions,
    live: &Value,
    manager: &Manager<'_>,
    ignored: &FieldSet,
) -> Managed {
    let before = Manager { name: BEFORE_FIRST_APPLY, operation: Operation::Update, ..*manager };
    let mut noted = Managed::default();
    if let Some(schema) = versions.at(manager.api_version) {
        // A failure would leave the fields without an owner, which is what they are.
        let _ = note(versions, schema.zero(), live, &mut noted, &before, ignored);
    }
    noted
}

/// One application of a configuration.
struct Request<'a, V> {
    versions: &'a V,
    schema: &'a Schema,
    live: &'a Value,
    config: &'a Value,
    manager: &'a Manager<'a>,
    ignored: &'a FieldSet,
}

impl<V: Versions> Request<'_, V> {
    /// The new object, none if nothing changed, and who owns what.
    fn run(&self, managed: Managed, force: bool) -> Result<(Option<Value>, Managed), ApplyError> {
        let Managed { mut records, mut times } = managed;
        let untyped =
            |what: &str, why: &dyn fmt::Display| ApplyError::Untyped(format!("failed to {what}: {why}"));
        ownership::reconcile(self.versions, &mut records);
        let ty = self.schema.ty();
        let merged = typed::merge(ty, self.live, self.config).map_err(|why| untyped("merge config", &why))?;
        let id = self.manager.id();
        let last = records.remove(&id);
        let set = typed::collect(ty, self.config).recursive_difference(self.ignored);
        let api_version = self.manager.api_version.to_owned();
        records.insert(id.clone(), Record { set, api_version });
        let pruned = ownership::prune(self.versions, merged, &records, last.as_ref());
        let comparison = ownership::Changes::new(self.versions, self.live, &pruned, self.ignored);
        let conflicts = comparison
            .settle(&mut records, Some(&id), force, self.manager.api_version)
            .map_err(|why| untyped("compare objects", &why))?;
        if !conflicts.is_empty() {
            return Err(ApplyError::Conflict(conflicts));
        }
        strip(&mut records, &id);
        let changed = !crate::value::equal(self.live, &pruned);
        if changed {
            times.insert(id, self.manager.time.to_owned());
        }
        let mut object = changed.then_some(pruned);
        object.iter_mut().for_each(|object| self.schema.as_written(object));
        Ok((object, Managed { records, times }))
    }
}

/// Takes note of who changed what. `old` is the stored object, none for a create; `new` is what will be stored,
/// with the `managedFields` that the request has, and leaves with those that will be stored.
///
/// Clients that do not know `managedFields` lose nothing by leaving them out; an empty list resets them, and an
/// object without them is not tracked until somebody applies to it. A write that changes nothing that can be
/// owned leaves them as they are.
pub fn track(
    versions: &impl Versions,
    old: Option<&Value>,
    new: &mut Value,
    manager: &Manager<'_>,
    ignored: &FieldSet,
) {
    let given = take_managed(new);
    let stored = || old.and_then(|old| old.pointer("/metadata/managedFields"));
    let mut managed = match (given, manager.subresource.is_empty()) {
        (Some(given), true) if is_reset(&given) => Managed::default(),
        (Some(given), true) => match Managed::decode(Some(&given)) {
            Ok(managed) if !managed.is_empty() => managed,
            _ => Managed::decode(stored()).unwrap_or_default(),
        },
        _ => Managed::decode(stored()).unwrap_or_default(),
    };
    if managed.is_empty() && old.is_some() {
        return;
    }
    let Some(schema) = versions.at(manager.api_version) else { return };
    let before = old.unwrap_or(schema.zero());
    // Kubernetes drops them all rather than keep what may be wrong.
    if note(versions, before, new, &mut managed, manager, ignored).is_ok() {
        managed.encode_into(new);
    }
}

/// The part of an update that is the same for all who update.
fn note(
    versions: &impl Versions,
    old: &Value,
    new: &Value,
    managed: &mut Managed,
    manager: &Manager<'_>,
    ignored: &FieldSet,
) -> Result<(), typed::Faults> {
    ownership::reconcile(versions, &mut managed.records);
    let changes = ownership::Changes::new(versions, old, new, ignored);
    changes.settle(&mut managed.records, None, true, manager.api_version)?;
    let mut taken = changes.into_taken(manager.api_version)?;
    taken.subtract(stripped());
    if !taken.is_empty() {
        let id = manager.id();
        let api_version = manager.api_version.to_owned();
        match managed.records.get_mut(&id) {
            Some(record) => record.set.extend(&taken),
            None => drop(managed.records.insert(id.clone(), Record { set: taken, api_version })),
        }
        managed.times.insert(id, manager.time.to_owned());
    }
    managed.cap(MAX_UPDATERS, ANCIENT);
    Ok(())
}

/// What is never owned: it says what the object is, or the server writes it.
fn stripped() -> &'static FieldSet {
    static STRIPPED: std::sync::LazyLock<FieldSet> = std::sync::LazyLock::new(|| {
        FieldSet::of(&[
            "apiVersion",
            "kind",
            "metadata",
            "metadata.name",
            "metadata.namespace",
            "metadata.creationTimestamp",
            "metadata.selfLink",
            "metadata.uid",
            "metadata.clusterName",
            "metadata.generation",
            "metadata.managedFields",
            "metadata.resourceVersion",
        ])
    });
    &STRIPPED
}

fn strip(records: &mut Records, id: &ManagerId) {
    if let Some(record) = records.get_mut(id) {
        record.set.subtract(stripped());
        if record.set.is_empty() {
            records.remove(id);
        }
    }
}

fn take_managed(object: &mut Value) -> Option<Value> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut)?;
    metadata.remove("managedFields").filter(|fields| !fields.is_null())
}

/// An empty list, or a list of one empty entry: the old way to say it.
fn is_reset(given: &Value) -> bool {
    match given.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([Value::Object(entry)]) => entry.is_empty(),
        _ => false,
    }
}

/// Takes the times of `managedFields` back if they are all that a write changed: it then changed nothing.
pub fn settle(old: &Value, new: &mut Value) {
    let timeless = |object: &Value| -> Option<Vec<Map<String, Value>>> {
        let entries = object.pointer("/metadata/managedFields")?.as_array()?;
        let entries = entries.iter().filter_map(Value::as_object).cloned();
        Some(entries.map(|mut entry| (entry.remove("time"), entry).1).collect())
    };
    if timeless(old).is_none() || timeless(old) != timeless(new) {
        return;
    }
    let Some(changed) = take_managed(new) else { return };
    let stored = old.pointer("/metadata/managedFields").cloned().unwrap_or_default();
    let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    metadata.insert("managedFields".to_owned(), stored);
    if new != old
        && let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.insert("managedFields".to_owned(), changed);
    }
}

#[cfg(test)]
mod tests;
