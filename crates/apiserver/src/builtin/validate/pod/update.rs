//! What may change of a pod.

use std::collections::BTreeSet;

use serde_json::Value;

use super::scheduling;
use crate::builtin::fields::{copy, list, number, object, objects, text};
use crate::builtin::validate::check::Check;
use crate::document::Json;
use crate::metadata::names;

const UPDATABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
                         `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only \
                         additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set \
                         to 1 if it was previously negative)";

/// A changed pod.
pub(in crate::builtin::validate) fn pod(check: &mut Check, new: &Json, old: &Json) {
    super::whole(check, new);
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    for name in ["containers", "initContainers"] {
        if !same_containers(check, now, then, name) {
            return;
        }
    }
    if !deadline(check, now, then) {
        return;
    }
    only_added_tolerations(check, now, then);
    only_opened_gates(check, now, then);
    if *now == *then {
        return;
    }
    let mut munged = now.clone();
    for name in ["containers", "initContainers"] {
        let images: Vec<Value> =
            objects(then, name).map(|container| text(container, "image").into()).collect();
        let containers = munged.get_mut(name).and_then(Value::as_array_mut);
        for (container, image) in containers.into_iter().flatten().zip(images) {
            container["image"] = image;
        }
    }
    for name in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        copy(&mut munged, then, name);
    }
    const GRACE: &str = "terminationGracePeriodSeconds";
    if number(then, GRACE).is_some_and(|grace| grace < 0) && number(&munged, GRACE) == Some(1) {
        copy(&mut munged, then, GRACE);
    }
    // Who waits to be scheduled may still say where.
    if !list(then, "schedulingGates").is_empty() {
        for name in ["nodeSelector", "affinity"] {
            copy(&mut munged, then, name);
        }
    }
    if munged != *then {
        check.forbidden("spec", UPDATABLE);
    }
}

fn same_containers(check: &mut Check, now: &Json, then: &Json, name: &str) -> bool {
    if list(now, name).len() != list(then, name).len() {
        check.forbidden(format!("spec.{name}"), "pod updates may not add or remove containers");
        return false;
    }
    for (index, container) in objects(now, name).enumerate() {
        let (image, path) = (text(container, "image"), format!("spec.{name}[{index}].image"));
        if image.is_empty() {
            check.required(&path, "");
        }
        if image.trim().len() != image.len() {
            check.invalid(path, image, "must not have leading or trailing whitespace");
        }
    }
    true
}

fn deadline(check: &mut Check, now: &Json, then: &Json) -> bool {
    const PATH: &str = "spec.activeDeadlineSeconds";
    let (new, old) = (number(now, "activeDeadlineSeconds"), number(then, "activeDeadlineSeconds"));
    match (new, old) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            check.faults(PATH, new, names::within(new, 0, i32::MAX.into()));
            false
        }
        (Some(new), Some(old)) if old < new => {
            check.invalid(PATH, new, "must be less than or equal to previous value");
            false
        }
        (None, Some(_)) => {
            check.invalid(PATH, Value::Null, "must not update from a positive integer to nil value");
            true
        }
        _ => true,
    }
}

fn only_added_tolerations(check: &mut Check, now: &Json, then: &Json) {
    let without_seconds = |toleration: &Json| {
        let mut toleration = toleration.clone();
        toleration.remove("tolerationSeconds");
        Value::Object(toleration).to_string()
    };
    let new: BTreeSet<String> = objects(now, "tolerations").map(without_seconds).collect();
    if objects(then, "tolerations").any(|old| !new.contains(&without_seconds(old))) {
        let why = "existing toleration can not be modified except its tolerationSeconds";
        return check.forbidden("spec.tolerations", why);
    }
    scheduling::tolerations(check, now, "spec.tolerations");
}

fn only_opened_gates(check: &mut Check, now: &Json, then: &Json) {
    let old: BTreeSet<&str> = objects(then, "schedulingGates").map(|gate| text(gate, "name")).collect();
    for (index, gate) in objects(now, "schedulingGates").enumerate() {
        if !old.contains(text(gate, "name")) {
            let why = "only deletion is allowed, but found new scheduling gate";
            check.forbidden(
                format!("spec.schedulingGates[{index}]"),
                format!("{why} '{}'", text(gate, "name")),
            );
        }
    }
}

/// The status of a pod.
pub(in crate::builtin::validate) fn status(check: &mut Check, new: &Json, old: &Json) {
    let (now, then) = (object(new, "status"), object(old, "status"));
    for (index, condition) in objects(now, "conditions").enumerate() {
        let path = format!("status.conditions[{index}].type");
        let known = ["PodScheduled", "Ready", "Initialized", "ContainersReady", "DisruptionTarget"];
        let kind = text(condition, "type");
        if !known.contains(&kind) {
            check.faults(path, kind, names::qualified(kind));
        }
    }
    let nominated = text(now, "nominatedNodeName");
    if !nominated.is_empty() && nominated != text(then, "nominatedNodeName") {
        check.faults("status.nominatedNodeName", nominated, names::subdomain(nominated));
    }
    check.unchanged("status.qosClass", now.get("qosClass"), then.get("qosClass"));
    for (index, address) in objects(now, "podIPs").enumerate() {
        crate::builtin::validate::net::address(
            check,
            &format!("status.podIPs[{index}]"),
            text(address, "ip"),
        );
    }
}

/// Ephemeral containers are only added.
pub(in crate::builtin::validate) fn ephemeral_containers(check: &mut Check, new: &Json, old: &Json) {
    if super::is_static(old) {
        return check.forbidden(super::NOWHERE, "static pods do not support ephemeral containers");
    }
    super::whole(check, new);
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    for container in objects(then, "ephemeralContainers") {
        let name = text(container, "name");
        match objects(now, "ephemeralContainers").find(|other| text(other, "name") == name) {
            None => {
                let why = format!("existing ephemeral containers {name:?} may not be removed\n");
                check.forbidden("spec.ephemeralContainers", why);
            }
            Some(other) if other != container => {
                let why = format!("existing ephemeral containers {name:?} may not be changed\n");
                check.forbidden("spec.ephemeralContainers", why);
            }
            Some(_) => {}
        }
    }
}
