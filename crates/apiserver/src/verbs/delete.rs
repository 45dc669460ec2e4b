//! Deletions: of one object, and of many.

use std::sync::Arc;

use bowline_kernel::{Answer, Expect, Object, Propagation, Refusal, Request};

use http::StatusCode;
use serde_json::{Value, json};

use super::options::{DeleteOptions, WriteOptions};
use super::write::Write;
use super::{Asked, judged, list};
use crate::api::Api;
use crate::audit::Trail;
use crate::body;
use crate::builtin;
use crate::crd;
use crate::document::{Document, Edit, Json};
use crate::hub::Failure;
use crate::key::NAMESPACES;
use crate::kinds::Kind;
use crate::negotiate;
use crate::part::Part;
use crate::path::ResourcePath;
use crate::policy::Operation;
use crate::query::Query;
use crate::render;
use crate::reply::{self, Reply};
use crate::selection::{ListOptions, Selection};
use crate::status::Status;
use crate::time::Moment;

/// Namespaces that a hub cannot be without.
const KEPT_NAMESPACES: &[&str] = &["default", "kube-system", "kube-public"];

/// What a deletion came to.
#[derive(Debug)]
pub(super) enum Deleted {
    /// The object is gone; this is its last state.
    Gone(Arc<Document>),
    /// The object is being deleted.
    Going(Arc<Document>),
}

/// Deletes an object. If `judged` asked for it, admission policies have a say.
///
/// # Errors
/// If it is not there, not what the caller believes, or a policy stands against it.
pub(super) async fn delete(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    namespace: &str,
    name: &str,
    options: &DeleteOptions,
    judged: Option<&Asked>,
) -> Result<Deleted, Status> {
    if kind.resource == *NAMESPACES && KEPT_NAMESPACES.contains(&name) {
        return Err(Status::forbidden(kind, name, "this namespace may not be deleted"));
    }
    if options.dry_run {
        // Options come in the body, too.
        Trail::only_tries();
    }
    let key = kind.key(namespace, name);
    loop {
        let (Some(current), era) = api.hub.look(&key) else {
            // Whether it is gone is said when that is durable.
            match api.hub.settled(&key).await.map_err(Status::from)? {
                None => return Err(Status::not_found(kind, name)),
                Some(_) => continue,
            }
        };
        if let Some(why) = unmet(&current, options) {
            // That is said when what it rests on is durable; if that was taken back, it is looked at again.
            match api.hub.settle_in(era).await.map_err(Status::from)? {
                true => return Err(conflict(kind, name, &why)),
                false => continue,
            }
        }
        if let Some(asked) = judged {
            judged::deletion(api, kind, asked, options, &current).await?;
        }
        let request = request(kind, &current, options);
        let outcome = if options.dry_run {
            api.hub.foresee(request).await
        } else {
            match api.hub.perform_in(era, request).await {
                Ok(None) => continue,
                Ok(Some(answer)) => Ok(answer),
                Err(failure) => Err(failure),
            }
        };
        // What was only tried stays at the version that it has.
        let shown = |document: &Arc<Document>| match options.dry_run {
            true => Arc::new(document.at(current.meta().version)),
            false => Arc::clone(document),
        };
        match outcome {
            // How it is deleted was decided by what it was, and so whether: decide again.
            Err(Failure::Refused(Refusal::Stale { .. } | Refusal::Another { .. })) => {}
            Ok(Answer::Removed(last)) => return Ok(Deleted::Gone(shown(&last))),
            Ok(answer) => return Ok(Deleted::Going(shown(answer.object()))),
            Err(failure) => return Err(Status::failed(failure, kind, namespace, name)),
        }
    }
}

/// The deletion of an object as it is now.
fn request(kind: &Kind, current: &Document, options: &DeleteOptions) -> Request<Document> {
    let propagation = options.propagation.or_else(|| {
        if holds(current) || kind.resource == crd::definitions() {
            None
        } else {
            builtin::default_propagation(kind).or(Some(Propagation::Background))
        }
    });
    let grace_s = builtin::grace_s(current, options.grace_s);
    Request::Delete {
        key: current.key().clone(),
        expect: Expect { version: Some(current.meta().version), uid: options.uid.as_deref().map(Into::into) },
        propagation,
        grace_s,
        at: Moment::now().plus_s(grace_s),
    }
}

/// Whether the object itself says what becomes of what it owns.
fn holds(document: &Document) -> bool {
    use bowline_kernel::Finalizer::{Foreground, Orphan};
    let meta = document.meta();
    meta.has(&Foreground) || meta.has(&Orphan)
}

/// What the caller believes of an object, and is not so. Versions are compared as they are written: what is none fits
/// nothing.
fn unmet(current: &Document, options: &DeleteOptions) -> Option<String> {
    let (uid, version) = (&*current.meta().uid, current.meta().version.to_string());
    if let Some(expected) = options.uid.as_deref().filter(|expected| *expected != uid) {
        return Some(format!(
            "the UID in the precondition ({expected}) does not match the UID in record ({uid}). The object might \
             have been deleted and then recreated"
        ));
    }
    let expected = options.version.as_deref().filter(|expected| *expected != version)?;
    Some(format!(
        "the ResourceVersion in the precondition ({expected}) does not match the ResourceVersion in record \
         ({version}). The object might have been modified"
    ))
}

/// Deletions word what does not fit in their own way.
fn conflict(kind: &Kind, name: &str, why: &str) -> Status {
    let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind.qualified_kind());
    let mut status = Status::conflict(kind, name, "").with_message(message);
    if let Some(details) = &mut status.details {
        details.kind = kind.kind.to_string();
    }
    status
}

