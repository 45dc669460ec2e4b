//! Changes to objects: whole, or by a patch.

use std::sync::{Arc, Mutex, PoisonError};

use bowline_kernel::{Answer, Object, Version};
use http::StatusCode;
use serde_json::Value;

use super::Asked;
use super::options::WriteOptions;
use super::patch::{self, Form, Patch};
use super::write::{Sent, Write};
use crate::admission;
use crate::api::Api;
use crate::body::{self, Body};
use crate::builtin;
use crate::document::{Document, Edit, Json};
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
pub async fn update(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    update_part(api, kind, asked, Part::Main).await
}

/// Puts a part of an object in place of what is there.
///
/// # Errors
/// In the words of the API.
pub async fn update_part(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    asked: Asked,
    part: Part,
) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = WriteOptions::parse(&asked.query, "UpdateOptions", false)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, part));
    let sent = body::decode(asked.media_type(), &asked.body, kind, &api.kinds())?;
    let Sent { object, warnings } = write.accept(sent)?;
    write.check_name(&object)?;
    let change = Change::new(&write, warnings);
    let edit: Edit = Arc::new({
        let (write, change) = (Arc::clone(&write), change.clone());
        move |current| match current {
            Some(current) => change.note(write.updated(object.clone(), current, false)),
            None if part == Part::Main && builtin::creates_on_update(&write.kind) => {
                change.note(write.created(object.clone(), false))
            }
            None => Err(Status::not_found(&write.kind, &write.name)),
        }
    });
    change.perform(edit, &wanted, &asked.query).await
}

/// Changes an object by a patch.
///
/// # Errors
/// In the words of the API.
pub async fn patch(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    patch_part(api, kind, asked, Part::Main).await
}

/// Changes a part of an object by a patch.
///
/// # Errors
/// In the words of the API.
pub async fn patch_part(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked, part: Part) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let form = Form::of(asked.media_type(), kind.custom.is_some())?;
    let options = WriteOptions::parse(&asked.query, "PatchOptions", form == Form::Apply)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, part));
    let patch = Patch::parse(form, &asked.body)?;
    let change = Change::new(&write, Vec::new());
    let edit: Edit = match patch {
        Patch::Apply(config) => apply(&write, &change, config)?,
        patch => Arc::new({
            let (write, change) = (Arc::clone(&write), change.clone());
            move |current| {
                let current = current.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
                let Sent { object, warnings } = patched(&write, current, &patch)?;
                change.warn(warnings);
                write.check_name(&object)?;
                change.note(write.updated(object, current, false))
            }
        }),
    };
    change.perform(edit, &wanted, &asked.query).await
}

/// What is there, after a patch of one of the three kinds that know nothing of owners.
fn patched(write: &Write, current: &Document, patch: &Patch) -> Result<Sent, Status> {
    let mut object = Value::Object(write.shown(current));
    match patch {
        Patch::Json(operations) => patch::apply_json(&mut object, operations)?,
        Patch::Merge(merge) => json_patch::merge(&mut object, merge),
        Patch::Apply(_) => return Err(Status::internal("what is applied is no patch")),
        Patch::Strategic(patch) => {
            let schema = admission::schema(&write.kind);
            object = bowline_merge::strategic::patch(&schema, &object, patch)
                .map_err(|error| Status::bad_request(error.to_string()))?;
        }
    }
    let Value::Object(object) = object else {
        return Err(Status::bad_request("the patch makes the object something else than an object"));
    };
    write.accept(Body { object, repeated: Vec::new() })
}

