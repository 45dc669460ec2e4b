//! Defaults of what makes pods.

use serde_json::{Value, json};

use super::{pod_template, template};
use crate::builtin::fields::{enter, fill, list, maybe_object, object, object_mut, objects_mut, text};
use crate::document::Json;

/// The replicas of a deployment are replaced by a quarter at a time.
pub(super) fn deployment(json: &mut Json) {
    let strategy = enter(enter(json, "spec"), "strategy");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = enter(strategy, "rollingUpdate");
        fill(rolling, "maxUnavailable", "25%");
        fill(rolling, "maxSurge", "25%");
    }
    template(json, &["spec", "template"]);
}

/// The pods of a daemon set are replaced one at a time.
pub(super) fn daemon_set(json: &mut Json) {
    let strategy = enter(enter(json, "spec"), "updateStrategy");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = enter(strategy, "rollingUpdate");
        fill(rolling, "maxUnavailable", 1);
        fill(rolling, "maxSurge", 0);
    }
    template(json, &["spec", "template"]);
}

/// The pods of a stateful set have claims.
pub(super) fn stateful_set(json: &mut Json) {
    let spec = enter(json, "spec");
    let strategy = enter(spec, "updateStrategy");
    if text(strategy, "type").is_empty() {
        strategy.insert("type".into(), "RollingUpdate".into());
        enter(strategy, "rollingUpdate");
    }
    if text(strategy, "type") == "RollingUpdate" && maybe_object(strategy, "rollingUpdate").is_some() {
        fill(enter(strategy, "rollingUpdate"), "partition", 0);
    }
    for claim in objects_mut(spec, "volumeClaimTemplates") {
        claim.insert("apiVersion".into(), "v1".into());
        claim.insert("kind".into(), "PersistentVolumeClaim".into());
        super::fill_in("", "PersistentVolumeClaim", claim);
    }
    template(json, &["spec", "template"]);
}

/// A replication controller is labelled and selects as its template says.
pub(super) fn replication_controller(json: &mut Json) {
    let spec = enter(json, "spec");
    let Some(found) = maybe_object(spec, "template") else { return };
    let labels = object(object(found, "metadata"), "labels").clone();
    pod_template(enter(spec, "template"));
    if labels.is_empty() {
        return;
    }
    if object(spec, "selector").is_empty() {
        spec.insert("selector".into(), Value::Object(labels.clone()));
    }
    label_as_template(json, labels);
}

fn label_as_template(json: &mut Json, labels: Json) {
    let metadata = enter(json, "metadata");
    if object(metadata, "labels").is_empty() {
        metadata.insert("labels".into(), Value::Object(labels));
    }
}

/// A job runs once.
pub(super) fn job(json: &mut Json) {
    let labels = object(object(object(object(json, "spec"), "template"), "metadata"), "labels").clone();
    if !labels.is_empty() {
        label_as_template(json, labels);
    }
    let spec = enter(json, "spec");
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        fill(spec, "completions", 1);
    }
    fill(spec, "parallelism", 1);
    let tries = if spec.contains_key("backoffLimitPerIndex") { i32::MAX } else { 6 };
    fill(spec, "backoffLimit", tries);
    fill(spec, "completionMode", "NonIndexed");
    fill(spec, "suspend", false);
    let replace = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", replace);
    fill(spec, "manualSelector", false);
    job_spec(spec);
}

fn job_spec(spec: &mut Json) {
    if let Some(policy) = object_mut(spec, "podFailurePolicy") {
        for rule in objects_mut(policy, "rules") {
            for condition in objects_mut(rule, "onPodConditions") {
                fill(condition, "status", "True");
            }
        }
    }
    pod_template(enter(spec, "template"));
}

/// A cron job makes jobs, whose own defaults come when they are made.
pub(super) fn cron_job(json: &mut Json) {
    let template = enter(enter(json, "spec"), "jobTemplate");
    job_spec(enter(template, "spec"));
}

/// Without metrics, an autoscaler looks at the processors.
pub(super) fn autoscaler(json: &mut Json) {
    let spec = enter(json, "spec");
    if list(spec, "metrics").is_empty() {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        spec.insert(
            "metrics".into(),
            json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]),
        );
    }
}
