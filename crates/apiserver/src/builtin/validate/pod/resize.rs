//! What may change of what the containers of a pod need, and may have.

use serde_json::Value;

use crate::builtin::fields::{list, maybe_object, object, objects, text};
use crate::builtin::prepare::quality;
use crate::builtin::validate::check::Check;
use crate::builtin::validate::resources::quantity;
use crate::document::Json;

const LISTS: [&str; 2] = ["containers", "initContainers"];
const MUTABLE: [&str; 2] = ["cpu", "memory"];

/// A pod of which the resources were changed, and nothing else.
pub(in crate::builtin::validate) fn pod(check: &mut Check, new: &Json, old: &Json) {
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    if let Some(why) = never(new, old) {
        return check.forbidden(super::NOWHERE, why);
    }
    super::whole(check, new);
    let class = text(object(old, "status"), "qosClass");
    let before = if class.is_empty() { quality::class(then) } else { class };
    if before != quality::class(now) {
        let why = "Pod QOS Class may not change as a result of resizing";
        check.invalid("spec", text(object(new, "status"), "qosClass"), why);
    }
    if !is_supported(old) {
        check.forbidden("spec", "Pod running on node without support for resize");
    }
    let found = check.count();
    LISTS.iter().for_each(|name| same_containers(check, now, then, name));
    if check.count() > found {
        return;
    }
    for name in ["initContainers", "containers"] {
        for (index, (new, old)) in objects(now, name).zip(objects(then, name)).enumerate() {
            if name == "containers" || is_sidecar(old) {
                nothing_removed(check, new, old, &format!("spec.{name}[{index}].resources"));
            }
        }
    }
    for name in LISTS {
        for (new, old) in objects(now, name).zip(objects(then, name)) {
            only_mutable(check, new, old, name);
        }
    }
}

/// Why a pod is never resized.
fn never(new: &Json, old: &Json) -> Option<&'static str> {
    let as_a_whole = |pod: &Json| {
        let resources = object(object(pod, "spec"), "resources");
        ["requests", "limits"].iter().any(|name| !object(resources, name).is_empty())
    };
    if as_a_whole(old) || as_a_whole(new) {
        return Some("pods with pod-level resources cannot be resized");
    }
    if super::is_static(old) {
        return Some("static pods cannot be resized");
    }
    let system = text(object(object(old, "spec"), "os"), "name");
    (system == "windows").then_some("windows pods cannot be resized")
}

/// Whether the node can resize, as far as can be seen: one that can says what running containers have.
fn is_supported(pod: &Json) -> bool {
    let mut running = objects(object(pod, "status"), "containerStatuses")
        .filter(|status| maybe_object(object(status, "state"), "running").is_some());
    running.next().is_none_or(|status| maybe_object(status, "resources").is_some())
}

fn same_containers(check: &mut Check, now: &Json, then: &Json, name: &str) {
    if list(now, name).len() != list(then, name).len() {
        return check
            .forbidden(format!("spec.{name}"), format!("{name} may not be added or removed on resize"));
    }
    for (index, (new, old)) in objects(now, name).zip(objects(then, name)).enumerate() {
        if text(new, "name") != text(old, "name") {
            let why = format!("{name} may not be renamed or reordered on resize");
            check.forbidden(format!("spec.{name}[{index}].name"), why);
        }
    }
}

fn is_sidecar(container: &Json) -> bool {
    text(container, "restartPolicy") == "Always"
}

fn nothing_removed(check: &mut Check, new: &Json, old: &Json, path: &str) {
    let (now, then) = (object(new, "resources"), object(old, "resources"));
    for name in ["requests", "limits"] {
        if object(then, name).keys().any(|resource| !object(now, name).contains_key(resource)) {
            check.forbidden(format!("{path}.{name}"), format!("resource {name} cannot be removed"));
        }
    }
}

fn only_mutable(check: &mut Check, new: &Json, old: &Json, list: &str) {
    let fixed = list == "initContainers" && !is_sidecar(new);
    let why = match (list, fixed) {
        (_, true) => "resources for non-sidecar init containers are immutable",
        ("initContainers", _) => "only cpu and memory resources for sidecar containers are mutable",
        _ => "only cpu and memory resources are mutable",
    };
    if !same_but_resources(new, old) || !same_resources(new, old, fixed) {
        check.forbidden("spec", why);
    }
}

/// An empty list is as good as none.
fn same_but_resources(new: &Json, old: &Json) -> bool {
    let rest = |container: &Json| {
        let mut container = container.clone();
        container.retain(|name, value| name != "resources" && *value != Value::Array(Vec::new()));
        container
    };
    rest(new) == rest(old)
}

/// Whether resources are the same, or as far as they are fixed.
fn same_resources(new: &Json, old: &Json, fixed: bool) -> bool {
    let (now, then) = (object(new, "resources"), object(old, "resources"));
    let amounts = |resources: &Json, name: &str| -> Vec<(String, Option<crate::quantity::Quantity>)> {
        let all = object(resources, name).iter();
        let counted = all.filter(|(name, _)| fixed || !MUTABLE.contains(&name.as_str()));
        counted.map(|(name, value)| (name.clone(), quantity(value))).collect()
    };
    let same = ["requests", "limits"].iter().all(|name| {
        // Where nothing was said, anything may be.
        (!fixed && object(then, name).is_empty()) || amounts(now, name) == amounts(then, name)
    });
    // Claims are not resized at all.
    let claims = if fixed { list(now, "claims") } else { &[] };
    same && list(then, "claims") == claims
}
