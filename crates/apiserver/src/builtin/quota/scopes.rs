//! Which objects a quota is about: some are about some pods or claims only.

use super::Usage;
use crate::builtin::fields::{at, list, maybe_object, number, object, objects, text, texts};
use crate::builtin::prepare::quality;
use crate::document::Json;
use crate::key::PODS;

/// One condition.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Scope {
    name: String,
    operator: String,
    values: Vec<String>,
}

impl Scope {
    /// One that is only named.
    pub(super) fn named(name: &str) -> Scope {
        Scope { name: name.to_owned(), operator: "Exists".to_owned(), values: Vec::new() }
    }

    /// One of a selector.
    pub(super) fn selected(expression: &Json) -> Scope {
        Scope {
            name: text(expression, "scopeName").to_owned(),
            operator: text(expression, "operator").to_owned(),
            values: texts(expression, "values").map(str::to_owned).collect(),
        }
    }

    /// Whether an object is one of them. What is neither a pod nor a claim never is.
    pub(super) fn has(&self, usage: &Usage) -> bool {
        let Some(json) = &usage.json else { return false };
        let spec = object(json, "spec");
        match (self.name.as_str(), usage.resource == *PODS) {
            ("Terminating", true) => is_limited_in_time(spec),
            ("NotTerminating", true) => !is_limited_in_time(spec),
            ("BestEffort", true) => quality::class(spec) == "BestEffort",
            ("NotBestEffort", true) => quality::class(spec) != "BestEffort",
            ("CrossNamespacePodAffinity", true) => looks_elsewhere(spec),
            ("PriorityClass", true) => self.selects(&[text(spec, "priorityClassName")]),
            ("VolumeAttributesClass", false) if usage.resource.as_str() == "/persistentvolumeclaims" => {
                let status = object(json, "status");
                let names = [
                    text(spec, "volumeAttributesClassName"),
                    text(status, "currentVolumeAttributesClassName"),
                    text(at(status, &["modifyVolumeStatus"]), "targetVolumeAttributesClassName"),
                ];
                self.selects(&names)
            }
            _ => false,
        }
    }

    /// Whether one of the names, as far as there are any, is one of those that are meant.
    fn selects(&self, names: &[&str]) -> bool {
        let mut names = names.iter().filter(|name| !name.is_empty()).peekable();
        let some = names.peek().is_some();
        let named = names.any(|name| self.values.iter().any(|value| value == name));
        match self.operator.as_str() {
            "Exists" => some,
            "DoesNotExist" => !some,
            "In" => named,
            "NotIn" => !named,
            _ => false,
        }
    }
}

fn is_limited_in_time(spec: &Json) -> bool {
    number(spec, "activeDeadlineSeconds").is_some_and(|seconds| seconds >= 0)
}

/// Whether a pod wants to be near to, or away from, pods of other namespaces.
fn looks_elsewhere(spec: &Json) -> bool {
    ["podAffinity", "podAntiAffinity"].iter().any(|side| {
        let side = at(spec, &["affinity", side]);
        let needed = objects(side, "requiredDuringSchedulingIgnoredDuringExecution");
        let liked = objects(side, "preferredDuringSchedulingIgnoredDuringExecution");
        let mut terms = needed.chain(liked.map(|liked| object(liked, "podAffinityTerm")));
        terms.any(|term| {
            !list(term, "namespaces").is_empty() || maybe_object(term, "namespaceSelector").is_some()
        })
    })
}
