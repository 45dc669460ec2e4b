//! The scale of objects: how many there are to be.

mod owners;

use std::sync::{Arc, LazyLock};

use http::StatusCode;
use serde_json::Value;

use super::Asked;
use super::options::WriteOptions;
use super::patch::{Form, Patch};
use super::update::patched;
use super::write::Write;
use crate::api::Api;
use crate::document::{Counting, Document, Edit, Json};
use crate::key::Resource;
use crate::kinds::Kind;
use crate::negotiate::{self, CUSTOM_SCALES, Wanted};
use crate::part::Part;
use crate::policy::Operation;
use crate::reply::Reply;
use crate::status::Status;
use crate::{admission, body, builtin, render, versions};

/// What scales are, whatever they are of.
static SCALE: LazyLock<Kind> = LazyLock::new(|| scales("scales"));
/// The same as what serves custom kinds prints it.
static CUSTOM_SCALE: LazyLock<Kind> = LazyLock::new(|| scales(CUSTOM_SCALES));

fn scales(plural: &str) -> Kind {
    Kind {
        group: "autoscaling".into(),
        version: "v1".into(),
        kind: "Scale".into(),
        list_kind: "".into(),
        plural: plural.into(),
        singular: "".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        verbs: Vec::new(),
        subresources: Vec::new(),
        resource: Resource::new("autoscaling", "scales"),
        counting: Counting::Nothing,
        custom: None,
    }
}

/// Answers with the scale of an object.
///
/// # Errors
/// If there is none.
pub(super) fn get(api: &Api, kind: &Kind, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let key = kind.key(&asked.path.namespace, &asked.path.name);
    let document = api.hub.view().get(&key).cloned();
    let document = document.ok_or_else(|| Status::not_found(kind, &asked.path.name))?;
    shown(kind, asked, &versions::shown(kind, &document), &wanted)
}

/// The scale of an object, in the form that is wanted.
fn shown(kind: &Kind, asked: &Asked, object: &Json, wanted: &Wanted) -> Result<Reply, Status> {
    let Value::Object(scale) = of(kind, object)? else {
        return Err(Status::internal("a scale is an object"));
    };
    let printed = if kind.custom.is_some() { &CUSTOM_SCALE } else { &SCALE };
    let key = printed.key(&asked.path.namespace, &asked.path.name);
    let document = Document::new(key, &scale, printed.counting, &|_, _, _, _| None);
    let document = document.map_err(|malformed| Status::internal(malformed.to_string()))?;
    render::document(StatusCode::OK, printed, &document, wanted, &asked.query)
}

fn of(kind: &Kind, object: &Json) -> Result<Value, Status> {
    match &kind.custom {
        Some(custom) => custom.scale(&Value::Object(object.clone())),
        None => Ok(builtin::scale(kind, object)),
    }
}

/// What a request makes of a scale.
enum Change {
    Whole(Json),
    Patch(Result<Patch, Status>),
    Apply(Json),
}

/// Changes how many there are to be.
///
/// # Errors
/// In the words of the API.
pub(super) async fn set(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let (write, change) = read(api, kind, asked)?;
    let write = Arc::new(write);
    let edit: Edit = Arc::new({
        let write = Arc::clone(&write);
        move |document| {
            let document = document.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
            let mut object = write.shown(document);
            let scale = changed(&write, &object, &change)?;
            if let Some(old) = of(&write.kind, &object)?.as_object() {
                let scales = Some((&*SCALE.group, &*SCALE.version, &*SCALE.kind));
                write.judge_as(scales, Operation::Update, &write.name, &scale, Some(old))?;
            }
            let scale = Value::Object(scale);
            let applied = matches!(change, Change::Apply(_));
            let managers = applied.then(|| owners::of_object(&write.kind, &object, &scale));
            admission::scale(&write.kind, &mut object, &scale)?;
            if let (Some(managers), Some(metadata)) = (managers, object.get_mut("metadata")) {
                metadata["managedFields"] = managers;
            }
            write.updated(object, document, applied)
        }
    });
    let key = write.key();
    let document = if write.options.dry_run {
        let current = api.hub.settled(&key).await.map_err(Status::from)?;
        Arc::new(write.blocking(move || edit(current.as_deref())).await?)
    } else {
        let answer = api.hub.modify(&key, edit, write.is_slow()).await;
        let answer =
            answer.map_err(|failure| Status::failed(failure, kind, &write.namespace, &write.name))?;
        Arc::clone(answer.object())
    };
    shown(kind, asked, &write.shown(&document), &wanted)
}

fn read(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<(Write, Change), Status> {
    if asked.verb == "update" {
        let options = WriteOptions::parse(&asked.query, "UpdateOptions", false)?;
        let write = Write::new(api, kind, asked, options, Part::Scale);
        let sent = body::decode(asked.media_type(), &asked.body, &SCALE, &api.kinds())?;
        let scale = write.accept_as(&SCALE, sent)?;
        return Ok((write, Change::Whole(scale)));
    }
    let form = Form::of(asked.media_type(), kind.custom.is_some())?;
    let options = WriteOptions::parse(&asked.query, "PatchOptions", form == Form::Apply)?;
    let write = Write::new(api, kind, asked, options, Part::Scale);
    let change = match form {
        Form::Apply => Change::Apply(body::applied(&asked.body)?.object),
        form => Change::Patch(Patch::parse(form, &asked.body)),
    };
    Ok((write, change))
}

fn changed(write: &Write, object: &Json, change: &Change) -> Result<Json, Status> {
    let to_patch = || -> Result<Value, Status> {
        let mut scale = match &write.kind.custom {
            Some(custom) => custom.scale_to_patch(&Value::Object(object.clone()))?,
            None => builtin::scale(&write.kind, object),
        };
        scale["metadata"]["managedFields"] = owners::of_scale(&write.kind, object);
        Ok(scale)
    };
    match change {
        Change::Whole(scale) => Ok(scale.clone()),
        Change::Patch(patch) => patched(write, &SCALE, &to_patch()?, patch.as_ref().map_err(Status::clone)?),
        Change::Apply(config) => admission::apply_as(write, &SCALE, to_patch()?.as_object(), config),
    }
}
