//! What makes pods, and keeps them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::check::Check;
use super::{pod, selectors};
use crate::builtin::fields::{copy, list, maybe_object, number, object, objects, text};
use crate::document::Json;
use crate::metadata::names;

/// How a template has to be.
fn template_of(check: &mut Check, template: &Json, path: &str, what: &str) {
    pod::template(check, template, path);
    let spec = object(template, "spec");
    let policy = text(spec, "restartPolicy");
    if policy != "Always" {
        check.one_of(format!("{path}.spec.restartPolicy"), policy, &["Always"]);
    }
    if spec.contains_key("activeDeadlineSeconds") {
        let why = format!("activeDeadlineSeconds in {what} is not Supported");
        check.forbidden(format!("{path}.spec.activeDeadlineSeconds"), why);
    }
}

fn template_labels(template: &Json) -> &Json {
    object(object(template, "metadata"), "labels")
}

fn unselected(check: &mut Check, template: &Json, path: &str) {
    let labels = template_labels(template);
    let value = if labels.is_empty() { Value::Null } else { json!(labels) };
    check.invalid(format!("{path}.metadata.labels"), value, "`selector` does not match template `labels`");
}

/// The selector of a deployment or replica set, and the template that it must select.
fn selector_and_template(check: &mut Check, spec: &Json) {
    let (selector, template) = (spec.get("selector"), object(spec, "template"));
    match selector.and_then(Value::as_object) {
        None => check.required("spec.selector", ""),
        Some(found) => {
            selectors::labels(check, selector, "spec.selector");
            if selectors::is_empty(found) {
                check.invalid("spec.selector", json!(found), "empty selector is invalid for deployment");
            }
        }
    }
    match selectors::matches(selector, template_labels(template)) {
        None => {
            check.invalid("spec.selector", selector.cloned().unwrap_or(Value::Null), "invalid label selector")
        }
        Some(matches) => {
            let everything = selector.and_then(Value::as_object).is_some_and(selectors::is_empty);
            if !everything && !matches {
                unselected(check, template, "spec.template");
            }
            template_of(check, template, "spec.template", "ReplicaSet");
        }
    }
}

/// A deployment.
pub(super) fn deployment(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    check.field_not_negative(spec, "spec", "replicas");
    selector_and_template(check, spec);
    deployment_strategy(check, object(spec, "strategy"));
    check.field_not_negative(spec, "spec", "minReadySeconds");
    check.field_not_negative(spec, "spec", "revisionHistoryLimit");
    if let Some(deadline) = number(spec, "progressDeadlineSeconds") {
        check.not_negative("spec.progressDeadlineSeconds", deadline);
        if deadline <= number(spec, "minReadySeconds").unwrap_or(0) {
            check.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
        }
    }
}

fn deployment_strategy(check: &mut Check, strategy: &Json) {
    const PATH: &str = "spec.strategy";
    let rolling = maybe_object(strategy, "rollingUpdate");
    match (text(strategy, "type"), rolling) {
        ("Recreate", Some(_)) => {
            let why = "may not be specified when strategy `type` is 'Recreate'";
            check.forbidden(format!("{PATH}.rollingUpdate"), why);
        }
        ("Recreate", None) => {}
        ("RollingUpdate", Some(rolling)) => {
            let path = format!("{PATH}.rollingUpdate");
            for name in ["maxUnavailable", "maxSurge"] {
                count_or_percent(check, rolling.get(name), &format!("{path}.{name}"));
            }
            if amount(rolling.get("maxUnavailable")) == 0 && amount(rolling.get("maxSurge")) == 0 {
                let value = rolling.get("maxUnavailable").cloned().unwrap_or(Value::Null);
                check.invalid(format!("{path}.maxUnavailable"), value, "may not be 0 when `maxSurge` is 0");
            }
            at_most_all(check, rolling.get("maxUnavailable"), &format!("{path}.maxUnavailable"));
        }
        ("RollingUpdate", None) => {
            check.required(format!("{PATH}.rollingUpdate"), "this should be defaulted and never be nil");
        }
        (kind, rolling) => {
            let rolling = rolling.map_or_else(|| "null".into(), rolling_as_go);
            let written = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", Value::from(kind));
            check.push(super::check::not_supported_struct(PATH, &written, &["Recreate", "RollingUpdate"]));
        }
    }
}

fn rolling_as_go(rolling: &Json) -> String {
    let part = |name: &str| rolling.get(name).map_or_else(|| "0".to_owned(), Value::to_string);
    format!("{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}", part("maxUnavailable"), part("maxSurge"))
}

