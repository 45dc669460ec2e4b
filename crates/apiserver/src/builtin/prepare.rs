//! What becomes of an object before it is judged: who may write which part of it, and what the server writes.

mod parts;
pub(super) mod quality;
mod service;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fields::{
    at, copy, enter, fill, list, maybe_object, number, object, object_mut, objects, objects_mut, text,
};
use crate::document::Json;
use crate::kinds::Kind;
use crate::time::Moment;

/// A new object: its status is the server's.
pub(super) fn create(kind: &Kind, json: &mut Json, now: Moment) {
    let names = (&*kind.group, &*kind.kind);
    // Nodes say their status when they join.
    if kind.has_status() && names != ("", "Node") {
        json.remove("status");
    }
    match names {
        ("", "Namespace") => {
            json.insert("status".into(), json!({"phase": "Active"}));
            let spec = enter(json, "spec");
            if !list(spec, "finalizers").iter().any(|name| name == "kubernetes") {
                let mut finalizers = list(spec, "finalizers").to_vec();
                finalizers.push("kubernetes".into());
                spec.insert("finalizers".into(), finalizers.into());
            }
        }
        ("", "Pod") => pod(json, now),
        ("", "Service") => service::create(json),
        ("", "ServiceAccount") => clean_secrets(json),
        ("", "LimitRange") => {
            let metadata = enter(json, "metadata");
            fill(metadata, "name", crate::random::uid());
        }
        ("", "PersistentVolume") => {
            let status = json!({"phase": "Pending", "lastPhaseTransitionTime": now.to_string()});
            json.insert("status".into(), status);
        }
        ("", "PersistentVolumeClaim") => data_sources(enter(json, "spec")),
        ("batch", "Job") => generate_selector(json),
        ("apps", "DaemonSet") => count_template(json, 1),
        ("coordination.k8s.io", "Lease") => without_strategy(json, None),
        _ => {}
    }
}

/// A changed object, or a part of it by a path of its own.
pub(super) fn update(kind: &Kind, new: &mut Json, old: &Json, subresource: &str, now: Moment) {
    match subresource {
        "status" => update_status(kind, new, old, now),
        "finalize" => copy(new, old, "status"),
        "ephemeralcontainers" => parts::only_ephemeral(new, old),
        "resize" => parts::only_resources(new, old),
        "approval" => parts::only_conditions(new, old, now),
        // What a pod is given by this the server has computed itself.
        "binding" => {}
        _ => update_object(kind, new, old),
    }
}

fn update_object(kind: &Kind, new: &mut Json, old: &Json) {
    if kind.has_status() {
        copy(new, old, "status");
    }
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace") => copy(enter(new, "spec"), object(old, "spec"), "finalizers"),
        ("", "ServiceAccount") => clean_secrets(new),
        ("", "PersistentVolumeClaim") => data_sources(enter(new, "spec")),
        ("", "Pod") => keep_pod(new, old),
        ("", "Service") => {
            service::update(new, old);
            drop_of_other_types(new, old);
        }
        ("apps", "DaemonSet") => {
            let same = object(old, "spec").get("template") == object(new, "spec").get("template");
            let generation = number_of_template(old).wrapping_add(i64::from(!same));
            count_template(new, generation);
        }
        ("coordination.k8s.io", "Lease") => without_strategy(new, Some(old)),
        ("certificates.k8s.io", "CertificateSigningRequest") => copy(new, old, "spec"),
        _ => {}
    }
}

fn update_status(kind: &Kind, new: &mut Json, old: &Json, now: Moment) {
    let kept: Vec<String> = new.keys().chain(old.keys()).cloned().collect();
    for name in kept {
        if !matches!(name.as_str(), "metadata" | "status" | "apiVersion" | "kind") {
            copy(new, old, &name);
        }
    }
    match (&*kind.group, &*kind.kind) {
        ("apps", "Deployment") => copy(enter(new, "metadata"), object(old, "metadata"), "labels"),
        ("", "Pod") => {
            copy(enter(new, "metadata"), object(old, "metadata"), "ownerReferences");
            if let Some(class) = object(old, "status").get("qosClass").cloned() {
                fill(enter(new, "status"), "qosClass", class);
            }
        }
        ("", "PersistentVolume") => note_phase(new, old, now),
        ("certificates.k8s.io", "CertificateSigningRequest") => parts::keep_decisions(new, old, now),
        _ => {}
    }
}

fn note_phase(new: &mut Json, old: &Json, now: Moment) {
    const SINCE: &str = "lastPhaseTransitionTime";
    let before = object(old, "status");
    let status = enter(new, "status");
    if text(status, "phase") == text(before, "phase") {
        if !status.contains_key(SINCE) {
            copy(status, before, SINCE);
        }
    } else if !status.contains_key(SINCE) || status.get(SINCE) == before.get(SINCE) {
        status.insert(SINCE.into(), now.to_string().into());
    }
}

fn pod(json: &mut Json, now: Moment) {
    let mut status = json!({"phase": "Pending", "qosClass": quality::class(object(json, "spec"))});
    if !list(object(json, "spec"), "schedulingGates").is_empty() {
        status["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastTransitionTime": now.to_string(),
        }]);
    }
    json.insert("status".into(), status);
    label_keys(json);
}

