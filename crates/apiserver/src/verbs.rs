//! What can be done with resources.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{Method, StatusCode};

use crate::api::Api;
use crate::auth::quote;
use crate::auth::reviews::Review;
use crate::flow::Pass;
use crate::hub::off_thread;
use crate::kinds::Kind;
use crate::negotiate::{self, Form, Wishes};
use crate::path::{Path, ResourcePath};
use crate::query::Query;
use crate::render::{self, Frames};
use crate::reply::Reply;
use crate::selection::{self, AsOf, ListOptions, Selection};
use crate::service::RequestId;
use crate::status::Status;
use crate::user::User;
use crate::warnings::Warnings;
use crate::{builtin, random, reply};

mod create;
mod delete;
#[cfg(test)]
pub(crate) mod fuzz;
mod judged;
mod list;
mod options;
mod patch;
mod review;
mod scale;
mod subresource;
mod token;
mod update;
mod watch;
mod write;

pub(crate) use list::Listed;
pub(crate) use watch::stopped;
pub(crate) use write::Write;

/// A request for a resource that may be performed.
pub(crate) struct Asked {
    /// What is to be done.
    pub verb: &'static str,
    /// With what.
    pub path: ResourcePath,
    /// How.
    pub query: Query,
    /// By whom.
    pub user: User,
    /// The request itself.
    pub parts: Parts,
    /// What was sent.
    pub body: Bytes,
    /// What the client is told beside the answer.
    pub warnings: Warnings,
    /// The seat that it has; a watch gives it back when it has begun.
    pub pass: Pass,
}

impl Asked {
    fn header(&self, name: http::HeaderName) -> &str {
        self.parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn media_type(&self) -> &str {
        self.header(CONTENT_TYPE)
    }

    /// Who writes, as `managedFields` names a client that does not say.
    fn agent(&self) -> &str {
        let agent = self.header(USER_AGENT);
        let name = agent.split(['/', ' ']).next().unwrap_or_default();
        if name.is_empty() { "unknown" } else { name }
    }

    /// The real server's router knows no HEAD; what serves custom kinds has no router, and takes it for GET.
    fn is_routed(&self, kind: &Kind) -> bool {
        self.parts.method != Method::HEAD || kind.custom.is_some()
    }

    fn wishes(&self) -> Wishes<'_> {
        Wishes::of(&self.parts)
    }
}

/// What a request wants to do; for paths that name no resource, its method.
pub(crate) fn verb(method: &Method, path: &Path, query: &Query) -> &'static str {
    let Path::Resource(path) = path else {
        return match *method {
            Method::GET => "get",
            Method::POST => "post",
            Method::PUT => "put",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            Method::HEAD => "head",
            Method::OPTIONS => "options",
            _ => "",
        };
    };
    if path.watch {
        return "watch";
    }
    match (method, path.name.is_empty()) {
        (&Method::GET | &Method::HEAD, true) if query.flag("watch") => "watch",
        (&Method::GET | &Method::HEAD, true) => "list",
        (&Method::GET | &Method::HEAD, false) => "get",
        (&Method::POST, _) => "create",
        (&Method::PUT, _) => "update",
        (&Method::PATCH, _) => "patch",
        (&Method::DELETE, true) => "deletecollection",
        (&Method::DELETE, false) => "delete",
        _ => "",
    }
}

/// Performs a request.
///
/// # Errors
/// In the words of the API.
pub(crate) async fn perform(api: &Arc<Api>, asked: Asked) -> Result<Reply, Status> {
    let kind = match find(api, &asked) {
        Ok(kind) => kind,
        Err(NotServed::Anything) => return Ok(reply::text(StatusCode::NOT_FOUND, "404 page not found\n")),
        Err(NotServed::Resource) => return Err(Status::no_such_path()),
    };
    let deprecation = match &kind.custom {
        Some(custom) => custom.deprecation(),
        None => builtin::deprecation(&kind),
    };
    if let Some(warning) = deprecation {
        asked.warnings.add(warning);
    }
    if asked.path.subresource.is_empty() {
        perform_on(api, &kind, asked).await
    } else {
        subresource::perform(api, &kind, asked).await
    }
}

/// Performs a request for a resource or an object, and not a part of one.
async fn perform_on(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    check_form(kind, &asked)?;
    match asked.verb {
        "get" => get(api, kind, &asked).await,
        "list" => list(api, kind, &asked).await,
        "watch" => watch(api, kind, asked),
        "create" => match Review::of(&kind.group, &kind.plural) {
            Some(review) => review::answer(api, kind, review, &asked).await,
            None => create::create(api, kind, asked).await,
        },
        "update" => update::update(api, kind, asked).await,
        "patch" => update::patch(api, kind, asked).await,
        "delete" => delete::one(api, kind, &asked).await,
        "deletecollection" => delete::many(api, kind, &asked).await,
        _ => Err(Status::not_allowed()),
    }
}

