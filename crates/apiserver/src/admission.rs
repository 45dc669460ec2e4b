//! What every write goes through: the rules of all kinds, then those of its own.

use bowline_merge::{FieldError, apply as managed};
use serde_json::Value;

use crate::api;
use crate::auth::rbac;
use crate::builtin::{self, Mistyped, Neighbours};
use crate::crd;
use crate::document::{Counting, Json};
use crate::kinds::Kind;
use crate::metadata;
use crate::part::Part;
use crate::policy;
use crate::status::Status;
use crate::verbs::Write;

mod owners;
mod signers;

pub(crate) use owners::{apply, apply_as, schema, track};

/// An object that may be.
pub(crate) struct Admitted {
    /// The object.
    pub object: Json,
    /// What is not wrong and yet not right.
    pub warnings: Vec<String>,
}

/// Whose rules a kind follows, beside those of all.
enum Rules<'a> {
    BuiltIn,
    Definition,
    Custom(&'a crd::Custom),
}

impl Rules<'_> {
    fn of(kind: &Kind) -> Rules<'_> {
        match &kind.custom {
            Some(custom) => Rules::Custom(custom),
            None if kind.resource == crd::definitions() => Rules::Definition,
            None => Rules::BuiltIn,
        }
    }
}

/// Drops the fields that the kind does not have, and says which they were.
///
/// # Errors
/// If a value has a type that its field does not take.
pub(crate) fn read(kind: &Kind, object: &mut Json) -> Result<Vec<String>, Mistyped> {
    let mut unknown = builtin::read(kind, object)?;
    if let Some(custom) = &kind.custom {
        unknown.extend(edit(object, |object| custom.prune(object)));
        unknown.sort();
    }
    Ok(unknown)
}

/// The same for an object of a version of which nothing is known but that it has metadata.
///
/// # Errors
/// The same.
pub(crate) fn read_other(kind: &Kind, object: &mut Json) -> Result<Vec<String>, Mistyped> {
    let mut unknown = builtin::read(kind, object)?;
    let known = ["apiVersion", "kind", "metadata"];
    unknown.extend(object.keys().filter(|name| !known.contains(&name.as_str())).cloned());
    unknown.sort();
    Ok(unknown)
}

/// Rules that take a value are given one, and the object back.
fn edit<T>(object: &mut Json, change: impl FnOnce(&mut Value) -> T) -> T {
    let mut value = Value::Object(std::mem::take(object));
    let result = change(&mut value);
    if let Value::Object(changed) = value {
        *object = changed;
    }
    result
}

/// A new object.
///
/// # Errors
/// If it is not valid, or more than its writer may give.
pub(crate) fn create(write: &Write, mut object: Json, applied: bool) -> Result<Admitted, Status> {
    let kind = &*write.kind;
    // Also one that is applied.
    if kind.custom.as_ref().is_some_and(|custom| custom.is_going()) {
        return Err(Status::definition_goes(kind));
    }
    match Rules::of(kind) {
        Rules::BuiltIn => builtin::default(kind, &mut object),
        Rules::Definition => crd::definition::default(&mut object),
        Rules::Custom(custom) => edit(&mut object, |object| custom.default(object)),
    }
    metadata::prepare_create(kind, &mut object, &write.namespace, write.now)?;
    if kind.counting != Counting::Nothing
        && let Some(Value::Object(metadata)) = object.get_mut("metadata")
    {
        metadata.insert("generation".into(), 1.into());
    }
    let mut warnings = Vec::new();
    if !applied {
        track(write, None, &mut object);
    }
    let mut more = Vec::new();
    match Rules::of(kind) {
        Rules::BuiltIn => {
            builtin::prepare_create(kind, &mut object, &neighbours(write), write.now)?;
            signers::note_who_asks(write, &mut object);
            check_roles(write, &object, None)?;
        }
        Rules::Definition => {
            crd::definition::prepare_create(&mut object);
            more.extend(crd::definition::validate_create(&object));
            warnings.extend(crd::definition::warnings(&object, None));
        }
        Rules::Custom(custom) => {
            let verdict = edit(&mut object, |object| {
                custom.prepare(object, None, crd::Part::Main);
                custom.validate(object, None, crd::Part::Main)
            });
            more.extend(verdict.errors);
            warnings.extend(verdict.warnings);
        }
    }
    let mut errors = builtin::validate_create(kind, &object);
    errors.extend(more);
    check_all(write, &object, None, errors)?;
    // Only now, as the real server does: what is wrong with an object is said first.
    write.authorize_create()?;
    assign_addresses(write, &mut object, None)?;
    warnings.extend(warn_custom(kind, &object, None));
    builtin::write(kind, &mut object);
    Ok(Admitted { object, warnings })
}

