//! What is served, for clients to find: discovery, the version, the index of paths, and OpenAPI.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::{Method, Response, StatusCode, header, request};
use serde_json::{Value, json};

use crate::kinds::Kinds;
use crate::negotiate::{self, Encoding, WRITTEN, Wanted, Wishes};
use crate::openapi;
use crate::status::Status;

mod aggregated;
mod groups;
mod index;
mod legacy;
pub(crate) mod priority;

/// What clients can find out about the kinds at a moment. When the kinds change, there is a new one.
///
/// Nothing is computed before it is asked for.
#[derive(Debug)]
pub(crate) struct Catalogue {
    kinds: Arc<Kinds>,
    /// Where clients reach the server: `127.0.0.1:6443`.
    address: Box<str>,
    core: OnceLock<Tagged>,
    named: OnceLock<Tagged>,
    openapi: openapi::Documents,
}

/// A document and its hash.
#[derive(Clone, Debug)]
pub(crate) struct Tagged {
    pub(crate) body: Bytes,
    pub(crate) hash: String,
}

impl Tagged {
    pub(crate) fn new(document: &Value) -> Tagged {
        let body = document.to_string();
        Tagged { hash: sha512(&[body.as_bytes()]), body: body.into() }
    }
}

impl Catalogue {
    /// The catalogue of these kinds, on a server that is reached at `address`.
    pub(crate) fn new(kinds: Arc<Kinds>, address: &str) -> Catalogue {
        Catalogue {
            kinds,
            address: address.into(),
            core: OnceLock::new(),
            named: OnceLock::new(),
            openapi: openapi::Documents::default(),
        }
    }

    /// The kinds that it lists.
    pub(crate) fn kinds(&self) -> &Arc<Kinds> {
        &self.kinds
    }

    /// The answer to a request for discovery, the version, the index or OpenAPI; `None` for any other path.
    pub(crate) fn answer(&self, request: &request::Parts) -> Option<Response<Bytes>> {
        let path = request.uri.path();
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let answer = match parts.as_slice() {
            [""] | ["index.html"] => Ok(json_answer(negotiate::indented(&index::paths(&self.kinds)).into())),
            ["version"] => only_get(request).and_then(|()| {
                Wishes::of(request).route(&["application/json"])?;
                Ok(json_answer(negotiate::indented(index::version().to_string().as_bytes()).into()))
            }),
            ["api"] => only_get(request).and_then(|()| self.groups(request, true)),
            ["apis"] => self.groups(request, false),
            ["api", version] => self.resources(request, "", version)?,
            ["apis", group] => self.group(request, group)?,
            ["apis", group, version] => self.resources(request, group, version)?,
            ["openapi", "v2"] => Ok(self.openapi.v2(&self.kinds, request)),
            ["openapi", "v3", rest @ ..] => Ok(self.openapi.v3(&self.kinds, request, rest)),
            _ => return None,
        };
        Some(answer.unwrap_or_else(|status| refusal(&status, request)))
    }

    fn groups(&self, request: &request::Parts, is_core: bool) -> Result<Response<Bytes>, Status> {
        let wishes = Wishes::of(request);
        if let Some(wanted) = wishes.named("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList") {
            let cell = if is_core { &self.core } else { &self.named };
            let document = cell.get_or_init(|| Tagged::new(&aggregated::list(&self.kinds, is_core)));
            return Ok(aggregated_answer(document, wanted, request));
        }
        let document =
            if is_core { legacy::versions(&self.kinds, &self.address) } else { legacy::groups(&self.kinds) };
        plain(request, &document)
    }

    fn group(&self, request: &request::Parts, name: &str) -> Option<Result<Response<Bytes>, Status>> {
        let document = legacy::group(&self.kinds, name)?;
        Some(plain(request, &document))
    }

    /// `None` for a group that is not there; a version that is not there is another thing if the group is built in.
    fn resources(
        &self,
        request: &request::Parts,
        group: &str,
        version: &str,
    ) -> Option<Result<Response<Bytes>, Status>> {
        let of_group: Vec<_> = self.kinds.all().iter().filter(|kind| &*kind.group == group).collect();
        let is_built_in = of_group.iter().any(|kind| kind.custom.is_none());
        if !of_group.iter().any(|kind| &*kind.version == version) {
            return is_built_in.then(|| Err(Status::no_such_path()));
        }
        let routed = || {
            only_get(request)?;
            Wishes::of(request).route(WRITTEN)
        };
        let routed = if is_built_in { routed() } else { Ok(()) };
        Some(routed.and_then(|()| plain(request, &legacy::resources(&self.kinds, group, version))))
    }
}

/// What the real server says of a path that it knows nothing of.
pub(crate) fn page_not_found() -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(b"404 page not found\n"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache, private"));
    response
}

/// The real server's router knows this path with GET only, not even with HEAD.
pub(crate) fn only_get(request: &request::Parts) -> Result<(), Status> {
    if request.method == Method::GET { Ok(()) } else { Err(Status::not_allowed()) }
}

fn plain(request: &request::Parts, document: &Value) -> Result<Response<Bytes>, Status> {
    let wanted = Wishes::of(request).plain().ok_or_else(|| negotiate::not_acceptable(WRITTEN))?;
    let body = negotiate::encode(document.to_string().into(), wanted);
    Ok(response(StatusCode::OK, &[(header::CONTENT_TYPE, wanted.encoding.media_type())], body))
}

fn json_answer(body: Bytes) -> Response<Bytes> {
    response(StatusCode::OK, &[(header::CONTENT_TYPE, "application/json")], body)
}

fn refusal(status: &Status, request: &request::Parts) -> Response<Bytes> {
    let wanted = Wishes::of(request).of_status();
    let body = negotiate::encode(json!(status).to_string().into(), wanted);
    response(status.code(), &[(header::CONTENT_TYPE, wanted.encoding.media_type())], body)
}

fn aggregated_answer(document: &Tagged, wanted: Wanted, request: &request::Parts) -> Response<Bytes> {
    let tag = format!("\"{}\"", document.hash);
    let shared = [(header::CACHE_CONTROL, "public"), (header::VARY, "Accept"), (header::ETAG, &*tag)];
    if request.headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return response(StatusCode::NOT_MODIFIED, &shared, Bytes::new());
    }
    let media_type = match wanted.encoding {
        Encoding::Json => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        Encoding::Yaml => "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    };
    let body = negotiate::encode(document.body.clone(), wanted);
    let [cache, vary, tag] = shared;
    response(StatusCode::OK, &[(header::CONTENT_TYPE, media_type), cache, vary, tag], body)
}

/// An answer with these headers, not to be cached unless they say otherwise.
pub(crate) fn response(
    status: StatusCode,
    headers: &[(header::HeaderName, &str)],
    body: Bytes,
) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let cache = [(header::CACHE_CONTROL, "no-cache, private")];
    for (name, value) in cache.iter().chain(headers) {
        if let Ok(value) = header::HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// The hash by which clients tell whether a document is the one that they have.
pub(crate) fn sha512(parts: &[&[u8]]) -> String {
    let mut context = ring::digest::Context::new(&ring::digest::SHA512);
    for part in parts {
        context.update(part);
        // So that no two lists of parts run into one.
        context.update(&[0]);
    }
    context.finish().as_ref().iter().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
pub(crate) mod tests;
