//! Parts of objects that have a path of their own, and what can be done with them.

use std::sync::Arc;

use http::StatusCode;

use super::options::WriteOptions;
use super::write::Write;
use super::{Asked, get, scale, update};
use crate::api::Api;
use crate::auth::tokens;
use crate::builtin;
use crate::document::Edit;
use crate::kinds::Kind;
use crate::part::Part;
use crate::policy::Operation;
use crate::reply::{self, Reply};
use crate::status::Status;
use crate::{admission, body, render};

/// Performs a request for a subresource.
///
/// # Errors
/// In the words of the API.
pub(super) async fn perform(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    if asked.path.watch || (kind.namespaced && !asked.path.in_namespace) {
        return Err(Status::no_such_path());
    }
    if kind.namespaced && asked.path.namespace.is_empty() {
        return Err(Status::bad_request("Namespace parameter required."));
    }
    let name = asked.path.subresource.clone();
    let subresource = kind.subresource(&name).ok_or_else(|| match &kind.custom {
        Some(_) => Status::not_found(kind, &asked.path.name),
        None => Status::no_such_path(),
    })?;
    let is_verb = subresource.verbs.iter().any(|verb| **verb == *asked.verb);
    // What is behind a proxy has paths of its own.
    let is_path = asked.path.rest.is_empty() || name == "proxy";
    if !is_verb || !is_path || !asked.is_routed(kind) {
        return Err(Status::not_allowed());
    }
    let part = match name.as_str() {
        "status" => Some(Part::Status),
        "finalize" => Some(Part::Finalize),
        "ephemeralcontainers" => Some(Part::EphemeralContainers),
        "resize" => Some(Part::Resize),
        "approval" => Some(Part::Approval),
        _ => None,
    };
    if let Some(part) = part {
        return match asked.verb {
            "get" => get(api, kind, &asked).await,
            "update" => update::update_part(api, kind, asked, part).await,
            "patch" => update::patch_part(api, kind, asked, part).await,
            _ => Err(Status::not_allowed()),
        };
    }
    match (name.as_str(), asked.verb) {
        ("scale", "get") => scale::get(api, kind, &asked),
        ("scale", "update" | "patch") => scale::set(api, kind, &asked).await,
        ("token", "create") => token(api, kind, &asked).await,
        ("binding", "create") => bind(api, kind, &asked).await,
        ("eviction", "create") => super::delete::evict(api, kind, &asked).await,
        _ => Err(no_machine(kind, &name)),
    }
}

/// Nothing runs here: there is nobody to ask for logs, and nothing to attach to.
fn no_machine(kind: &Kind, name: &str) -> Status {
    let message = format!("{}/{name} is served by nodes, and a hub has none", kind.qualified());
    Status::failure(StatusCode::NOT_IMPLEMENTED, "NotImplemented", message)
}

async fn token(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form_of_unkept()?;
    let taken = Arc::new(kind.taken_by("token").ok_or_else(Status::no_such_path)?);
    let options = WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let write = Write::new(api, &taken, asked, options, Part::Other("token"));
    let sent = body::decode(asked.media_type(), &asked.body, &taken, &api.kinds())?;
    let mut request = write.accept(sent)?;
    tokens::default(&mut request);
    admission::track(&write, None, &mut request);
    let write = Arc::new(write);
    let judging = Arc::clone(&write);
    let judged = request.clone();
    let requests = ("authentication.k8s.io", "v1", "TokenRequest");
    write
        .blocking(move || judging.judge_as(Some(requests), Operation::Create, &judging.name, &judged, None))
        .await?;
    // The account may have been written a moment ago.
    api.hub.settle().await.map_err(Status::from)?;
    let path = &asked.path;
    let token = api.auth.tokens().request(api.hub.view(), &path.namespace, &path.name, request, write.now)?;
    render::object(StatusCode::CREATED, &taken, token, &wanted)
}

/// A pod is given a node.
async fn bind(api: &Arc<Api>, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let binding = body::any(asked.media_type(), &asked.body)?;
    let options = WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let write = Arc::new(Write::new(api, kind, asked, options, Part::Binding));
    let edit: Edit = Arc::new({
        let write = Arc::clone(&write);
        move |document| {
            let document = document.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
            write.judge_as(Some(("", "v1", "Binding")), Operation::Create, &write.name, &binding, None)?;
            let mut object = write.shown(document);
            builtin::bind(&mut object, &binding, write.now)?;
            write.updated(object, document, false)
        }
    });
    if write.options.dry_run {
        let current = api.hub.settled(&write.key()).await.map_err(Status::from)?;
        write.blocking(move || edit(current.as_deref())).await?;
    } else {
        let done = api.hub.modify(&write.key(), edit, write.is_slow()).await;
        done.map_err(|failure| Status::failed(failure, kind, &write.namespace, &write.name))?;
    }
    let success = serde_json::json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
    Ok(reply::json(StatusCode::CREATED, success.to_string()))
}