/// An object in place of `old`.
///
/// # Errors
/// If it is not valid, not meant for what is there, or more than its writer may give.
pub(crate) fn update(write: &Write, mut object: Json, old: &Json, applied: bool) -> Result<Admitted, Status> {
    let kind = &*write.kind;
    check_target(write, &object, old)?;
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        // Who does not say what is replaced replaces what is there.
        metadata.insert("resourceVersion".into(), text(old, "resourceVersion").into());
    }
    metadata::prepare_update(kind, &mut object, old, &write.namespace)?;
    let mut warnings = Vec::new();
    match Rules::of(kind) {
        Rules::BuiltIn => builtin::default(kind, &mut object),
        Rules::Definition => crd::definition::default(&mut object),
        Rules::Custom(custom) => edit(&mut object, |object| custom.default(object)),
    }
    let mut more = Vec::new();
    let subresource = write.part.subresource();
    match Rules::of(kind) {
        Rules::BuiltIn => {
            // Whoever says something owns it, whatever the server makes of it.
            if !applied {
                track(write, Some(old), &mut object);
            }
            builtin::prepare_update(kind, &mut object, old, subresource, write.now);
            check_roles(write, &object, Some(old))?;
        }
        Rules::Definition => {
            match write.part {
                Part::Status => crd::definition::prepare_status(&mut object, old),
                _ => crd::definition::prepare_update(&mut object, old),
            }
            if !applied {
                track(write, Some(old), &mut object);
            }
            more.extend(match write.part {
                Part::Status => crd::definition::validate_status(&object),
                _ => crd::definition::validate_update(&object, old),
            });
            warnings.extend(crd::definition::warnings(&object, Some(old)));
        }
        Rules::Custom(custom) => {
            let part = if write.part == Part::Status { crd::Part::Status } else { crd::Part::Main };
            let old_value = Value::Object(old.clone());
            edit(&mut object, |object| custom.prepare(object, Some(&old_value), part));
            if !applied {
                track(write, Some(old), &mut object);
            }
            let verdict = edit(&mut object, |object| custom.validate(object, Some(&old_value), part));
            more.extend(verdict.errors);
            warnings.extend(verdict.warnings);
        }
    }
    let mut errors = builtin::validate_update(kind, &object, old, subresource);
    errors.extend(more);
    check_all(write, &object, Some(old), errors)?;
    signers::check(write, &object, old)?;
    assign_addresses(write, &mut object, Some(old))?;
    warnings.extend(warn_custom(kind, &object, Some(old)));
    builtin::write(kind, &mut object);
    let old = Value::Object(old.clone());
    edit(&mut object, |object| managed::settle(&old, object));
    Ok(Admitted { object, warnings })
}

/// What writers of custom objects are warned of.
fn warn_custom(kind: &Kind, object: &Json, old: Option<&Json>) -> Vec<String> {
    if kind.custom.is_none() {
        return Vec::new();
    }
    let old = old.map(|old| Value::Object(old.clone()));
    crd::finalizer_warnings(&Value::Object(object.clone()), old.as_ref())
}

