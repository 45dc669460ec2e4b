//! May somebody do something?

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Context, Review, validation};
use crate::auth::causes::{text, texts};
use crate::auth::rbac::Decision;
use crate::authorize::{Attributes, What};
use crate::document::Json;
use crate::status::Status;
use crate::user::User;

const NAMESPACES_DIFFER: &str =
    "the namespace of the provided object does not match the namespace sent on the request";

pub(super) fn answer(review: Review, context: &Context<'_>, mut body: Json) -> Result<Value, Status> {
    body.retain(|field, _| matches!(field.as_str(), "metadata" | "spec"));
    let mut review_body = Value::Object(body);
    for field in ["metadata", "spec"] {
        if !review_body[field].is_object() {
            review_body[field] = json!({});
        }
    }
    settle_namespace(&mut review_body["metadata"], context.namespace)?;
    tidy(&mut review_body["spec"]);
    validation::check(review, &review_body["metadata"], &review_body["spec"])?;
    let named = match review {
        Review::SelfSubjectAccess => None,
        _ => Some(subject(&review_body["spec"])),
    };
    let user = named.as_ref().unwrap_or(context.user);
    review_body["status"] = decide(context, user, &review_body["spec"]);
    Ok(review_body)
}

/// What has a namespace is in the one of the path; what has none is in none.
fn settle_namespace(metadata: &mut Value, namespace: &str) -> Result<(), Status> {
    let own = text(metadata, "namespace");
    if !own.is_empty() && !namespace.is_empty() && own != namespace {
        return Err(Status::bad_request(NAMESPACES_DIFFER));
    }
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.remove("namespace");
        if !namespace.is_empty() {
            metadata.insert("namespace".into(), namespace.into());
        }
    }
    Ok(())
}

/// Drops what says nothing, as Go does.
fn tidy(spec: &mut Value) {
    let said = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    };
    let Some(spec) = spec.as_object_mut() else { return };
    spec.retain(|_, value| said(value));
    if spec.get("extra").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        spec.remove("extra");
    }
    for attributes in ["resourceAttributes", "nonResourceAttributes"] {
        if let Some(attributes) = spec.get_mut(attributes).and_then(Value::as_object_mut) {
            attributes.retain(|_, value| said(value));
        }
    }
}

fn subject(spec: &Value) -> User {
    let mut extra = BTreeMap::new();
    for (key, _) in spec["extra"].as_object().into_iter().flatten() {
        extra.insert(key.clone(), texts(&spec["extra"], key));
    }
    User {
        name: text(spec, "user").into(),
        uid: text(spec, "uid").into(),
        groups: texts(spec, "groups"),
        extra,
    }
}

fn decide(context: &Context<'_>, user: &User, spec: &Value) -> Value {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let (verb, what) = if resource.is_object() {
        let what = What::Resource {
            group: text(resource, "group"),
            plural: text(resource, "resource"),
            subresource: text(resource, "subresource"),
            namespace: text(resource, "namespace"),
            name: text(resource, "name"),
        };
        (text(resource, "verb"), what)
    } else {
        (text(path, "verb"), What::Path(text(path, "path")))
    };
    let (allowed, reason) = match context.rules.decide(&Attributes { user, verb, what }) {
        Decision::Allowed(why) => (true, why.unwrap_or_default()),
        Decision::NoOpinion(why) => (false, why),
    };
    let mut status = json!({"allowed": allowed});
    if !reason.is_empty() {
        status["reason"] = reason.into();
    }
    status
}
