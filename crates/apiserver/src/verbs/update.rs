//! Changes to objects: whole, or by a patch.

use std::sync::Arc;

use bowline_kernel::{Answer, Object};
use http::StatusCode;
use serde_json::Value;

use super::Asked;
use super::options::WriteOptions;
use super::patch::{Form, Patch};
use super::write::Write;
use crate::admission;
use crate::api::Api;
use crate::body::{self, Body};
use crate::builtin;
use crate::document::{Edit, Json};
use crate::field_validation::{FieldValidation, Text};
use crate::hub::{compute, off_thread};
use crate::kinds::Kind;
use crate::negotiate::{self, Wanted};
use crate::part::Part;
use crate::query::Query;
use crate::reply::Reply;
use crate::status::Status;

/// Puts an object in place of what is there.
///
/// # Errors
/// In the words of the API.
pub(super) async fn update(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    update_part(api, kind, asked, Part::Main).await
}

/// Puts a part of an object in place of what is there.
///
/// # Errors
/// In the words of the API.
pub(super) async fn update_part(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    asked: Asked,
    part: Part,
) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = WriteOptions::parse(&asked.query, "UpdateOptions", false)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, part));
    let object = write.sent(&asked).await?;
    write.check_name(&object)?;
    let edit: Edit = Arc::new({
        let write = Arc::clone(&write);
        move |current| match current {
            Some(current) => write.updated(object.clone(), current, false),
            None if part == Part::Main && builtin::creates_on_update(&write.kind) => {
                write.created(object.clone(), false)
            }
            None => Err(Status::not_found(&write.kind, &write.name)),
        }
    });
    perform(&write, edit, &wanted, &asked.query).await
}

/// Changes an object by a patch.
///
/// # Errors
/// In the words of the API.
pub(super) async fn patch(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    patch_part(api, kind, asked, Part::Main).await
}

/// Changes a part of an object by a patch.
///
/// # Errors
/// In the words of the API.
pub(super) async fn patch_part(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    asked: Asked,
    part: Part,
) -> Result<Reply, Status> {
    let form = Form::of(asked.media_type(), kind.custom.is_some())?;
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = WriteOptions::parse(&asked.query, "PatchOptions", form == Form::Apply)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, part));
    let edit = if form == Form::Apply {
        let body = asked.body.clone();
        apply(&write, off_thread(write.big, move || body::applied(&body)).await)
    } else {
        // That there is nothing to be patched is said before what is wrong with the patch.
        let body = asked.body.clone();
        let patch = off_thread(write.big, move || Patch::parse(form, &body)).await;
        let write = Arc::clone(&write);
        let edit: Edit = Arc::new(move |current| {
            let current = current.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
            let shown = Value::Object(write.shown(current));
            let object = patched(&write, &write.kind, &shown, patch.as_ref().map_err(Status::clone)?)?;
            write.check_patched(&object)?;
            write.updated(object, current, false)
        });
        edit
    };
    perform(&write, edit, &wanted, &asked.query).await
}

/// What an object of a kind is after a patch that knows nothing of owners.
///
/// # Errors
/// If the patch does not fit it, or what it makes of it is not of the kind.
pub(super) fn patched(write: &Write, kind: &Kind, object: &Value, patch: &Patch) -> Result<Json, Status> {
    let whole = patch.apply(kind, object)?;
    let refused = |why: &str| patch.refused(kind, &whole, why);
    let mut object = body::typed(whole.clone()).map_err(|why| refused(&why))?;
    if patch.is_strategic() {
        // It changes fields of a struct, which knows what it is.
        object.insert("apiVersion".into(), kind.api_version().into());
        object.insert("kind".into(), (*kind.kind).into());
    } else {
        body::check_types(kind, &write.api.kinds(), &mut object).map_err(|misfit| refused(&misfit.why()))?;
    }
    let unknown =
        admission::read(kind, &mut object).map_err(|mistyped| patch.mistyped(kind, &whole, &mistyped))?;
    let mut odd = patch.odd.clone();
    if !unknown.is_empty() {
        let json = patch.text(kind, &whole).into();
        odd.extend(Text { json, ..Text::default() }.odd(kind.custom.is_some(), &unknown));
    }
    write.options.validation.judge(&odd, &write.warnings).map_err(|why| refused(&why))?;
    Ok(object)
}