/// Services have addresses and ports of their own.
fn assign_addresses(write: &Write, object: &mut Json, old: Option<&Json>) -> Result<(), Status> {
    let kind = &*write.kind;
    if !api::is_services(&kind.resource) {
        return Ok(());
    }
    let assigned = write.addresses.assign(object, old);
    assigned.map_err(|errors| Status::invalid(kind, text(object, "name"), &errors))
}

/// Nobody gives away more than they have, and roles have rules of their own.
fn check_roles(write: &Write, object: &Json, old: Option<&Json>) -> Result<(), Status> {
    let kind = &*write.kind;
    if &*kind.group != rbac::GROUP {
        return Ok(());
    }
    let role = rbac::Write {
        plural: &kind.plural,
        namespace: &write.namespace,
        asked: &write.name,
        old,
        new: object,
    };
    rbac::admit(|| write.api.auth.rules(&write.api.hub), &write.user, &role)
}

/// What is wrong with an object, and then whether its writer may have it read what it would read.
fn check_all(
    write: &Write,
    object: &Json,
    old: Option<&Json>,
    mut errors: Vec<FieldError>,
) -> Result<(), Status> {
    if errors.is_empty() && write.part == Part::Main {
        errors.extend(policy::readable::check(write, object, old));
    }
    check(&write.kind, object, &errors)
}

fn check(kind: &Kind, object: &Json, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    let name = text(object, "name");
    // An object of another kind is spoken of as of that.
    match object.get("kind").and_then(Value::as_str).filter(|_| kind.custom.is_some()) {
        Some(said) => Err(Status::invalid_as(&kind.group, said, name, errors)),
        None => Err(Status::invalid(kind, name, errors)),
    }
}

fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    let metadata = object.get("metadata");
    metadata.and_then(|metadata| metadata.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the object is meant for what is there.
fn check_target(write: &Write, object: &Json, old: &Json) -> Result<(), Status> {
    let kind = &*write.kind;
    let name = text(old, "name");
    let (uid, found) = (text(object, "uid"), text(old, "uid"));
    // A patch has no expectations of its own: validation refuses what it changes.
    if !uid.is_empty() && uid != found && !write.unconditional {
        return Err(Status::another(kind, &write.namespace, name, uid, found));
    }
    let version = text(object, "resourceVersion");
    if version.is_empty() {
        if !builtin::updates_unconditionally(kind) && !write.unconditional {
            let detail = "must be specified for an update";
            let error = FieldError::invalid("metadata.resourceVersion", 0, detail);
            return Err(Status::invalid_as(&kind.group, &kind.plural, name, &[error]));
        }
        return Ok(());
    }
    if version != text(old, "resourceVersion") {
        return Err(Status::stale(kind, name));
    }
    Ok(())
}

/// Makes an object what a scale says.
///
/// # Errors
/// If the scale is not valid.
pub(crate) fn scale(kind: &Kind, object: &mut Json, scale: &Value) -> Result<(), Status> {
    match &kind.custom {
        Some(custom) => edit(object, |object| custom.with_scale(object, scale)),
        None => builtin::with_scale(kind, object, scale),
    }
}

fn neighbours(write: &Write) -> impl Neighbours + '_ {
    Near { write }
}

struct Near<'a> {
    write: &'a Write,
}

impl Neighbours for Near<'_> {
    fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Json> {
        let (group, plural) = resource.split_once('/')?;
        let key = crate::key::Key::new(crate::key::Resource::new(group, plural), namespace, name);
        self.write.api.hub.ahead(&key).map(|document| document.json())
    }

    fn list(&self, resource: &str) -> Vec<Json> {
        let Some((group, plural)) = resource.split_once('/') else { return Vec::new() };
        let view = self.write.api.hub.view();
        let collection = view.collection(&crate::key::Resource::new(group, plural));
        collection
            .into_iter()
            .flat_map(|all| all.objects().values())
            .map(|document| document.json())
            .collect()
    }
}
