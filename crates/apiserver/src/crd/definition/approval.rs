//! Groups of the Kubernetes community need its approval, or a word that they know better.

use bowline_merge::FieldError;
use serde_json::Value;

use super::printed::quote;
use crate::document::Json;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    Approved,
    Bypassed,
    Invalid,
}

pub(super) fn check(crd: &Json, old: Option<&Json>, errors: &mut Vec<FieldError>) {
    let group =
        crd.get("spec").and_then(|spec| spec.get("group")).and_then(Value::as_str).unwrap_or_default();
    let protected = ["k8s.io", "kubernetes.io"];
    if !protected.iter().any(|name| group == *name || group.ends_with(&format!(".{name}"))) {
        return;
    }
    let (value, state) = approval(crd);
    if old.is_some_and(|old| approval(old).1 == state) {
        return;
    }
    let at = format!("metadata.annotations[{ANNOTATION}]");
    let must = format!("protected groups must have approval annotation {}", quote(ANNOTATION));
    match state {
        State::Approved | State::Bypassed => {}
        State::Missing => errors.push(FieldError::required(at, format!("{must}, {SEE}"))),
        State::Invalid => {
            let why = format!("{must} with either a URL or a reason starting with \"unapproved\", {SEE}");
            errors.push(FieldError::invalid(at, value, why));
        }
    }
}

fn approval(crd: &Json) -> (&str, State) {
    let annotations = crd.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let value = annotations.and_then(|all| all.get(ANNOTATION)).and_then(Value::as_str).unwrap_or_default();
    let state = match value {
        "" => State::Missing,
        _ if value.starts_with("unapproved") => State::Bypassed,
        // A scheme and a host make a URL.
        _ => match value.split_once("://") {
            Some((scheme, rest)) if !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/') => {
                State::Approved
            }
            _ => State::Invalid,
        },
    };
    (value, state)
}