/// A number that is not negative, or a percentage.
pub(super) fn count_or_percent(check: &mut Check, value: Option<&Value>, path: &str) {
    match value {
        Some(Value::String(percent)) => check.faults(path, percent.as_str(), names::percent(percent)),
        Some(other) => check.not_negative(path, other.as_i64().unwrap_or(0)),
        None => {}
    }
}

/// A percentage is not more than all.
pub(super) fn at_most_all(check: &mut Check, value: Option<&Value>, path: &str) {
    if let Some(Value::String(percent)) = value
        && names::percent(percent).is_empty()
        && amount(value) > 100
    {
        check.invalid(path, percent.as_str(), "must not be greater than 100%");
    }
}

fn amount(value: Option<&Value>) -> i64 {
    match value {
        Some(Value::String(percent)) => percent.trim_end_matches('%').parse().unwrap_or(0),
        other => other.and_then(Value::as_i64).unwrap_or(0),
    }
}

/// What changes of a deployment or replica set.
pub(super) fn selector_unchanged(check: &mut Check, new: &Json, old: &Json) {
    let (new, old) = (object(new, "spec").get("selector"), object(old, "spec").get("selector"));
    if new != old {
        check.invalid_struct("spec.selector", &selector_as_go(new), "field is immutable");
    }
}

/// A selector as Go writes it: labels before expressions.
pub(super) fn selector_as_go(selector: Option<&Value>) -> String {
    let Some(selector) = selector.and_then(Value::as_object) else { return "null".into() };
    let parts = ["matchLabels", "matchExpressions"];
    let parts = parts.iter().filter_map(|name| selector.get(*name).map(|value| format!("{name:?}:{value}")));
    format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
}

/// A replica set.
pub(super) fn replica_set(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    check.field_not_negative(spec, "spec", "replicas");
    check.field_not_negative(spec, "spec", "minReadySeconds");
    selector_and_template(check, spec);
}

/// A daemon set.
pub(super) fn daemon_set(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    let (selector, template) = (spec.get("selector"), object(spec, "template"));
    selectors::labels(check, selector, "spec.selector");
    if selectors::matches(selector, template_labels(template)) == Some(false) {
        unselected(check, template, "spec.template");
    }
    if let Some(found) = selector.and_then(Value::as_object).filter(|selector| selectors::is_empty(selector))
    {
        check.invalid("spec.selector", json!(found), "empty selector is invalid for daemonset");
    }
    template_of(check, template, "spec.template", "DaemonSet");
    check.field_not_negative(spec, "spec", "minReadySeconds");
    daemon_strategy(check, object(spec, "updateStrategy"));
    check.field_not_negative(spec, "spec", "revisionHistoryLimit");
}