/// Whether what is asked is asked at a path where it can be.
fn check_form(kind: &Kind, asked: &Asked) -> Result<(), Status> {
    let ResourcePath { namespace, name, in_namespace, watch, .. } = &asked.path;
    let named = !name.is_empty();
    if kind.namespaced && named && !in_namespace {
        return Err(Status::no_such_path());
    }
    // What is only ever asked has no objects with names.
    let has_objects = ["get", "update", "patch", "delete"].iter().any(|verb| kind.allows(verb));
    if named && !has_objects || *watch && !kind.allows("watch") {
        return Err(Status::no_such_path());
    }
    let is_form = match asked.verb {
        "get" | "update" | "patch" | "delete" => named,
        // What serves custom kinds looks at the path, and not at the method.
        "watch" if *watch => kind.custom.is_some() || asked.parts.method == Method::GET,
        "create" | "deletecollection" => !named && (!kind.namespaced || *in_namespace),
        _ => !named,
    };
    if !is_form || !kind.allows(asked.verb) || !asked.is_routed(kind) {
        return Err(Status::not_allowed());
    }
    // Who leaves a namespace empty means all of them, where all of them can be meant.
    let needs_one = kind.namespaced && !matches!(asked.verb, "list" | "watch");
    if needs_one && namespace.is_empty() {
        return Err(Status::bad_request("Namespace parameter required."));
    }
    if matches!(asked.verb, "get" | "delete") {
        check_segment(name)?;
    }
    if asked.verb == "create" && kind.custom.as_ref().is_some_and(|custom| custom.is_going()) {
        return Err(Status::definition_goes(kind));
    }
    Ok(())
}

/// A name that the real server could not tell from a part of a path.
fn check_segment(name: &str) -> Result<(), Status> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ if name.contains('%') => "may not contain '%'".to_owned(),
        _ => return Ok(()),
    };
    Err(Status::bad_request(format!("Name parameter invalid: {}: {why}", quote(name))))
}

enum NotServed {
    /// There is no such group, or it has custom kinds only and this is none of them.
    Anything,
    /// There is no such resource in it, or not there.
    Resource,
}

/// The kind at a path. What has no namespace is not found in one, and the other way round (CVE-2019-11247).
fn find(api: &Api, asked: &Asked) -> Result<Arc<Kind>, NotServed> {
    let (kinds, path) = (api.kinds(), &asked.path);
    match kinds.find(&path.group, &path.version, &path.plural) {
        Some(kind) if kind.custom.is_some() => {
            let everywhere = kind.namespaced && matches!(asked.verb, "list" | "watch");
            let fits = kind.namespaced != path.namespace.is_empty() || everywhere;
            if fits { Ok(Arc::clone(kind)) } else { Err(NotServed::Anything) }
        }
        Some(kind) if kind.namespaced || !path.in_namespace => Ok(Arc::clone(kind)),
        Some(_) => Err(NotServed::Resource),
        None if kinds.all().iter().any(|kind| *kind.group == *path.group && kind.custom.is_none()) => {
            Err(NotServed::Resource)
        }
        None => Err(NotServed::Anything),
    }
}

async fn get(api: &Api, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let version = asked.query.get("resourceVersion");
    if !version.is_empty() {
        let version = selection::version(version).map_err(selection::malformed_version)?;
        list::reach(&api.hub, AsOf::NotOlderThan(version)).await?;
    }
    let key = kind.key(&asked.path.namespace, &asked.path.name);
    let document = api.hub.view().get(&key).cloned();
    let document = document.ok_or_else(|| Status::not_found(kind, &asked.path.name))?;
    render::document(StatusCode::OK, kind, &document, &wanted, &asked.query)
}

async fn list(api: &Api, kind: &Arc<Kind>, asked: &Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::List)?;
    let options = ListOptions::parse(&asked.query, false)?;
    let selection = Selection::parse(kind, &asked.path.namespace, &asked.query)?;
    let listed = list::list(&api.hub, kind, &selection, &options).await?;
    let (kind, query) = (Arc::clone(kind), asked.query.clone());
    // What the columns of a definition cost is its author's choice.
    let is_slow = listed.is_long() || kind.custom.is_some() && matches!(wanted.form, Form::Table(_));
    off_thread(is_slow, move || render::list(&kind, &listed, &wanted, &query)).await
}

fn watch(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Watch)?;
    let options = ListOptions::parse(&asked.query, true)?;
    let selection = Selection::parse(kind, &asked.path.namespace, &asked.query)?.only(&asked.path.name)?;
    let frames = Frames::new(kind, &wanted, &asked.query)?;
    let media = frames.media_type();
    let id = asked.parts.extensions.get::<RequestId>().cloned().unwrap_or_else(RequestId::new);
    let watch = watch::Watch {
        hub: Arc::clone(&api.hub),
        kind: Arc::clone(kind),
        selection,
        frames,
        lasts: watch::lasts(options.timeout_s, random::number()),
        options,
        stopping: api.stopping.subscribe(),
        pass: Some(asked.pass),
        _counted: api.metrics.watcher(),
    };
    Ok(reply::stream(media, watch::start(watch, id, asked.parts.uri.path().to_owned())))
}