/// Server-side apply: what the client wants, as far as it is theirs.
fn apply(write: &Arc<Write>, config: Result<Body, Status>) -> Edit {
    let write = Arc::clone(write);
    Arc::new(move |current| {
        let live = current.map(|current| write.shown(current));
        let config = config.as_ref().map_err(Status::clone)?;
        let applied = admission::apply(&write, live.as_ref(), &config.object)?;
        if let Some(twice) = &config.text.yaml {
            let twice = format!("error converting YAML to JSON: {twice}");
            match write.options.validation {
                FieldValidation::Strict => {
                    return Err(Status::bad_request(format!("error strict decoding YAML: {twice}")));
                }
                FieldValidation::Warn => write.warnings.add(&twice),
                FieldValidation::Ignore => {}
            }
        }
        let uid = text(&applied, "uid");
        if live.is_none() && !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(Status::conflict(&write.kind, &write.name, &why));
        }
        write.check_patched(&applied)?;
        match current {
            Some(current) => write.updated(applied, current, true),
            None if write.part != Part::Main => Err(Status::not_found(&write.kind, &write.name)),
            None if !write.has_home() => Err(write.homeless()),
            None => write.created(applied, true),
        }
    })
}

fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    let metadata = object.get("metadata");
    metadata.and_then(|metadata| metadata.get(name)).and_then(Value::as_str).unwrap_or_default()
}

impl Write {
    /// The object that was sent is the one that the path names.
    fn check_name(&self, object: &Json) -> Result<(), Status> {
        if !text(object, "name").is_empty() || self.part == Part::Main {
            self.check_named(object)?;
        }
        self.check_namespace(object)
    }

    /// The object that a patch has made is the one that the path names.
    fn check_patched(&self, object: &Json) -> Result<(), Status> {
        self.check_namespace(object)?;
        self.check_named(object)
    }

    fn check_named(&self, object: &Json) -> Result<(), Status> {
        let path = &self.name;
        match text(object, "name") {
            "" => Err(Status::bad_request(format!(
                "the name of the object ({path} based on URL) was undeterminable: name must be provided"
            ))),
            name if name != path => Err(Status::bad_request(format!(
                "the name of the object ({name}) does not match the name on the URL ({path})"
            ))),
            _ => Ok(()),
        }
    }

    fn check_namespace(&self, object: &Json) -> Result<(), Status> {
        let namespace = text(object, "namespace");
        // Of what is in no namespace it does not matter; manifests of charts often say one.
        if namespace.is_empty() || namespace == self.namespace || self.namespace.is_empty() {
            return Ok(());
        }
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        Err(Status::bad_request(message))
    }
}

/// Makes a change, which may be computed several times, or only tries it.
async fn perform(write: &Arc<Write>, edit: Edit, wanted: &Wanted, query: &Query) -> Result<Reply, Status> {
    let Write { api, kind, namespace, name, options, .. } = &**write;
    let key = write.key();
    if options.dry_run {
        let current = api.hub.settled(&key).await.map_err(Status::from)?;
        let code = if current.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        let document = compute(&edit, current, write.is_slow()).await?;
        api.hub.afford(&document).await.map_err(Status::from)?;
        return write.would_be(code, &document, wanted, query);
    }
    let answer = api.hub.modify(&key, edit, write.is_slow()).await;
    let answer = answer.map_err(|failure| Status::failed(failure, kind, namespace, name))?;
    debug_assert_eq!(answer.object().key(), &key);
    let code = if matches!(answer, Answer::Created(_)) { StatusCode::CREATED } else { StatusCode::OK };
    write.show(code, answer.object(), wanted, query)
}
