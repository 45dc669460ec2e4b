//! Namespaces, nodes, leases, and what happened.

use serde_json::Value;

use super::check::{Check, duplicate_struct};
use super::net;
use super::pod::EFFECTS;
use crate::builtin::fields::{list, maybe_object, number, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::{self, names};

/// The finalizers of a namespace.
pub(super) fn namespace_finalizers(check: &mut Check, json: &Json, indexed: bool) {
    for (index, name) in texts(object(json, "spec"), "finalizers").enumerate() {
        let path = if indexed { format!("spec.finalizers[{index}]") } else { "spec.finalizers".into() };
        let before = check.count();
        check.faults(&path, name, names::qualified(name));
        if check.count() == before && !name.contains('/') && !metadata::KNOWN_FINALIZERS.contains(&name) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            check.invalid(path, name, why);
        }
    }
}

/// The status of a namespace.
pub(super) fn namespace_status(check: &mut Check, new: &Json) {
    let phase = text(object(new, "status"), "phase");
    let going = object(new, "metadata").contains_key("deletionTimestamp");
    if !going && phase != "Active" {
        let why = "may only be 'Active' if `deletionTimestamp` is empty";
        check.invalid("status.Phase", phase, why);
    } else if going && phase != "Terminating" {
        let why = "may only be 'Terminating' if `deletionTimestamp` is not empty";
        check.invalid("status.Phase", phase, why);
    }
}

/// A node.
pub(super) fn node(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    taints(check, spec);
    for (index, range) in texts(spec, "podCIDRs").enumerate() {
        net::check_range(check, &format!("spec.podCIDRs[{index}]"), range);
    }
}

fn taints(check: &mut Check, spec: &Json) {
    let mut taken = std::collections::BTreeSet::new();
    for (index, taint) in objects(spec, "taints").enumerate() {
        // So says the real server.
        let path = format!("metadata.taints[{index}]");
        let (key, value, effect) = (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        check.faults(format!("{path}.key"), key, names::qualified(key));
        let faults = names::label_value(value);
        if !faults.is_empty() {
            check.invalid(format!("{path}.value"), value, faults.join(";"));
        }
        match effect {
            "" => check.required(format!("{path}.effect"), ""),
            _ => check.one_of(format!("{path}.effect"), effect, &EFFECTS),
        }
        if !taken.insert((key, effect)) {
            let part = |name: &str| Value::from(text(taint, name));
            let added = taint.get("timeAdded").map_or_else(|| "null".into(), Value::to_string);
            let written = format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{added}}}",
                part("key"),
                part("value"),
                part("effect")
            );
            check.push(duplicate_struct(&path, &written, "taints must be unique by key and effect pair"));
        }
    }
}

/// What changes of a node.
pub(super) fn node_update(check: &mut Check, new: &Json, old: &Json) {
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    let (after, before) = (list(now, "podCIDRs"), list(then, "podCIDRs"));
    if !before.is_empty() && after != before {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        check.forbidden("spec.podCIDRs", why);
    }
    let provider = text(then, "providerID");
    if !provider.is_empty() && provider != text(now, "providerID") {
        let why = "node updates may not change providerID except from \"\" to valid";
        check.forbidden("spec.providerID", why);
    }
    taints(check, now);
}

/// A lease.
pub(super) fn lease(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    if let Some(seconds) = number(spec, "leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        check.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
    }
    check.field_not_negative(spec, "spec", "leaseTransitions");
}

/// What happened, by an older or a newer client.
pub(super) fn event(check: &mut Check, json: &Json, newer: bool) {
    let namespace = text(object(json, "metadata"), "namespace");
    let about = text(object(json, "involvedObject"), "namespace");
    let mismatch = "does not match event.namespace";
    if json.get("eventTime").is_none_or(Value::is_null) {
        let fits = if about.is_empty() {
            namespace.is_empty() || namespace == "default"
        } else {
            about == namespace
        };
        if !fits {
            check.invalid("involvedObject.namespace", about, mismatch);
        }
    } else {
        if about.is_empty() && !matches!(namespace, "default" | "kube-system") {
            check.invalid("involvedObject.namespace", about, mismatch);
        }
        let controller = text(json, "reportingComponent");
        let field = if newer { "reportingController" } else { "reportingComponent" };
        if controller.is_empty() {
            check.required(field, "");
        }
        check.faults(field, controller, names::qualified(controller));
        for name in ["reportingInstance", "action", "reason"] {
            let value = text(json, name);
            if value.is_empty() {
                check.required(name, "");
            }
            if value.len() > 128 {
                check.invalid(name, "", "can have at most 128 characters");
            }
        }
        if text(json, "message").len() > 1024 {
            check.invalid("message", "", "can have at most 1024 characters");
        }
    }
    check.faults("namespace", namespace, names::subdomain(namespace));
}

/// What newer clients must say of a new event.
pub(super) fn new_event(check: &mut Check, json: &Json) {
    series(check, json);
    if json.get("eventTime").is_none_or(Value::is_null) {
        check.required("eventTime", "");
    }
    let kind = text(json, "type");
    if !matches!(kind, "Normal" | "Warning") {
        check.invalid("type", "", format!("has invalid value: {kind}"));
    }
    for name in ["firstTimestamp", "lastTimestamp"] {
        if json.get(name).is_some_and(Value::is_string) {
            check.invalid(name, "", "needs to be unset");
        }
    }
    if number(json, "count").unwrap_or(0) != 0 {
        check.invalid("count", "", "needs to be unset");
    }
    let source = object(json, "source");
    if !text(source, "component").is_empty() || !text(source, "host").is_empty() {
        check.invalid("source", "", "needs to be unset");
    }
}

fn series(check: &mut Check, json: &Json) {
    let Some(series) = maybe_object(json, "series") else { return };
    if number(series, "count").unwrap_or(0) < 2 {
        check.invalid("series.count", "", "should be at least 2");
    }
    if series.get("lastObservedTime").is_none_or(Value::is_null) {
        check.required("series.lastObservedTime", "");
    }
}

/// What newer clients may not change of an event.
pub(super) fn event_update(check: &mut Check, new: &Json, old: &Json) {
    const FIXED: [&str; 13] = [
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        "reason",
        "type",
        "eventTime",
        "action",
        "related",
        "reportingInstance",
    ];
    if new.get("series") != old.get("series") {
        series(check, new);
    }
    let plain = |event: &Json, name: &str| {
        let value = event.get(name).filter(|value| !value.is_null());
        value.filter(|value| **value != serde_json::json!({})).cloned()
    };
    for name in FIXED {
        check.unchanged(name, plain(new, name).as_ref(), plain(old, name).as_ref());
    }
    let controller = "reportingComponent";
    check.unchanged("reportingController", plain(new, controller).as_ref(), plain(old, controller).as_ref());
}