/// Deletes the object that the path names.
///
/// # Errors
/// In the words of the API.
pub(super) async fn one(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = options(kind, asked)?;
    let ResourcePath { namespace, name, .. } = &asked.path;
    match delete(api, kind, namespace, name, &options, Some(asked)).await? {
        Deleted::Gone(document) if !builtin::shows_deleted(kind) => Ok(gone(kind, &document)),
        Deleted::Gone(document) | Deleted::Going(document) => {
            render::document(StatusCode::OK, kind, &document, &wanted, &asked.query)
        }
    }
}

fn gone(kind: &Kind, document: &Document) -> Reply {
    let mut details = json!({
        "name": &*document.key().name,
        "kind": &*kind.plural,
        "uid": &*document.meta().uid,
    });
    if !kind.group.is_empty() {
        details["group"] = json!(&*kind.group);
    }
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
    });
    reply::json(StatusCode::OK, status.to_string())
}

fn options(kind: &Kind, asked: &Asked) -> Result<DeleteOptions, Status> {
    let body = if asked.body.is_empty() { None } else { Some(body::any(asked.media_type(), &asked.body)?) };
    if let Some(body) = &body {
        check_type(body)?;
    }
    let options = DeleteOptions::parse(&asked.query, body.as_ref())?;
    if let Some(warning) = builtin::unsaid_propagation(kind).filter(|_| options.propagation.is_none()) {
        asked.warnings.add(warning);
    }
    Ok(options)
}

/// Options call themselves so, or do not say what they are.
fn check_type(body: &Json) -> Result<(), Status> {
    let text = |name| body.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if matches!(kind, "" | "DeleteOptions") {
        return Ok(());
    }
    let message = format!(
        "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/runtime/scheme.go:110\""
    );
    Err(Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message))
}

/// Deletes all objects that are selected, and says which they were.
///
/// # Errors
/// In the words of the API.
pub(super) async fn many(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::List)?;
    let options = options(kind, asked)?;
    let list_options = ListOptions::parse(&asked.query, false)?;
    let selection = Selection::parse(kind, &asked.path.namespace, &asked.query)?;
    let listed = list::list(&api.hub, kind, &selection, &list_options).await?;
    for document in &listed.documents {
        let key = document.key();
        let expect = DeleteOptions { uid: Some(document.meta().uid.to_string()), ..options.clone() };
        match delete(api, kind, &key.namespace, &key.name, &expect, Some(asked)).await {
            Ok(_) => {}
            // Somebody was faster.
            Err(status) if matches!(status.reason, "NotFound" | "Conflict") => {}
            Err(status) => return Err(status),
        }
    }
    render::list(kind, &listed, &wanted, &asked.query)
}

/// Deletes a pod on behalf of somebody who needs its node.
///
/// # Errors
/// In the words of the API.
pub(super) async fn evict(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let ResourcePath { namespace, name, .. } = &asked.path;
    // What it says of a dry run is read below, beside what the eviction says of it.
    WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let eviction = body::any(asked.media_type(), &asked.body)?;
    builtin::check_eviction(&eviction, namespace, name)?;
    let mut options = eviction_options(&eviction, &asked.query)?;
    let write_options = WriteOptions { dry_run: options.dry_run, ..WriteOptions::default() };
    let write = Arc::new(Write::new(api, kind, asked, write_options, Part::Other("eviction")));
    let judging = Arc::clone(&write);
    let evictions = ("policy", "v1", "Eviction");
    write
        .blocking(move || {
            judging.judge_as(Some(evictions), Operation::Create, &judging.name, &eviction, None)
        })
        .await?;
    if !options.dry_run {
        let noted = note_eviction(api, kind, asked, options.clone()).await?;
        // It is this write that has changed it since.
        options.version = options.version.map(|_| noted.meta().version.to_string());
    }
    delete(api, kind, namespace, name, &options, None).await?;
    let success =
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
    Ok(reply::json(StatusCode::CREATED, success.to_string()))
}

/// How a pod is deleted that is evicted: as the eviction says; that it is only tried may also stand in the query.
fn eviction_options(eviction: &Json, query: &Query) -> Result<DeleteOptions, Status> {
    let mut options = eviction.get("deleteOptions").and_then(Value::as_object).cloned().unwrap_or_default();
    let asked: Vec<&str> = query.all("dryRun").collect();
    let said: Vec<&str> = options
        .get("dryRun")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if !asked.is_empty() && !said.is_empty() && asked != said {
        let (asked, said) = (asked.join(" "), said.join(" "));
        let message = format!("Non-matching dry-run options in request and content: [{asked}] and [{said}]");
        return Err(Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message));
    }
    if said.is_empty() {
        options.insert("dryRun".into(), json!(asked));
    }
    DeleteOptions::parse(&Query::parse(""), Some(&options))
}

/// The pod says why it goes, for who sees it last.
async fn note_eviction(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    asked: &Asked,
    options: DeleteOptions,
) -> Result<Arc<Document>, Status> {
    let key = kind.key(&asked.path.namespace, &asked.path.name);
    let write = Write { part: Part::Status, ..Write::by_server(api, Arc::clone(kind), &key) };
    let edit: Edit = Arc::new(move |current| {
        let current = current.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
        if let Some(why) = unmet(current, &options) {
            return Err(conflict(&write.kind, &write.name, &why));
        }
        let mut pod = write.shown(current);
        builtin::evict(&mut pod, write.now);
        // Nobody comes to own what the server notes by itself.
        write.updated(pod, current, true)
    });
    let noted = api.hub.modify(&key, edit, false).await;
    let noted = noted.map_err(|failure| Status::failed(failure, kind, &key.namespace, &key.name))?;
    Ok(Arc::clone(noted.object()))
}