/// Terms of affinity that name keys of labels select by the values that the pod has.
fn label_keys(json: &mut Json) {
    let labels = at(json, &["metadata", "labels"]).clone();
    let Some(affinity) = object_mut(enter(json, "spec"), "affinity") else { return };
    for name in ["podAffinity", "podAntiAffinity"] {
        let Some(terms) = object_mut(affinity, name) else { continue };
        for term in objects_mut(terms, "requiredDuringSchedulingIgnoredDuringExecution") {
            select_by_keys(term, &labels);
        }
        for weighted in objects_mut(terms, "preferredDuringSchedulingIgnoredDuringExecution") {
            if let Some(term) = object_mut(weighted, "podAffinityTerm") {
                select_by_keys(term, &labels);
            }
        }
    }
}

fn select_by_keys(term: &mut Json, labels: &Json) {
    if maybe_object(term, "labelSelector").is_none() {
        return;
    }
    for (keys, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let named: Vec<Value> = list(term, keys).to_vec();
        for key in named.iter().filter_map(Value::as_str) {
            let Some(value) = labels.get(key) else { continue };
            let requirement = json!({"key": key, "operator": operator, "values": [value]});
            let selector = enter(term, "labelSelector");
            let mut all = list(selector, "matchExpressions").to_vec();
            all.push(requirement);
            selector.insert("matchExpressions".into(), all.into());
        }
    }
}

/// What the admission of priorities keeps of a pod that does not say it.
fn keep_pod(new: &mut Json, old: &Json) {
    let spec = enter(new, "spec");
    for name in ["priority", "preemptionPolicy"] {
        if !spec.contains_key(name) {
            copy(spec, object(old, "spec"), name);
        }
    }
}

/// Of the secrets of an account only the names are kept.
fn clean_secrets(json: &mut Json) {
    for secret in objects_mut(json, "secrets") {
        secret.retain(|name, _| name == "name");
    }
}

/// Two fields say what a claim is filled with.
fn data_sources(spec: &mut Json) {
    let (old, new) = (spec.get("dataSource").cloned(), spec.get("dataSourceRef").cloned());
    match (old, new) {
        (Some(Value::Object(mut source)), None) => {
            source.entry("apiGroup").or_insert(Value::Null);
            spec.insert("dataSourceRef".into(), Value::Object(source));
        }
        (None, Some(Value::Object(mut source))) if text(&source, "namespace").is_empty() => {
            source.remove("namespace");
            spec.insert("dataSource".into(), Value::Object(source));
        }
        _ => {}
    }
}

/// A job finds its pods by its uid.
fn generate_selector(json: &mut Json) {
    let metadata = object(json, "metadata");
    let (name, uid) = (text(metadata, "name").to_owned(), text(metadata, "uid").to_owned());
    let spec = enter(json, "spec");
    if super::fields::flag(spec, "manualSelector") {
        return;
    }
    let labels = enter(enter(enter(spec, "template"), "metadata"), "labels");
    for label in ["job-name", "batch.kubernetes.io/job-name"] {
        fill(labels, label, name.clone());
    }
    for label in ["controller-uid", "batch.kubernetes.io/controller-uid"] {
        fill(labels, label, uid.clone());
    }
    let selected = enter(enter(spec, "selector"), "matchLabels");
    fill(selected, "batch.kubernetes.io/controller-uid", uid);
}

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn number_of_template(json: &Json) -> i64 {
    text(at(json, &["metadata", "annotations"]), TEMPLATE_GENERATION).parse().unwrap_or(0)
}

/// How often the template of a daemon set has changed stands in an annotation.
fn count_template(json: &mut Json, generation: i64) {
    let annotations = enter(enter(json, "metadata"), "annotations");
    annotations.insert(TEMPLATE_GENERATION.into(), generation.to_string().into());
}

/// Leases are not elected by the server.
fn without_strategy(json: &mut Json, old: Option<&Json>) {
    let had = |name: &str| old.is_some_and(|old| object(old, "spec").contains_key(name));
    let (strategy, preferred) = (had("strategy"), had("preferredHolder"));
    if let Some(spec) = object_mut(json, "spec") {
        if !strategy {
            spec.remove("strategy");
        }
        if !preferred {
            spec.remove("preferredHolder");
        }
    }
}

/// A service that changes its type loses what only the type before had, unless the change says it too.
fn drop_of_other_types(new: &mut Json, old: &Json) {
    let before = object(old, "spec");
    let was = text(before, "type");
    let spec = enter(new, "spec");
    let is = text(spec, "type").to_owned();
    let exposed = |kind: &str| matches!(kind, "NodePort" | "LoadBalancer");
    if was != "ExternalName" && is == "ExternalName" {
        if ["clusterIP", "clusterIPs"].iter().all(|name| spec.get(*name) == before.get(*name)) {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        for name in ["ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            drop_if_same(spec, before, name);
        }
    }
    if exposed(was) && !exposed(&is) {
        let known: BTreeSet<_> =
            objects(before, "ports").filter_map(|port| number(port, "nodePort")).collect();
        let all_known = objects(spec, "ports")
            .filter_map(|port| number(port, "nodePort"))
            .all(|port| known.contains(&port));
        if all_known {
            for port in objects_mut(spec, "ports") {
                port.remove("nodePort");
            }
        }
        drop_if_same(spec, before, "externalTrafficPolicy");
    }
    let checked =
        |spec: &Json| text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local";
    if checked(before) && !checked(spec) {
        drop_if_same(spec, before, "healthCheckNodePort");
    }
    if was == "LoadBalancer" && is != "LoadBalancer" {
        drop_if_same(spec, before, "allocateLoadBalancerNodePorts");
        drop_if_same(spec, before, "loadBalancerClass");
    }
    if is != "LoadBalancer" {
        enter(new, "status").insert("loadBalancer".into(), json!({}));
    }
}

fn drop_if_same(spec: &mut Json, before: &Json, name: &str) {
    if spec.get(name) == before.get(name) {
        spec.remove(name);
    }
}
