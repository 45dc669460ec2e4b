//! Paths that name no resource: health, discovery, documents, metrics.

use http::header::{CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};

use crate::api::Api;
use crate::negotiate::Wishes;
use crate::query::Query;
use crate::reply::{self, Reply};
use crate::status::Status;
use crate::user::User;
use crate::{discovery, openapi};

/// What needs no permission: whether the server lives. Everything else is asked for by somebody.
pub fn open(api: &Api, parts: &Parts) -> Option<Reply> {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return None;
    }
    let verbose = Query::parse(parts.uri.query().unwrap_or_default());
    let verbose = verbose.optional_flag("verbose").is_some();
    match parts.uri.path().trim_end_matches('/') {
        "/healthz" | "/livez" | "/livez/ping" | "/healthz/ping" => Some(health(true, verbose)),
        "/readyz" | "/readyz/ping" => Some(health(!*api.stopping.borrow(), verbose)),
        _ => None,
    }
}

fn health(well: bool, verbose: bool) -> Reply {
    match (well, verbose) {
        (true, false) => reply::text(StatusCode::OK, "ok"),
        (true, true) => reply::text(StatusCode::OK, "[+]ping ok\n[+]store ok\nhealthz check passed\n"),
        (false, _) => reply::text(StatusCode::INTERNAL_SERVER_ERROR, "[-]shutdown failed: the hub is stopping\n"),
    }
}

/// Everything else that names no resource, to who may see it.
///
/// # Errors
/// If there is nothing.
pub fn guarded(api: &Api, parts: &Parts, query: &Query, _user: &User) -> Result<Reply, Status> {
    let path = parts.uri.path();
    if path == "/metrics" {
        let mut reply = reply::text(StatusCode::OK, api.metrics.text());
        let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
        return Ok(reply);
    }
    let _ = (query, Wishes::of(parts));
    let found = discovery::answer(&api.kinds.load_full(), parts)
        .or_else(|| openapi::answer(&api.kinds.load_full(), parts))
        .or_else(|| api.auth.well_known(path));
    Ok(found.unwrap_or_else(|| reply::text(StatusCode::NOT_FOUND, "404 page not found\n")))
}
