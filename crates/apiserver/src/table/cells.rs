//! The cells of the built-in kinds, as the real server prints them.

use serde_json::{Value, json};

use super::age::human_duration;
use crate::document::Json;
use crate::kinds::Kind;
use crate::time::Moment;

mod access;
mod autoscaling;
mod cluster;
mod events;
mod network;
mod pods;
mod selector;
mod storage;
mod workloads;

/// The cells of an object, one for each column of its kind.
pub(super) fn of(kind: &Kind, json: &Json, now: Moment) -> Vec<Value> {
    let object = &Object { json, now };
    let printed = match &*kind.group {
        "" => of_core(&kind.plural, object),
        "apps" | "batch" | "policy" => workloads::of(&kind.plural, object),
        "autoscaling" => Some(autoscaling::of(&kind.kind, object)),
        "certificates.k8s.io" | "rbac.authorization.k8s.io" => access::of(&kind.plural, object),
        "events.k8s.io" => Some(events::of(object)),
        "discovery.k8s.io" | "networking.k8s.io" => network::of(&kind.plural, object),
        "storage.k8s.io" => storage::of(&kind.plural, object),
        "coordination.k8s.io" | "node.k8s.io" | "resource.k8s.io" | "scheduling.k8s.io" => {
            cluster::of(&kind.plural, object)
        }
        _ => None,
    };
    printed.unwrap_or_else(|| vec![object.name(), object.text("metadata.creationTimestamp").into()])
}

fn of_core(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    match plural {
        "pods" => Some(pods::of(object)),
        "events" => Some(events::of(object)),
        "podtemplates" | "replicationcontrollers" => workloads::of(plural, object),
        "services" | "endpoints" => network::of(plural, object),
        "persistentvolumes" | "persistentvolumeclaims" => storage::of(plural, object),
        _ => cluster::of(plural, object),
    }
}

/// What a row says besides its cells: whether a pod is done.
pub(super) fn condition(kind: &Kind, json: &Json) -> Option<Value> {
    if &*kind.plural != "pods" || !kind.group.is_empty() {
        return None;
    }
    let message = match json.get("status")?.get("phase")?.as_str()? {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    let phase = &json["status"]["phase"];
    Some(json!({"type": "Completed", "status": "True", "reason": phase, "message": message}))
}

/// An object to be printed, and the time.
struct Object<'a> {
    json: &'a Json,
    now: Moment,
}

impl<'a> Object<'a> {
    /// The value at a path: `spec.type`.
    fn at(&self, path: &str) -> Option<&'a Value> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let value = self.json.get(first)?;
        let mut names = rest.split('.').filter(|name| !name.is_empty());
        names.try_fold(value, |value, name| value.get(name)).filter(|value| !value.is_null())
    }

    fn text(&self, path: &str) -> &'a str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    fn text_or(&self, path: &str, otherwise: &'a str) -> &'a str {
        match self.text(path) {
            "" => otherwise,
            text => text,
        }
    }

    fn number(&self, path: &str) -> i64 {
        self.at(path).and_then(Value::as_i64).unwrap_or(0)
    }

    fn flag(&self, path: &str) -> Option<bool> {
        self.at(path).and_then(Value::as_bool)
    }

    fn list(&self, path: &str) -> &'a [Value] {
        self.at(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn count(&self, path: &str) -> usize {
        self.at(path).map_or(0, size)
    }

    fn name(&self) -> Value {
        self.text("metadata.name").into()
    }

    fn age(&self) -> Value {
        self.since("metadata.creationTimestamp").into()
    }

    fn is_going(&self) -> bool {
        self.at("metadata.deletionTimestamp").is_some()
    }

    /// How long ago the moment at a path was.
    fn since(&self, path: &str) -> String {
        self.ago(self.text(path)).unwrap_or_else(|| "<unknown>".to_owned())
    }

    fn ago(&self, moment: &str) -> Option<String> {
        Moment::parse(moment).map(|moment| human_duration(self.now.since_s(moment)))
    }

    fn annotation(&self, name: &str) -> Option<&'a str> {
        self.at("metadata.annotations")?.get(name)?.as_str()
    }

    /// Names and images of the containers at a path.
    fn containers(&self, path: &str) -> [Value; 2] {
        ["name", "image"].map(|name| {
            let each: Vec<_> = self.list(path).iter().map(|container| text_of(container, name)).collect();
            each.join(",").into()
        })
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number_of(value: &Value, name: &str) -> i64 {
    value.get(name).and_then(Value::as_i64).unwrap_or(0)
}

/// The first few of a list, and how many more there are.
fn some_of<'a>(all: impl IntoIterator<Item = impl Into<std::borrow::Cow<'a, str>>>, most: usize) -> String {
    let all: Vec<std::borrow::Cow<'a, str>> = all.into_iter().map(Into::into).collect();
    let shown = all.get(..most.min(all.len())).unwrap_or_default().join(",");
    if all.len() > most { format!("{shown} + {} more...", all.len() - most) } else { shown }
}

/// A text, or a number as text: a quantity, or what may be a number or a percentage.
fn any_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
