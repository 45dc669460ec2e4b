//! OpenAPI, versions 3 and 2: what clients explain and validate objects by.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Response, StatusCode, header, request};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde_json::json;

use crate::discovery::{response, sha512};
use crate::kinds::{Kind, Kinds};

mod custom;
mod operations;
mod parameters;
mod protobuf;
mod schema;
mod v2;
mod v3;

/// Changes when the documents do, for the same kinds: clients keep them by hash.
const FORM: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

/// The documents of some kinds. They are large and asked for once by each client: only their hashes are kept.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    hashes: std::sync::OnceLock<BTreeMap<String, String>>,
}

impl Documents {
    /// Answers `/openapi/v3`, and `/openapi/v3/apis/apps/v1`.
    pub(crate) fn v3(&self, kinds: &Kinds, request: &request::Parts, path: &[&str]) -> Response<Bytes> {
        let hashes = self.hashes.get_or_init(|| hashes(kinds));
        if path.is_empty() && !request.uri.path().ends_with('/') {
            let paths: serde_json::Map<_, _> = hashes
                .iter()
                .map(|(path, hash)| (path.clone(), json!({"serverRelativeURL": url(path, hash)})))
                .collect();
            let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
            return response(StatusCode::OK, &headers, json!({"paths": paths}).to_string().into());
        }
        let path = path.join("/");
        let Some(hash) = hashes.get(&path) else {
            return response(StatusCode::NOT_FOUND, &[], Bytes::new());
        };
        if !accepts(request, &["application/json"]) {
            return response(StatusCode::NOT_ACCEPTABLE, &[(header::VARY, "Accept")], Bytes::new());
        }
        let asked =
            request.uri.query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("hash="));
        let asked = asked.filter(|asked| !asked.is_empty());
        let tag = format!("\"{hash}\"");
        let shared =
            [(header::CONTENT_TYPE, "application/json"), (header::VARY, "Accept"), (header::ETAG, &*tag)];
        if asked.is_some_and(|asked| asked != hash) {
            let [kind, vary, tag] = shared;
            let location = url(&path, hash);
            let headers = [kind, vary, tag, (header::LOCATION, &*location)];
            return response(StatusCode::MOVED_PERMANENTLY, &headers, Bytes::new());
        }
        let expires = in_a_year();
        let mut headers = shared.to_vec();
        if asked.is_some() {
            headers.push((header::CACHE_CONTROL, "public, immutable"));
            headers.push((header::EXPIRES, &expires));
        }
        tagged(request, headers, &tag, || v3::document(kinds, &path))
    }

    /// Answers `/openapi/v2`, for kubectl before 1.29.
    pub(crate) fn v2(&self, kinds: &Kinds, request: &request::Parts) -> Response<Bytes> {
        const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
        let hashes = self.hashes.get_or_init(|| hashes(kinds));
        let parts: Vec<&[u8]> = hashes.values().map(String::as_bytes).collect();
        let tag = format!("\"{}\"", sha512(&parts));
        let mut headers = vec![(header::VARY, "Accept"), (header::ETAG, &*tag)];
        if accepts(request, &["application/json"]) {
            headers.push((header::CONTENT_TYPE, "application/json"));
            return tagged(request, headers, &tag, || v2::json(kinds));
        }
        if accepts(request, &[PROTOBUF]) {
            // The real server does not write the @ either.
            headers
                .push((header::CONTENT_TYPE, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"));
            return tagged(request, headers, &tag, || v2::protobuf(kinds));
        }
        response(StatusCode::NOT_ACCEPTABLE, &[(header::VARY, "Accept")], Bytes::new())
    }
}

/// The document, unless the client has it.
fn tagged(
    request: &request::Parts,
    mut headers: Vec<(header::HeaderName, &str)>,
    tag: &str,
    document: impl FnOnce() -> Vec<u8>,
) -> Response<Bytes> {
    let known = request.headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        headers.retain(|(name, _)| *name != header::CONTENT_TYPE);
        return response(StatusCode::NOT_MODIFIED, &headers, Bytes::new());
    }
    response(StatusCode::OK, &headers, document().into())
}

/// Whether one of these is accepted; what comes first in the header does not matter, as there is no choice.
fn accepts(request: &request::Parts, types: &[&str]) -> bool {
    let accept = request.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let accept = accept.filter(|accept| !accept.is_empty()).unwrap_or("*/*");
    accept.split(',').any(|part| {
        let part = part.split(';').next().unwrap_or_default().trim();
        let json = types.contains(&"application/json");
        types.contains(&part) || (json && matches!(part, "*/*" | "application/*"))
    })
}

fn url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

fn in_a_year() -> String {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let then = now.checked_add(1.year()).unwrap_or(now);
    then.strftime("%a, %d %b %Y %H:%M:%S UTC").to_string()
}

/// `apis/apps/v1`, or `api/v1` for the core kinds.
fn path_of(kind: &Kind) -> String {
    if kind.group.is_empty() {
        format!("api/{}", kind.version)
    } else {
        format!("apis/{}/{}", kind.group, kind.version)
    }
}

/// By path, the hash of all that goes into the document.
fn hashes(kinds: &Kinds) -> BTreeMap<String, String> {
    let mut parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for kind in kinds.all() {
        let parts = parts.entry(path_of(kind)).or_insert_with(|| vec![FORM.to_owned()]);
        parts.push(format!("{}/{}/{}", kind.kind, kind.list_kind, kind.plural));
        if let Some(custom) = &kind.custom {
            parts.push(format!("{}{}", kind.namespaced, custom.declared()));
        }
    }
    let hash = |(path, parts): (String, Vec<String>)| {
        let parts: Vec<&[u8]> =
            [path.as_bytes()].into_iter().chain(parts.iter().map(String::as_bytes)).collect();
        let hash = sha512(&parts);
        (path, hash)
    };
    parts.into_iter().map(hash).collect()
}

#[cfg(test)]
mod tests;
