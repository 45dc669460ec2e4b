//! A server of a cluster that answers as a test says.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_runtime::Mandate;
use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::kinds::Kinds;
use super::marks::Actor;
use super::names::StackName;
use super::request::Way;

/// What was asked.
pub(crate) struct Heard {
    /// As in `GET /api/v1/namespaces`.
    pub(crate) what: String,
    pub(crate) query: String,
}

/// A server, and what it was asked.
pub(crate) struct Fake {
    pub(crate) client: Client,
    mandate: Mandate,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// One that answers everything like this.
    pub(crate) fn new(answer: impl Fn(&Heard) -> (u16, Value) + Send + Sync + 'static) -> Fake {
        let (heard, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let log = Arc::clone(&heard);
        let serve = move |request: Request<Body>| {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            async move {
                let (parts, _) = request.into_parts();
                let asked = Heard {
                    what: format!("{} {}", parts.method, parts.uri.path()),
                    query: parts.uri.query().unwrap_or_default().to_owned(),
                };
                log.lock().unwrap_or_else(PoisonError::into_inner).push(asked.what.clone());
                let (code, said) = answer(&asked);
                let mut response = Response::new(Body::from(said.to_string().into_bytes()));
                *response.status_mut() = StatusCode::from_u16(code).expect("a code");
                Ok::<_, Infallible>(response)
            }
        };
        let client = Client::new(tower::service_fn(serve), "default");
        Fake { client, mandate: Mandate::always(), heard }
    }

    /// One that nobody can reach.
    pub(crate) fn silent() -> Fake {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&heard);
        let serve = move |request: Request<Body>| {
            log.lock().unwrap_or_else(PoisonError::into_inner).push(request.uri().path().to_owned());
            let gone = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            std::future::ready(Err::<Response<Body>, _>(gone))
        };
        let client = Client::new(tower::service_fn(serve), "default");
        Fake { client, mandate: Mandate::always(), heard }
    }

    /// The way to it, for one who needs no lease.
    pub(crate) fn way(&self) -> Way<'_> {
        Way { client: &self.client, mandate: &self.mandate }
    }

    /// What it was asked, in the order in which it was.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Kinds that a server has: group and version, kind and plural, and what can be done to them.
pub(crate) type Has<'a> = (&'a str, &'a str, &'a str, bool, &'a [&'a str]);

/// All that can be done to objects.
pub(crate) const ALL: &[&str] = &["get", "list", "create", "delete"];

/// What a server answers that is asked for its kinds: `None` if it was asked for something else.
pub(crate) fn discovered(asked: &Heard, has: &[Has<'_>]) -> Option<(u16, Value)> {
    let core = match asked.what.as_str() {
        "GET /api" => true,
        "GET /apis" => false,
        _ => return None,
    };
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
    for (api_version, kind, plural, is_namespaced, verbs) in has {
        if api_version.contains('/') == core {
            continue;
        }
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = json!({
            "resource": plural, "scope": if *is_namespaced { "Namespaced" } else { "Cluster" }, "verbs": verbs,
            "responseKind": { "group": group, "version": version, "kind": kind },
        });
        groups.entry(group).or_default().entry(version).or_default().push(resource);
    }
    let items = groups.iter().map(|(group, versions)| {
        let versions = versions.iter().map(|(version, all)| json!({ "version": version, "resources": all }));
        json!({ "metadata": { "name": group }, "versions": versions.collect::<Vec<_>>() })
    });
    Some((200, json!({ "items": items.collect::<Vec<_>>() })))
}

/// The kinds of a server that has these.
pub(crate) async fn kinds(has: &'static [Has<'static>]) -> Kinds {
    let server = Fake::new(|asked| discovered(asked, has).unwrap_or((404, Value::Null)));
    Kinds::of(&server.client).await.expect("kinds")
}

/// The stack `a/shop` in its third attempt.
pub(crate) fn actor() -> Actor {
    let stack = StackName { namespace: "a".into(), name: "shop".into() };
    Actor { stack, uid: "1".into(), attempt: 3 }
}

/// What a server says of what it has not.
pub(crate) fn missing() -> (u16, Value) {
    (
        404,
        json!({ "kind": "Status", "status": "Failure", "message": "no", "reason": "NotFound", "code": 404 }),
    )
}
