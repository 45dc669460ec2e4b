//! Quotas, ranges of limits, priorities, budgets of disruption.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::Check;
use super::resources::{self, quantity};
use super::{selectors, workloads};
use crate::builtin::fields::{list, maybe_text, number, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::names;

const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

/// A quota.
pub(super) fn quota(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    let hard = object(spec, "hard");
    resources::amounts(check, hard, "spec.hard", resources::Names::Quota);
    let scopes: Vec<&str> = texts(spec, "scopes").collect();
    let all = list(spec, "scopes");
    for scope in &scopes {
        if !SCOPES.contains(scope) {
            check.invalid("spec.scopes", all, "unsupported scope");
        }
        for name in hard.keys() {
            if resources::is_quota(name) && !applies(scope, name) {
                check.invalid("spec.scopes", all, "unsupported scope applied to resource");
            }
        }
    }
    for (one, other) in [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")] {
        if scopes.contains(&one) && scopes.contains(&other) {
            check.invalid("spec.scopes", all, "conflicting scopes");
        }
    }
}

fn applies(scope: &str, resource: &str) -> bool {
    const COMPUTE: [&str; 8] = [
        "pods",
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "limits.cpu",
        "limits.memory",
    ];
    match scope {
        "BestEffort" => resource == "pods",
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => {
            COMPUTE.contains(&resource) || resource.ends_with("ephemeral-storage")
        }
        // What is no scope fits everything: that it is none is said already.
        _ => true,
    }
}

/// What changes of a quota.
pub(super) fn quota_update(check: &mut Check, new: &Json, old: &Json) {
    let sorted =
        |quota: &Json| texts(object(quota, "spec"), "scopes").map(str::to_owned).collect::<BTreeSet<_>>();
    if sorted(new) != sorted(old) {
        let scopes = object(new, "spec").get("scopes").cloned().unwrap_or(Value::Null);
        check.invalid("spec.scopes", scopes, "field is immutable");
    }
}

/// A range of limits.
pub(super) fn limit_range(check: &mut Check, json: &Json) {
    const KINDS: [&str; 3] = ["Container", "PersistentVolumeClaim", "Pod"];
    let mut taken = BTreeSet::new();
    for (index, limit) in objects(object(json, "spec"), "limits").enumerate() {
        let path = format!("spec.limits[{index}]");
        let kind = text(limit, "type");
        limit_type(check, kind, &format!("{path}.type"), &KINDS);
        if !taken.insert(kind) {
            check.duplicate(format!("{path}.type"), kind);
        }
        if kind == "Pod" {
            for name in ["default", "defaultRequest"] {
                if !object(limit, name).is_empty() {
                    let why = "may not be specified when `type` is 'Pod'";
                    check.forbidden(format!("{path}.{name}"), why);
                }
            }
        }
        if kind == "PersistentVolumeClaim"
            && !["min", "max"].iter().any(|name| object(limit, name).contains_key("storage"))
        {
            let why = "either minimum or maximum storage value is required, but neither was provided";
            check.required(format!("{path}.limits"), why);
        }
        limit_amounts(check, limit, kind, &path);
    }
}

fn limit_type(check: &mut Check, kind: &str, path: &str, known: &[&str]) {
    let faults = names::qualified(kind);
    if !faults.is_empty() {
        check.faults(path, kind, faults);
    } else if !kind.contains('/') && !known.contains(&kind) {
        check.invalid(path, kind, "must be a standard limit type or fully qualified");
    }
}

fn limit_amounts(check: &mut Check, limit: &Json, kind: &str, path: &str) {
    let fields: &[&str] =
        if kind == "Pod" { &["max", "min"] } else { &["max", "min", "default", "defaultRequest"] };
    let of = |field: &str, name: &str| {
        if fields.contains(&field) { object(limit, field).get(name).and_then(quantity) } else { None }
    };
    let keys: BTreeSet<_> = fields.iter().flat_map(|field| object(limit, field).keys()).collect();
    for name in keys {
        let rules = [
            ("min", "max", "min", "min value {} is greater than max value {}"),
            (
                "min",
                "defaultRequest",
                "defaultRequest",
                "min value {} is greater than default request value {}",
            ),
            (
                "defaultRequest",
                "max",
                "defaultRequest",
                "default request value {} is greater than max value {}",
            ),
            (
                "defaultRequest",
                "default",
                "defaultRequest",
                "default request value {} is greater than default limit value {}",
            ),
            ("min", "default", "default", "min value {} is greater than default value {}"),
            ("default", "max", "default", "default value {} is greater than max value {}"),
        ];
        for (less, more, at, words) in rules {
            let (Some(smaller), Some(larger)) = (of(less, name), of(more, name)) else { continue };
            if smaller.nanos() <= larger.nanos() {
                continue;
            }
            let why = words.replacen("{}", &smaller.to_string(), 1).replacen("{}", &larger.to_string(), 1);
            // The real server shows the one or the other.
            let shown = match (less, more) {
                ("min", "defaultRequest") | ("default", "max") => larger,
                _ => smaller,
            };
            check.invalid(format!("{path}.{at}[{name}]"), shown.to_string(), why);
        }
    }
}

/// A class of priorities.
pub(super) fn priority(check: &mut Check, json: &Json) {
    const MOST: i64 = 1_000_000_000;
    const SYSTEM: [(&str, i64); 2] =
        [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
    let name = text(object(json, "metadata"), "name");
    let value = number(json, "value").unwrap_or(0);
    if name.starts_with("system-") {
        let why = match SYSTEM.iter().find(|(known, _)| *known == name) {
            None => Some(format!("{name} is not a known system priority class")),
            Some((_, expected)) if *expected != value => {
                Some(format!("value of {name} PriorityClass must be {expected}"))
            }
            Some(_) => None,
        };
        if let Some(why) = why {
            let text = "priority class names with 'system-' prefix are reserved for system use only. error:";
            check.forbidden("metadata.name", format!("{text} {why}"));
        }
    } else if value > MOST {
        check.forbidden("value", format!("maximum allowed value of a user defined priority is {MOST}"));
    }
    if let Some(policy) = maybe_text(json, "preemptionPolicy") {
        check.one_of("preemptionPolicy", policy, &["PreemptLowerPriority", "Never"]);
    }
}

/// What changes of a class of priorities.
pub(super) fn priority_update(check: &mut Check, new: &Json, old: &Json) {
    if number(new, "value") != number(old, "value") {
        check.forbidden("value", "may not be changed in an update.");
    }
    check.unchanged("preemptionPolicy", new.get("preemptionPolicy"), old.get("preemptionPolicy"));
}

/// How much of something may be away at a time.
pub(super) fn disruption_budget(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    let (least, most) = (spec.get("minAvailable"), spec.get("maxUnavailable"));
    if let (Some(least), Some(most)) = (least, most) {
        let part = |name: &str| spec.get(name).map_or_else(|| "null".to_owned(), Value::to_string);
        let written = format!(
            "{{\"MinAvailable\":{least},\"Selector\":{},\"MaxUnavailable\":{most},\"UnhealthyPodEvictionPolicy\":{}}}",
            part("selector"),
            part("unhealthyPodEvictionPolicy")
        );
        check.invalid_struct("spec", &written, "minAvailable and maxUnavailable cannot be both set");
    }
    for (name, value) in [("minAvailable", least), ("maxUnavailable", most)] {
        let path = format!("spec.{name}");
        workloads::count_or_percent(check, value, &path);
        workloads::at_most_all(check, value, &path);
    }
    selectors::labels(check, spec.get("selector"), "spec.selector");
    if let Some(policy) = maybe_text(spec, "unhealthyPodEvictionPolicy") {
        check.one_of("spec.unhealthyPodEvictionPolicy", policy, &["AlwaysAllow", "IfHealthyBudget"]);
    }
}