/// Server-side apply: what the client wants, as far as it is theirs.
fn apply(write: &Arc<Write>, change: &Change, mut config: Body) -> Result<Edit, Status> {
    admission::check_applied(&write.kind, &config.object)?;
    // Who applies need not repeat what the path says.
    let metadata = config.object.entry("metadata").or_insert_with(|| Value::Object(Json::new()));
    if let Value::Object(metadata) = metadata {
        metadata.entry("name").or_insert_with(|| write.name.as_str().into());
    }
    write.check_name(&config.object)?;
    let Sent { object: config, warnings } = write.accept(config)?;
    change.warn(warnings);
    let (write, change) = (Arc::clone(write), change.clone());
    Ok(Arc::new(move |current| {
        let live = current.map(|current| write.shown(current));
        if live.is_none() {
            if write.part != Part::Main {
                return Err(Status::not_found(&write.kind, &write.name));
            }
            if !write.has_home() {
                return Err(write.homeless());
            }
        }
        let applied = admission::apply(&write, live.as_ref(), &config)?;
        match current {
            None => change.note(write.created(applied, true)),
            Some(current) => change.note(write.updated(applied, current, true)),
        }
    }))
}

impl Write {
    /// The object that was sent is the one that the path names.
    fn check_name(&self, object: &Json) -> Result<(), Status> {
        let text =
            |name| object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_str);
        let (name, namespace) = (text("name").unwrap_or_default(), text("namespace").unwrap_or_default());
        if name != self.name && !(name.is_empty() && self.part != Part::Main) {
            return Err(Status::bad_request(if name.is_empty() {
                let name = &self.name;
                format!(
                    "the name of the object ({name} based on URL) was undeterminable: name must be provided"
                )
            } else {
                format!("the name of the object ({name}) does not match the name on the URL ({})", self.name)
            }));
        }
        if !namespace.is_empty() && namespace != self.namespace {
            return Err(Status::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        Ok(())
    }
}

/// A change under way: it may be computed several times, and the warnings of the last time count.
#[derive(Clone)]
struct Change {
    write: Arc<Write>,
    before: Arc<Mutex<Vec<String>>>,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Change {
    fn new(write: &Arc<Write>, warnings: Vec<String>) -> Change {
        Change { write: Arc::clone(write), before: Arc::new(Mutex::new(warnings)), warnings: Arc::default() }
    }

    /// What is to be said of what was sent.
    fn warn(&self, warnings: Vec<String>) {
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = warnings;
    }

    /// What is to be said of the object as it became.
    fn note(&self, done: Result<(Document, Vec<String>), Status>) -> Result<Document, Status> {
        let (document, warnings) = done?;
        *self.warnings.lock().unwrap_or_else(PoisonError::into_inner) = warnings;
        Ok(document)
    }

    fn said(&self) -> Vec<String> {
        let of =
            |warnings: &Mutex<Vec<String>>| warnings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut said = of(&self.before);
        said.extend(of(&self.warnings));
        said
    }

    async fn perform(&self, edit: Edit, wanted: &Wanted, query: &Query) -> Result<Reply, Status> {
        let Write { api, kind, namespace, name, options, .. } = &*self.write;
        let key = self.write.key();
        if options.dry_run {
            let current = api.hub.settled(&key).await.map_err(Status::from)?;
            let code = if current.is_some() { StatusCode::OK } else { StatusCode::CREATED };
            let document = self.write.blocking(move || edit(current.as_deref())).await?;
            return self.write.would_be(code, &document, wanted, query, &self.said());
        }
        let replaced = Arc::new(Mutex::new(Version::default()));
        let edit: Edit = Arc::new({
            let replaced = Arc::clone(&replaced);
            move |current| {
                let version = current.map(|current| current.meta().version).unwrap_or_default();
                *replaced.lock().unwrap_or_else(PoisonError::into_inner) = version;
                edit(current)
            }
        });
        let answer = api.hub.modify(&key, edit, self.write.is_slow()).await;
        let answer = answer.map_err(|failure| Status::failed(failure, kind, namespace, name))?;
        debug_assert_eq!(answer.object().key(), &key);
        let said = self.said();
        match answer {
            // What was the last thing to hold the object is gone, and it with it: it was never at a new version.
            Answer::Removed(last) => {
                let version = *replaced.lock().unwrap_or_else(PoisonError::into_inner);
                self.write.show(StatusCode::OK, &last.at(version), wanted, query, &said)
            }
            Answer::Created(new) => self.write.show(StatusCode::CREATED, &new, wanted, query, &said),
            answer => self.write.show(StatusCode::OK, answer.object(), wanted, query, &said),
        }
    }
}
