//! Paths that name no resource: health, discovery, documents, metrics.

use http::header::HeaderValue;
use http::request::Parts;
use http::{Method, StatusCode};

use crate::api::Api;
use crate::discovery;
use crate::query::Query;
use crate::reply::{self, Reply};

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
        (false, _) => {
            reply::text(StatusCode::INTERNAL_SERVER_ERROR, "[-]shutdown failed: the hub is stopping\n")
        }
    }
}

/// Everything else that names no resource, to who may see it.
pub fn guarded(api: &Api, parts: &Parts) -> Reply {
    match parts.uri.path() {
        "/metrics" => {
            let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            reply::typed(StatusCode::OK, HeaderValue::from_static(media), api.metrics.text())
        }
        "/.well-known/openid-configuration" => {
            reply::json(StatusCode::OK, api.auth.tokens().openid_configuration(&api.address))
        }
        "/openid/v1/jwks" => {
            let media = HeaderValue::from_static("application/jwk-set+json");
            reply::typed(StatusCode::OK, media, api.auth.tokens().jwks())
        }
        _ => {
            let found = api.catalogue.load().answer(parts).unwrap_or_else(discovery::page_not_found);
            found.map(|bytes| reply::Body::Whole(Some(bytes)))
        }
    }
}
