//! A `TokenRequest`, and its answer.

use std::ops::Deref;
use std::sync::Arc;

use bowline_kernel::{Object as _, View};
use http::StatusCode;
use serde_json::{Value, json};

use super::ISSUER;
use super::claims::{Bound, Claims, Reference};
use super::signing::SigningKey;
use crate::auth::causes::{Causes, not_found, text, texts};
use crate::auth::words;
use crate::document::{Document, Json};
use crate::key::{Key, Resource};
use crate::random;
use crate::status::{Details, Status};
use crate::time::Moment;

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";
const DEFAULT_S: i64 = 3600;
const SHORTEST_S: i64 = 600;
const LONGEST_S: i64 = 1 << 32;

/// Pods ask for this many seconds if nobody says otherwise. They get a year, and a note when it would have been over.
const OF_PODS_S: i64 = 3607;
const YEAR_S: i64 = 365 * 24 * 3600;

/// Fills in what a request does not say, but for whom the token is.
pub(crate) fn default(body: &mut Json) {
    let spec = body.entry("spec").or_insert_with(|| json!({}));
    if let Some(spec) = spec.as_object_mut() {
        let lasts = spec.entry("expirationSeconds").or_insert(Value::Null);
        if lasts.is_null() {
            *lasts = DEFAULT_S.into();
        }
    }
}

pub(super) fn answer(
    key: &SigningKey,
    view: impl Deref<Target = View<Document>>,
    namespace: &str,
    name: &str,
    body: Json,
    now: Moment,
) -> Result<Json, Status> {
    let body = Value::Object(body);
    let metadata = body.get("metadata").unwrap_or(&Value::Null);
    check_names(metadata, namespace, name)?;
    if view.get(&Key::namespace(namespace)).is_none() {
        return Err(not_found("", "namespaces", namespace));
    }
    let uid = Arc::clone(&find(&view, "serviceaccounts", namespace, name)?.meta().uid);
    let asked = text(metadata, "uid");
    if !asked.is_empty() && asked != &*uid {
        let why = format!(
            "the UID in the token request ({asked}) does not match the UID of the service account ({uid})"
        );
        return Err(conflict(GROUP, KIND, name, &why));
    }
    let spec = body.get("spec").unwrap_or(&Value::Null);
    let lasts_s = spec.get("expirationSeconds").and_then(Value::as_i64).unwrap_or(DEFAULT_S);
    check_duration(lasts_s)?;
    let mut audiences = texts(spec, "audiences");
    if audiences.is_empty() {
        audiences.push(ISSUER.into());
    }
    let account = Reference { name: name.into(), uid: uid.to_string() };
    let bound = bind(&view, spec, namespace, account)?;
    drop(view);
    let claims = claims(bound, audiences.clone(), lasts_s, now);
    let token = key.sign(&claims).ok_or_else(|| Status::internal("failed to generate token"))?;
    let mut metadata = metadata.as_object().cloned().unwrap_or_default();
    metadata.insert("name".into(), name.into());
    metadata.insert("namespace".into(), namespace.into());
    metadata.insert("uid".into(), claims.kubernetes.account.uid.into());
    metadata.insert("creationTimestamp".into(), now.to_string().into());
    let bound = spec.get("boundObjectRef").unwrap_or(&Value::Null);
    let expires = Moment::at_unix_s(now.unix_s() + lasts_s).to_string();
    let answer = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": KIND, "metadata": metadata,
        "spec": {"audiences": audiences, "expirationSeconds": lasts_s, "boundObjectRef": bound},
        "status": {"token": token, "expirationTimestamp": expires},
    });
    Ok(answer.as_object().cloned().unwrap_or_default())
}

fn check_names(metadata: &Value, namespace: &str, name: &str) -> Result<(), Status> {
    let (own_namespace, own_name) = (text(metadata, "namespace"), text(metadata, "name"));
    if !own_namespace.is_empty() && own_namespace != namespace {
        let why = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(why));
    }
    let mut causes = Causes::default();
    if !own_name.is_empty() && own_name != name {
        causes.invalid_text("metadata.name", own_name, "must match the service account name if specified");
    }
    causes.check(GROUP, KIND, name)
}

