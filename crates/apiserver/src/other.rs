//! Paths that name no resource: health, discovery, documents, metrics.

use http::StatusCode;
use http::header::HeaderValue;
use http::request::Parts;

use crate::api::Api;
use crate::discovery;
use crate::negotiate::Wishes;
use crate::query::Query;
use crate::reply::{self, Reply};

pub(crate) mod backup;

/// That it lives: it answers.
fn alive(verbose: bool) -> Reply {
    reply::text(
        StatusCode::OK,
        if verbose { "[+]ping ok\n[+]store ok\nhealthz check passed\n" } else { "ok" },
    )
}

/// That it can do its work, and so can its guest. On a full disk it does a part of it: who takes it away then takes the reads too, and
/// there is no other one. So it is ready, and says what it refuses.
fn ready(api: &Api, verbose: bool) -> Reply {
    let failed = |what: &str| reply::text(StatusCode::INTERNAL_SERVER_ERROR, what);
    if *api.stopping.borrow() {
        return failed("[-]shutdown failed: the hub is stopping\n");
    }
    let mut said = match api.hub.refuses() {
        None => "[+]ping ok\n[+]store ok\n".to_owned(),
        Some(why) => format!("[+]ping ok\n[+]store ok, for reads only; the last write was refused: {why}\n"),
    };
    if let Some(guest) = &api.guest {
        match guest.ready() {
            Ok(()) => said += &format!("[+]{} ok\n", guest.name()),
            Err(why) => {
                return failed(&format!("{said}[-]{} failed: {why}\nreadyz check failed\n", guest.name()));
            }
        }
    }
    said += "readyz check passed\n";
    reply::text(StatusCode::OK, if verbose { &said } else { "ok" })
}

/// What a path leads to that names no resource.
pub(crate) fn answer(api: &Api, parts: &Parts) -> Reply {
    let verbose = || Query::parse(parts.uri.query().unwrap_or_default()).optional_flag("verbose").is_some();
    match parts.uri.path() {
        "/healthz" | "/livez" | "/livez/ping" | "/healthz/ping" => alive(verbose()),
        "/readyz" | "/readyz/ping" => ready(api, verbose()),
        "/metrics" => {
            let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            reply::typed(
                StatusCode::OK,
                HeaderValue::from_static(media),
                api.metrics.text(api.hub.refuses().is_some(), api.guest.as_deref()),
            )
        }
        "/.well-known/openid-configuration" => with_get(parts, || {
            reply::json(StatusCode::OK, api.auth.tokens().openid_configuration(&api.address))
        }),
        backup::PATH => with_get(parts, || {
            backup::stream(api)
                .unwrap_or_else(|status| reply::failure(&status, Wishes::of(parts).of_status()))
        }),
        "/openid/v1/jwks" => with_get(parts, || {
            let media = HeaderValue::from_static("application/jwk-set+json");
            reply::typed(StatusCode::OK, media, api.auth.tokens().jwks())
        }),
        _ => {
            let found = api.catalogue.load().answer(parts).unwrap_or_else(discovery::page_not_found);
            found.map(|bytes| reply::Body::Whole(Some(bytes)))
        }
    }
}

fn with_get(parts: &Parts, answer: impl FnOnce() -> Reply) -> Reply {
    match discovery::only_get(parts) {
        Ok(()) => answer(),
        Err(status) => reply::failure(&status, Wishes::of(parts).of_status()),
    }
}
