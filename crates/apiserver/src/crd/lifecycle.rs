//! What becomes of definitions after they are written: pure decisions, made again after every write, until nothing
//! is left to do.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::definition::{condition, text};
use crate::document::Json;
use crate::time::Moment;

/// Holds a definition until its objects are gone.
pub(crate) const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// What has to be done next about a definition.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Its status becomes this.
    Status(Json),
    /// Delete all its objects, then look again.
    DeleteObjects,
    /// Its status becomes this, and its finalizer goes.
    Finish(Json),
}

/// Marks a definition whose deletion begins: what its status says then.
pub(crate) fn begin_deletion(crd: &mut Json, now: Moment) {
    let mut status = status_of(crd);
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set(&mut status, "Terminating", "True", "InstanceDeletionPending", message, now);
    crd.insert("status".into(), Value::Object(status));
}

/// What has to be done about `crd`, if anything. `all` are the definitions there are; `objects` is how many of its
/// objects there are.
pub(crate) fn look(crd: &Json, all: &[&Json], objects: usize, now: Moment) -> Option<Next> {
    if is_going(crd) {
        return end(crd, objects, now);
    }
    let before = status_of(crd);
    let mut status = before.clone();
    names(crd, all, &mut status, now);
    // As nothing serves a kind before this status is written, it is established in the same step.
    let mut settled = Map::new();
    settled.insert("status".into(), Value::Object(status.clone()));
    if condition(&settled, "NamesAccepted") == Some("True")
        && condition(&settled, "Established") != Some("True")
    {
        let message = "the initial names have been accepted";
        set(&mut status, "Established", "True", "InitialNamesAccepted", message, now);
    }
    (status != before).then_some(Next::Status(status))
}

/// Whether there may be something left to do about a definition that goes.
pub(crate) fn is_going(crd: &Json) -> bool {
    let metadata = crd.get("metadata").and_then(Value::as_object);
    let deleted =
        metadata.and_then(|metadata| metadata.get("deletionTimestamp")).is_some_and(Value::is_string);
    let finalizers = metadata.and_then(|metadata| metadata.get("finalizers")).and_then(Value::as_array);
    deleted && finalizers.into_iter().flatten().any(|name| name.as_str() == Some(FINALIZER))
}

fn end(crd: &Json, objects: usize, now: Moment) -> Option<Next> {
    let before = status_of(crd);
    let mut status = before.clone();
    if condition(crd, "Established") != Some("True") {
        set(&mut status, "Terminating", "False", "NeverEstablished", "resource was never established", now);
        return Some(Next::Finish(status));
    }
    if objects == 0 {
        set(&mut status, "Terminating", "False", "InstanceDeletionCompleted", "removed all instances", now);
        return Some(Next::Finish(status));
    }
    let message = "CustomResource deletion is in progress";
    set(&mut status, "Terminating", "True", "InstanceDeletionInProgress", message, now);
    Some(if status == before { Next::DeleteObjects } else { Next::Status(status) })
}

/// Gives a definition the names that nobody else has.
fn names(crd: &Json, all: &[&Json], status: &mut Json, now: Moment) {
    let empty = Map::new();
    let wanted =
        crd.get("spec").and_then(|spec| spec.get("names")).and_then(Value::as_object).unwrap_or(&empty);
    let accepted = status.get("acceptedNames").and_then(Value::as_object).cloned().unwrap_or_default();
    if same_names(wanted, &accepted) {
        return;
    }
    let taken = Taken::by(crd, all);
    let mut given = accepted.clone();
    let mut conflict: Option<(&str, String)> = None;
    let mut claim = |field: &str, reason: &'static str, used: &BTreeSet<&str>| {
        let (name, before) = (text(wanted, field), text(&accepted, field));
        if name != before && used.contains(name) {
            conflict = Some((reason, format!("{} is already in use", Value::from(name))));
        } else {
            put(&mut given, field, Some(&Value::from(name)).filter(|_| !name.is_empty()));
        }
    };
    claim("plural", "PluralConflict", &taken.resources);
    claim("singular", "SingularConflict", &taken.resources);
    let short = short_names(wanted, &accepted, &taken.resources);
    if short.is_empty() {
        put(&mut given, "shortNames", wanted.get("shortNames"));
    } else {
        let message = if short.len() == 1 { short.join("") } else { format!("[{}]", short.join(", ")) };
        conflict = Some(("ShortNamesConflict", message));
    }
    let mut claim = |field: &str, reason: &'static str, used: &BTreeSet<&str>| {
        let (name, before) = (text(wanted, field), text(&accepted, field));
        if name != before && used.contains(name) {
            conflict = Some((reason, format!("{} is already in use", Value::from(name))));
        } else {
            put(&mut given, field, Some(&Value::from(name)).filter(|_| !name.is_empty()));
        }
    };
    claim("kind", "KindConflict", &taken.kinds);
    claim("listKind", "ListKindConflict", &taken.kinds);
    put(&mut given, "categories", wanted.get("categories"));
    status.insert("acceptedNames".into(), Value::Object(given));
    let established = condition_of(status, "Established") == Some("True");
    match conflict {
        Some((reason, message)) => {
            set(status, "NamesAccepted", "False", reason, &message, now);
            if condition_of(status, "Established").is_none() {
                set(status, "Established", "False", "NotAccepted", "not all names are accepted", now);
            }
        }
        None => {
            set(status, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
            if !established {
                let message = "the initial names have been accepted";
                set(status, "Established", "False", "Installing", message, now);
            }
        }
    }
}