fn check_duration(lasts_s: i64) -> Result<(), Status> {
    let mut causes = Causes::default();
    if lasts_s < SHORTEST_S {
        causes.invalid("spec.expirationSeconds", lasts_s, "may not specify a duration less than 10 minutes");
    }
    if lasts_s > LONGEST_S {
        let why = "may not specify a duration larger than 2^32 seconds";
        causes.invalid("spec.expirationSeconds", lasts_s, why);
    }
    causes.check(GROUP, KIND, "")
}

fn claims(mut bound: Bound, audiences: Vec<String>, lasts_s: i64, now: Moment) -> Claims {
    let now = now.unix_s();
    let ours = audiences.iter().all(|audience| audience == ISSUER);
    let extended = bound.pod.is_some() && lasts_s == OF_PODS_S && ours;
    if extended {
        bound.warn_after = Some(now + lasts_s);
    }
    Claims {
        audiences,
        expires: now + if extended { YEAR_S } else { lasts_s },
        issued: now,
        issuer: ISSUER.into(),
        id: random::uid(),
        subject: format!("system:serviceaccount:{}:{}", bound.namespace, bound.account.name),
        kubernetes: bound,
        not_before: now,
    }
}

/// What the token shall be bound to.
fn bind(view: &View<Document>, spec: &Value, namespace: &str, account: Reference) -> Result<Bound, Status> {
    let mut bound = Bound { namespace: namespace.into(), account, ..Bound::default() };
    let Some(reference) = spec.get("boundObjectRef").filter(|reference| reference.is_object()) else {
        return Ok(bound);
    };
    let (api_version, kind, name) =
        (text(reference, "apiVersion"), text(reference, "kind"), text(reference, "name"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let (plural, home) = match (group, kind) {
        ("", "Pod") => ("pods", namespace),
        ("", "Secret") => ("secrets", namespace),
        ("", "Node") => ("nodes", ""),
        _ => {
            let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(Status::bad_request(why));
        }
    };
    let found = find(view, plural, home, name)?;
    if kind == "Pod" {
        bound.node = node_of_pod(view, found, &bound.account.name)?;
    }
    let uid = found.meta().uid.to_string();
    let asked = text(reference, "uid");
    if !asked.is_empty() && asked != uid {
        let why = format!(
            "the UID in the bound object reference ({asked}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(conflict("", kind, name, &why));
    }
    let reference = Some(Reference { name: name.into(), uid });
    match kind {
        "Pod" => bound.pod = reference,
        "Secret" => bound.secret = reference,
        _ => bound.node = reference,
    }
    Ok(bound)
}

/// The node that the pod runs on, if it is the account's and runs.
fn node_of_pod(view: &View<Document>, pod: &Document, account: &str) -> Result<Option<Reference>, Status> {
    let pod = pod.json();
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    if text(spec, "serviceAccountName") != account {
        return Err(Status::bad_request(format!(
            "cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
            words::quote(account)
        )));
    }
    let name = text(spec, "nodeName");
    let uid =
        find(view, "nodes", "", name).map_or_else(|_| String::new(), |node| node.meta().uid.to_string());
    Ok((!name.is_empty()).then(|| Reference { name: name.into(), uid }))
}

fn find<'a>(
    view: &'a View<Document>,
    plural: &str,
    namespace: &str,
    name: &str,
) -> Result<&'a Document, Status> {
    let found = view.get(&Key::new(Resource::new("", plural), namespace, name));
    found.map(|found| &**found).ok_or_else(|| not_found("", plural, name))
}

fn conflict(group: &str, kind: &str, name: &str, why: &str) -> Status {
    let dot = if group.is_empty() { "" } else { "." };
    let message =
        format!("Operation cannot be fulfilled on {kind}{dot}{group} {}: {why}", words::quote(name));
    let details = Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() };
    Status::failure(StatusCode::CONFLICT, "Conflict", message).of(details)
}
