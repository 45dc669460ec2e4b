//! What is filled into an object before anybody looks at it.

mod pod;
mod rules;
mod workloads;

use serde_json::{Value, json};

use super::fields::{enter, fill, list, maybe_object, number, object, object_mut, objects_mut, text};
use crate::document::Json;
use rules::{Filled, apply};

pub(super) use pod::template as pod_template;

/// Fills the defaults of a kind into an object.
pub(super) fn fill_in(group: &str, kind: &str, json: &mut Json) {
    apply(json, rules::of(group, kind));
    match (group, kind) {
        ("", "Pod") => pod::pod(json),
        ("", "PodTemplate") => template(json, &["template"]),
        ("", "Namespace") => namespace(json),
        ("", "Secret") => merge_string_data(json),
        ("", "Service") => service(json),
        ("", "Node") => node(json),
        ("", "LimitRange") => limit_range(json),
        ("", "ReplicationController") => workloads::replication_controller(json),
        ("", "ResourceQuota") => round_at(json, &["spec"], "hard"),
        ("", "PersistentVolume") => {
            round_at(json, &["spec"], "capacity");
            pod::volume_source(enter(json, "spec"));
        }
        ("", "PersistentVolumeClaim") => claim(json),
        ("apps", "Deployment") => workloads::deployment(json),
        ("apps", "DaemonSet") => workloads::daemon_set(json),
        ("apps", "StatefulSet") => workloads::stateful_set(json),
        ("apps", "ReplicaSet") => template(json, &["spec", "template"]),
        ("batch", "Job") => workloads::job(json),
        ("batch", "CronJob") => workloads::cron_job(json),
        ("networking.k8s.io", "NetworkPolicy") => network_policy(json),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => binding(json),
        ("autoscaling", "HorizontalPodAutoscaler") => workloads::autoscaler(json),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => priority_level(json),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => matching(json, "matchConstraints"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => {
            matching(json, "matchResources")
        }
        _ => {}
    }
}

/// The template of a pod at the end of a path.
fn template(json: &mut Json, path: &[&str]) {
    let template = path.iter().fold(json, |json, name| enter(json, name));
    pod_template(template);
}

fn namespace(json: &mut Json) {
    let name = text(object(json, "metadata"), "name").to_owned();
    if !name.is_empty() {
        let labels = enter(enter(json, "metadata"), "labels");
        labels.insert("kubernetes.io/metadata.name".into(), name.into());
    }
}

/// The data of a secret can be said as text; whoever says it so owns the data.
fn merge_string_data(json: &mut Json) {
    use base64::Engine;
    let Some(Value::Object(texts)) = json.remove("stringData") else { return };
    let data = enter(json, "data");
    for (key, value) in texts {
        let encoded = base64::engine::general_purpose::STANDARD.encode(value.as_str().unwrap_or_default());
        data.insert(key, encoded.into());
    }
}

fn service(json: &mut Json) {
    let status = enter(json, "status");
    enter(status, "loadBalancer");
    let spec = enter(json, "spec");
    match text(spec, "sessionAffinity") {
        "None" => drop(spec.remove("sessionAffinityConfig")),
        "ClientIP"
            if number(object(object(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds")
                .is_none() =>
        {
            spec.insert("sessionAffinityConfig".into(), json!({"clientIP": {"timeoutSeconds": 10800}}));
        }
        _ => {}
    }
    for port in objects_mut(spec, "ports") {
        let target = port.get("targetPort");
        if target.is_none_or(|target| *target == json!(0) || *target == json!("")) {
            let number = number(port, "port").unwrap_or(0);
            port.insert("targetPort".into(), number.into());
        }
    }
    let kind = text(spec, "type").to_owned();
    let exposed = matches!(kind.as_str(), "NodePort" | "LoadBalancer");
    if exposed || (kind == "ClusterIP" && !list(spec, "externalIPs").is_empty()) {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if exposed || kind == "ClusterIP" {
        fill(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill(spec, "allocateLoadBalancerNodePorts", true);
    }
}

fn node(json: &mut Json) {
    // The older of two fields for the same.
    let spec = enter(json, "spec");
    if list(spec, "podCIDRs").is_empty()
        && let Some(range) = spec.get("podCIDR").cloned()
    {
        spec.insert("podCIDRs".into(), json!([range]));
    }
    let status = enter(json, "status");
    pod::round(status, "capacity");
    pod::round(status, "allocatable");
    if let Some(capacity) = status.get("capacity").cloned() {
        fill(status, "allocatable", capacity);
    }
}

fn limit_range(json: &mut Json) {
    for item in objects_mut(enter(json, "spec"), "limits") {
        for name in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            pod::round(item, name);
        }
        if text(item, "type") != "Container" {
            continue;
        }
        for (to, from) in [("default", "max"), ("defaultRequest", "default"), ("defaultRequest", "min")] {
            let values = object(item, from).clone();
            let into = enter(item, to);
            for (name, value) in values {
                fill(into, &name, value);
            }
        }
    }
}

fn round_at(json: &mut Json, path: &[&str], name: &str) {
    let holder = path.iter().fold(json, |json, name| enter(json, name));
    pod::round(holder, name);
}

fn claim(json: &mut Json) {
    let resources = enter(enter(json, "spec"), "resources");
    pod::round(resources, "requests");
    pod::round(resources, "limits");
}

fn network_policy(json: &mut Json) {
    let spec = enter(json, "spec");
    if list(spec, "policyTypes").is_empty() {
        let egress = !list(spec, "egress").is_empty();
        let types = if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
        spec.insert("policyTypes".into(), types);
    }
}

fn binding(json: &mut Json) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    fill(enter(json, "roleRef"), "apiGroup", GROUP);
    for subject in objects_mut(json, "subjects") {
        if matches!(text(subject, "kind"), "User" | "Group") {
            fill(subject, "apiGroup", GROUP);
        }
    }
}

fn priority_level(json: &mut Json) {
    let spec = enter(json, "spec");
    for (name, shares) in [("exempt", 0), ("limited", 30)] {
        if let Some(level) = object_mut(spec, name) {
            fill(level, "nominalConcurrencyShares", shares);
            fill(level, "lendablePercent", 0);
        }
    }
    let response = object_mut(spec, "limited").and_then(|limited| object_mut(limited, "limitResponse"));
    if let Some(queuing) = response.and_then(|response| object_mut(response, "queuing")) {
        for (name, default) in [("queues", 64), ("handSize", 8), ("queueLengthLimit", 50)] {
            if number(queuing, name).unwrap_or(0) == 0 {
                queuing.insert(name.into(), default.into());
            }
        }
    }
}

/// What an admission policy is about, if it says so.
fn matching(json: &mut Json, name: &str) {
    let Some(matching) = object_mut(enter(json, "spec"), name) else { return };
    fill(matching, "matchPolicy", "Equivalent");
    enter(matching, "namespaceSelector");
    enter(matching, "objectSelector");
    for rules in ["resourceRules", "excludeResourceRules"] {
        for rule in objects_mut(matching, rules) {
            fill(rule, "scope", "*");
        }
    }
}

/// Whether there is anything by one of these names.
fn has_any(json: &Json, names: &[&str]) -> bool {
    names.iter().any(|name| maybe_object(json, name).is_some())
}

/// A value as JSON.
fn value(default: &Filled) -> Value {
    match default {
        Filled::Text(text) => (*text).into(),
        Filled::Number(number) => (*number).into(),
        Filled::Flag(flag) => (*flag).into(),
        Filled::Empty => json!({}),
    }
}