fn daemon_strategy(check: &mut Check, strategy: &Json) {
    const PATH: &str = "spec.updateStrategy";
    let rolling = maybe_object(strategy, "rollingUpdate");
    match (text(strategy, "type"), rolling) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => check.required(format!("{PATH}.rollingUpdate"), ""),
        ("RollingUpdate", Some(rolling)) => {
            let path = |name: &str| format!("{PATH}.rollingUpdate.{name}");
            let both = ["maxUnavailable", "maxSurge"];
            both.iter().for_each(|name| count_or_percent(check, rolling.get(*name), &path(name)));
            both.iter().for_each(|name| at_most_all(check, rolling.get(*name), &path(name)));
            match both.map(|name| amount(rolling.get(name)) != 0) {
                [true, true] => {
                    let value = rolling.get("maxSurge").cloned().unwrap_or(Value::Null);
                    check.invalid(path("maxSurge"), value, "may not be set when maxUnavailable is non-zero");
                }
                [false, false] => check.required(path("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
                _ => {}
            }
        }
        (kind, rolling) => {
            let rolling = rolling.map_or_else(|| "null".into(), rolling_as_go);
            let written = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", Value::from(kind));
            check.push(super::check::not_supported_struct(PATH, &written, &["RollingUpdate", "OnDelete"]));
        }
    }
}

/// A stateful set.
pub(super) fn stateful_set(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    match text(spec, "podManagementPolicy") {
        "" => check.required("spec.podManagementPolicy", ""),
        "OrderedReady" | "Parallel" => {}
        policy => {
            let why = "must be 'OrderedReady' or 'Parallel'";
            check.invalid("spec.podManagementPolicy", policy, why);
        }
    }
    stateful_strategy(check, object(spec, "updateStrategy"));
    if let Some(policy) = maybe_object(spec, "persistentVolumeClaimRetentionPolicy") {
        for name in ["whenDeleted", "whenScaled"] {
            let path = format!("spec.persistentVolumeClaimRetentionPolicy.{name}");
            check.one_of(path, text(policy, name), &["Retain", "Delete"]);
        }
    }
    check.field_not_negative(spec, "spec", "replicas");
    check.field_not_negative(spec, "spec", "minReadySeconds");
    if let Some(ordinals) = maybe_object(spec, "ordinals") {
        check.field_not_negative(ordinals, "spec.ordinals", "start");
    }
    let (selector, template) = (spec.get("selector"), object(spec, "template"));
    match selector.and_then(Value::as_object) {
        None => check.required("spec.selector", ""),
        Some(found) => {
            selectors::labels(check, selector, "spec.selector");
            if selectors::is_empty(found) {
                check.invalid("spec.selector", json!(found), "empty selector is invalid for statefulset");
            }
        }
    }
    match selectors::matches(selector, template_labels(template)) {
        None => check.invalid("spec.selector", selector.cloned().unwrap_or(Value::Null), ""),
        Some(matches) => {
            let everything = selector.and_then(Value::as_object).is_some_and(selectors::is_empty);
            if !everything && !matches {
                unselected(check, template, "spec.template");
            }
            pod::template(check, &with_claims(template, spec), "spec.template");
        }
    }
    let pod_spec = object(template, "spec");
    let policy = text(pod_spec, "restartPolicy");
    if policy != "Always" {
        check.one_of("spec.template.spec.restartPolicy", policy, &["Always"]);
    }
    if pod_spec.contains_key("activeDeadlineSeconds") {
        let why = "activeDeadlineSeconds in StatefulSet is not Supported";
        check.forbidden("spec.template.spec.activeDeadlineSeconds", why);
    }
}

/// The template with the volumes that its claims make.
fn with_claims(template: &Json, spec: &Json) -> Json {
    let mut template = template.clone();
    let mut volumes = list(object(&template, "spec"), "volumes").to_vec();
    let mut taken: BTreeSet<String> =
        volumes.iter().filter_map(|volume| volume["name"].as_str()).map(ToOwned::to_owned).collect();
    for claim in objects(spec, "volumeClaimTemplates") {
        let name = text(object(claim, "metadata"), "name");
        if taken.insert(name.to_owned()) {
            volumes.push(json!({"name": name, "persistentVolumeClaim": {"claimName": name}}));
        }
    }
    if let Some(spec) = template.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("volumes".into(), volumes.into());
    }
    template
}

fn stateful_strategy(check: &mut Check, strategy: &Json) {
    const PATH: &str = "spec.updateStrategy";
    let rolling = maybe_object(strategy, "rollingUpdate");
    match (text(strategy, "type"), rolling) {
        ("", _) => check.required(PATH, ""),
        ("OnDelete", Some(rolling)) => {
            let written = format!(
                "{{\"Partition\":{},\"MaxUnavailable\":null}}",
                number(rolling, "partition").unwrap_or(0)
            );
            let why = "only allowed for updateStrategy 'RollingUpdate'";
            check.invalid_struct(format!("{PATH}.rollingUpdate"), &written, why);
        }
        ("RollingUpdate", Some(rolling)) => {
            check.field_not_negative(rolling, &format!("{PATH}.rollingUpdate"), "partition");
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        (kind, rolling) => {
            let rolling = rolling.map_or_else(
                || "null".into(),
                |rolling| {
                    format!(
                        "{{\"Partition\":{},\"MaxUnavailable\":null}}",
                        number(rolling, "partition").unwrap_or(0)
                    )
                },
            );
            let written = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", Value::from(kind));
            check.invalid_struct(PATH, &written, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

/// What changes of a stateful set.
pub(super) fn stateful_set_update(check: &mut Check, new: &Json, old: &Json) {
    const MAY: [&str; 7] = [
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ];
    let (mut now, then) = (object(new, "spec").clone(), object(old, "spec"));
    for name in MAY {
        copy(&mut now, then, name);
    }
    if now != *then {
        let why = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                   'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                   'minReadySeconds' are forbidden";
        check.forbidden("spec", why);
    }
}

/// A replication controller.
pub(super) fn replication_controller(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    check.field_not_negative(spec, "spec", "minReadySeconds");
    let selector = object(spec, "selector");
    if selector.is_empty() {
        check.required("spec.selector", "");
    }
    check.field_not_negative(spec, "spec", "replicas");
    let Some(template) = maybe_object(spec, "template") else {
        return check.required("spec.template", "");
    };
    let labels = template_labels(template);
    if !selector.iter().all(|(key, value)| labels.get(key) == Some(value)) {
        unselected(check, template, "spec.template");
    }
    template_of(check, template, "spec.template", "ReplicationController");
}