fn put(names: &mut Json, field: &str, value: Option<&Value>) {
    match value {
        Some(value) => names.insert(field.to_owned(), value.clone()),
        None => names.remove(field),
    };
}

fn same_names(wanted: &Json, accepted: &Json) -> bool {
    let list = |names: &Json, field: &str| -> Vec<Value> {
        names.get(field).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    ["plural", "singular", "kind", "listKind"]
        .iter()
        .all(|field| text(wanted, field) == text(accepted, field))
        && ["shortNames", "categories"].iter().all(|field| list(wanted, field) == list(accepted, field))
}

/// What is wrong with the short names that are new.
fn short_names(wanted: &Json, accepted: &Json, taken: &BTreeSet<&str>) -> Vec<String> {
    let list = |names: &Json| -> Vec<String> {
        let list = names.get("shortNames").and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    };
    let ours = list(accepted);
    let new = list(wanted).into_iter().filter(|name| !ours.contains(name) && taken.contains(name.as_str()));
    new.map(|name| format!("{} is already in use", Value::from(name))).collect()
}

/// The names that are given in a group, also to the definition itself.
struct Taken<'a> {
    resources: BTreeSet<&'a str>,
    kinds: BTreeSet<&'a str>,
}

impl<'a> Taken<'a> {
    fn by(crd: &Json, all: &[&'a Json]) -> Taken<'a> {
        let group = |crd: &Json| {
            crd.get("spec").and_then(Value::as_object).map_or("", |spec| text(spec, "group")).to_owned()
        };
        let ours = group(crd);
        let mut taken = Taken { resources: BTreeSet::new(), kinds: BTreeSet::new() };
        for other in all.iter().filter(|other| group(other) == ours) {
            let Some(names) = other.get("status").and_then(|status| status.get("acceptedNames")) else {
                continue;
            };
            let Some(names) = names.as_object() else { continue };
            taken.resources.extend([text(names, "plural"), text(names, "singular")]);
            let short = names.get("shortNames").and_then(Value::as_array).into_iter().flatten();
            taken.resources.extend(short.filter_map(Value::as_str));
            taken.kinds.extend([text(names, "kind"), text(names, "listKind")]);
        }
        taken
    }
}

fn status_of(crd: &Json) -> Json {
    crd.get("status").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn condition_of<'a>(status: &'a Json, name: &str) -> Option<&'a str> {
    let conditions = status.get("conditions")?.as_array()?;
    let found =
        conditions.iter().find(|condition| condition.get("type").and_then(Value::as_str) == Some(name))?;
    found.get("status")?.as_str()
}

/// Sets a condition; its time changes only with its status.
fn set(status: &mut Json, name: &str, value: &str, reason: &str, message: &str, now: Moment) {
    let list = status.entry("conditions").or_insert(Value::Null);
    if !list.is_array() {
        *list = json!([]);
    }
    let Some(conditions) = list.as_array_mut() else { return };
    let known =
        conditions.iter_mut().find(|condition| condition.get("type").and_then(Value::as_str) == Some(name));
    let since = match &known {
        Some(known) if known.get("status").and_then(Value::as_str) == Some(value) => {
            known.get("lastTransitionTime").cloned()
        }
        _ => None,
    };
    let since = since.unwrap_or_else(|| now.to_string().into());
    let condition = json!({"type": name, "status": value, "lastTransitionTime": since, "reason": reason, "message": message});
    match known {
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}

#[cfg(test)]
mod tests;
