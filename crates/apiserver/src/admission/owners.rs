//! Who owns which fields of an object.

use bowline_merge::Schema;
use bowline_merge::apply::{self, ApplyError, Manager, Operation};
use bowline_merge::fields::FieldSet;
use http::StatusCode;
use serde_json::Value;

use super::edit;
use crate::builtin;
use crate::document::Json;
use crate::kinds::Kind;
use crate::part::Part;
use crate::schemas;
use crate::status::{Cause, Details, Status};
use crate::verbs::Write;

/// The schema by which fields of the kind are merged and owned.
pub(crate) fn schema(kind: &Kind) -> Schema {
    schemas::of(kind)
}

fn manager<'a>(write: &'a Write, api_version: &'a str, time: &'a str, operation: Operation) -> Manager<'a> {
    Manager { name: &write.manager, operation, api_version, subresource: write.part.subresource(), time }
}

/// Fields that a write does not change, whatever it says of them: nobody comes to own them by it.
fn ignored(kind: &Kind, part: Part) -> FieldSet {
    match part {
        // Whoever says something of these pods owns it, though it is not done: so it is with the real server.
        Part::EphemeralContainers | Part::Resize => FieldSet::default(),
        Part::Approval => FieldSet::of(&["spec", "status.certificate"]),
        Part::Status if kind.custom.is_some() => FieldSet::of(&["spec"]),
        Part::Status => FieldSet::of(builtin::not_status(kind)),
        _ if kind.has_status() => FieldSet::of(builtin::not_main(kind)),
        _ => FieldSet::default(),
    }
}

/// Takes note of who changed what.
pub(crate) fn track(write: &Write, old: Option<&Json>, object: &mut Json) {
    let (api_version, time) = (write.kind.api_version(), write.now.to_string());
    let manager = manager(write, &api_version, &time, Operation::Update);
    let old = old.map(|old| Value::Object(old.clone()));
    let ignored = ignored(&write.kind, write.part);
    if old.is_some() {
        builtin::fill_nothing(&write.kind, object);
    }
    edit(object, |object| {
        apply::track(&schema(&write.kind), old.as_ref(), object, &manager, &ignored);
        if let (Part::Scale, Some(old)) = (write.part, &old) {
            keep_times(old, object);
        }
    });
}

/// Who scales an object is noted without a time: the real server knows the times of the object itself only.
fn keep_times(old: &Value, object: &mut Value) {
    let before = old["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let Some(managers) = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut) else {
        return;
    };
    for manager in managers.iter_mut().filter(|manager| manager["subresource"] == "scale") {
        let known = before.iter().find(|known| {
            ["manager", "operation", "apiVersion", "subresource"]
                .iter()
                .all(|name| known.get(name) == manager.get(name))
        });
        let time = known.and_then(|known| known.get("time")).cloned();
        if let Some(manager) = manager.as_object_mut() {
            match time {
                Some(time) => manager.insert("time".into(), time),
                None => manager.remove("time"),
            };
        }
    }
    // They are in the order of their times, else the next write would put them in order, and change something.
    let text = |manager: &Value, name: &str| manager[name].as_str().unwrap_or_default().to_owned();
    managers.sort_by_key(|manager| [text(manager, "operation"), text(manager, "time")]);
}

/// Whether what is applied is of the kind.
fn check_applied(kind: &Kind, config: &Json) -> Result<(), Status> {
    let text = |name| config.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, name) = (text("apiVersion"), text("kind"));
    if api_version == kind.api_version() && *name == *kind.kind {
        return Ok(());
    }
    let slash = if api_version.contains('/') { "" } else { "/" };
    Err(Status::bad_request(format!("invalid object type: {slash}{api_version}, Kind={name}")))
}

/// What a configuration that is applied makes of what is there.
///
/// # Errors
/// If others own what it would change, or it does not fit.
pub(crate) fn apply(write: &Write, live: Option<&Json>, config: &Json) -> Result<Json, Status> {
    apply_as(write, &write.kind, live, config)
}

/// The same for an object of another kind, which says something of ours.
///
/// # Errors
/// The same.
pub(crate) fn apply_as(
    write: &Write,
    kind: &Kind,
    live: Option<&Json>,
    config: &Json,
) -> Result<Json, Status> {
    check_applied(kind, config)?;
    let (api_version, time) = (kind.api_version(), write.now.to_string());
    let manager = manager(write, &api_version, &time, Operation::Apply);
    let live = live.map(|live| Value::Object(live.clone()));
    let config = Value::Object(config.clone());
    let force = write.options.force.unwrap_or(false);
    let ignored = ignored(kind, write.part);
    match apply::apply(&schema(kind), live.as_ref(), &config, &manager, force, &ignored) {
        Ok(Value::Object(mut object)) => {
            // Only to bring values into their usual form: all fields are known.
            builtin::read(kind, &mut object).map_err(|mistyped| {
                let (what, gvk, why) = (apply::describe(&config), apply::gvk(&config), mistyped.patched);
                let message = format!(
                    "failed to convert new object ({what}) to proper version: unable to convert unstructured object to {gvk}: {why}"
                );
                Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message)
            })?;
            Ok(object)
        }
        Ok(_) => Err(Status::internal("what was applied is not an object")),
        Err(ApplyError::Untyped(_)) if kind.is_secret() => {
            let why = config.as_object().and_then(unknown_of_secret).map_or_else(
                || "a field does not have its type; what it has is not shown".to_owned(),
                |name| format!(".{name}: field not declared in schema"),
            );
            let message = format!("failed to create typed patch object (Kind=Secret): {why}");
            Err(Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message))
        }
        Err(error) => Err(apply_status(error)),
    }
}

/// A field that no Secret has. What it is called is told: what it holds is not.
fn unknown_of_secret(config: &Json) -> Option<&str> {
    const FIELDS: [&str; 7] = ["apiVersion", "data", "immutable", "kind", "metadata", "stringData", "type"];
    config.keys().map(String::as_str).find(|name| !FIELDS.contains(name))
}

fn apply_status(error: ApplyError) -> Status {
    let message = error.to_string();
    match error {
        ApplyError::BadRequest(_) => Status::bad_request(message),
        ApplyError::Untyped(_) => Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message),
        ApplyError::Conflict(conflicts) => {
            let causes = conflicts.iter().map(|conflict| Cause {
                reason: "FieldManagerConflict".to_owned(),
                message: conflict.message(),
                field: conflict.field(),
            });
            Status::failure(StatusCode::CONFLICT, "Conflict", message)
                .of(Details { causes: causes.collect(), ..Details::default() })
        }
    }
}
