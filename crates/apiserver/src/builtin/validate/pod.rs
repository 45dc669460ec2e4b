//! Pods, and the templates of pods.

mod containers;
mod handlers;
mod resize;
mod scheduling;
mod security;
mod update;
mod variables;
mod volumes;

use super::check::Check;
use super::resources;
use crate::builtin::fields::{flag, list, maybe_object, number, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::{self, names};

pub(super) use handlers::port;
pub(super) use resize::pod as resize;
pub(super) use scheduling::{EFFECTS, node_selector};
pub(super) use update::{ephemeral_containers, pod as pod_update, status as status_update};
pub(super) use volumes::{host_path, nfs};

/// Where nothing in particular is wrong: so Go writes a path of nothing.
const NOWHERE: &str = "[]";

/// What is wrong with a new pod.
pub(super) fn create(check: &mut Check, pod: &Json) {
    whole(check, pod);
    let spec_of = object(pod, "spec");
    if !list(spec_of, "ephemeralContainers").is_empty() {
        check.forbidden("spec.ephemeralContainers", "cannot be set on create");
    }
    if !text(spec_of, "nodeName").is_empty() && !list(spec_of, "schedulingGates").is_empty() {
        check.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
    }
}

/// What is wrong with a pod, but for its metadata.
fn whole(check: &mut Check, pod: &Json) {
    let spec_of = object(pod, "spec");
    let name = text(object(pod, "metadata"), "name");
    spec(check, spec_of, name, "spec", true);
    for kind in ["containers", "initContainers"] {
        for (index, container) in objects(spec_of, kind).enumerate() {
            let image = text(container, "image");
            if image.len() != image.trim().len() {
                let why = "must not have leading or trailing whitespace";
                check.invalid(format!("spec.{kind}[{index}].image"), image, why);
            }
        }
    }
}

/// Whether a node runs the pod by itself, and only shows it here.
fn is_static(pod: &Json) -> bool {
    object(object(pod, "metadata"), "annotations").contains_key("kubernetes.io/config.mirror")
}

/// What is wrong with the template of a pod.
pub(super) fn template(check: &mut Check, template: &Json, path: &str) {
    let metadata_of = object(template, "metadata");
    check.extend(metadata::labels(metadata_of.get("labels"), &format!("{path}.labels")));
    check.extend(metadata::annotations(metadata_of.get("annotations"), &format!("{path}.annotations")));
    spec(check, object(template, "spec"), "", &format!("{path}.spec"), false);
    if !list(object(template, "spec"), "ephemeralContainers").is_empty() {
        check.forbidden(
            format!("{path}.spec.ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// What is wrong with the spec of a pod of this name, which may be unknown.
fn spec(check: &mut Check, spec: &Json, name: &str, path: &str, is_pod: bool) {
    let volumes = volumes::all(check, spec, name, &format!("{path}.volumes"));
    containers::all(check, spec, &volumes, path);
    host_network(check, spec, path, is_pod);
    check_policy(check, spec, path);
    check.extend(metadata::labels(spec.get("nodeSelector"), &format!("{path}.nodeSelector")));
    security::pod(check, spec, path);
    scheduling::affinity(check, object(spec, "affinity"), &format!("{path}.affinity"));
    dns_config(check, spec, &format!("{path}.dnsConfig"));
    scheduling::gates(check, spec, path);
    scheduling::spread(check, spec, &format!("{path}.topologySpreadConstraints"));
    names_of(check, spec, path);
    scheduling::tolerations(check, spec, &format!("{path}.tolerations"));
    host_aliases(check, spec, path);
    classes(check, spec, path);
}

fn check_policy(check: &mut Check, spec: &Json, path: &str) {
    required_one_of(check, spec, path, "restartPolicy", &["Always", "OnFailure", "Never"]);
    required_one_of(
        check,
        spec,
        path,
        "dnsPolicy",
        &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
    );
}

fn required_one_of(check: &mut Check, holder: &Json, path: &str, name: &str, supported: &[&str]) {
    match text(holder, name) {
        "" => check.required(format!("{path}.{name}"), ""),
        value => check.one_of(format!("{path}.{name}"), value, supported),
    }
}

/// On the network of its host, a container has the ports that it opens.
fn host_network(check: &mut Check, spec: &Json, path: &str, is_pod: bool) {
    if !flag(spec, "hostNetwork") {
        return;
    }
    for (index, container) in objects(spec, "containers").enumerate() {
        for (port_index, port) in objects(container, "ports").enumerate() {
            let outside = number(port, "hostPort").unwrap_or(0);
            if (is_pod || outside != 0) && outside != number(port, "containerPort").unwrap_or(0) {
                let path = format!("{path}.containers[{index}].ports[{port_index}].hostPort");
                check.invalid(path, outside, "must match `containerPort` when `hostNetwork` is true");
            }
        }
    }
}

fn names_of(check: &mut Check, spec: &Json, path: &str) {
    let mut named = |name: &str, faults: fn(&str) -> names::Faults| {
        let value = text(spec, name);
        if !value.is_empty() {
            check.faults(format!("{path}.{name}"), value, faults(value));
        }
    };
    named("serviceAccountName", names::subdomain);
    named("nodeName", names::subdomain);
    if let Some(value) = number(spec, "activeDeadlineSeconds") {
        let faults = names::within(value, 1, i32::MAX.into());
        check.faults(format!("{path}.activeDeadlineSeconds"), value, faults);
    }
    let mut named = |name: &str, faults: fn(&str) -> names::Faults| {
        let value = text(spec, name);
        if !value.is_empty() {
            check.faults(format!("{path}.{name}"), value, faults(value));
        }
    };
    named("hostname", names::label);
    named("subdomain", names::label);
}

fn host_aliases(check: &mut Check, spec: &Json, path: &str) {
    for (index, alias) in objects(spec, "hostAliases").enumerate() {
        let path = format!("{path}.hostAliases[{index}]");
        super::net::address(check, &format!("{path}.ip"), text(alias, "ip"));
        for (index, name) in texts(alias, "hostnames").enumerate() {
            check.faults(format!("{path}.hostnames[{index}]"), name, names::subdomain(name));
        }
    }
}

fn classes(check: &mut Check, spec: &Json, path: &str) {
    for name in ["priorityClassName", "runtimeClassName"] {
        let value = text(spec, name);
        if !value.is_empty() {
            check.faults(format!("{path}.{name}"), value, names::subdomain(value));
        }
    }
    let policy = text(spec, "preemptionPolicy");
    if !policy.is_empty() {
        check.one_of(format!("{path}.preemptionPolicy"), policy, &["PreemptLowerPriority", "Never"]);
    }
    if let Some(overhead) = maybe_object(spec, "overhead") {
        resources::amounts(check, overhead, &format!("{path}.overhead"), resources::Names::Container);
    }
}

fn dns_config(check: &mut Check, spec: &Json, path: &str) {
    let config = maybe_object(spec, "dnsConfig");
    let none = text(spec, "dnsPolicy") == "None";
    if none && config.is_none() {
        return check.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    let Some(config) = config else { return };
    let servers = list(config, "nameservers");
    if none && servers.is_empty() {
        let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return check.required(format!("{path}.nameservers"), why);
    }
    if servers.len() > 3 {
        check.invalid(format!("{path}.nameservers"), servers, "must not have more than 3 nameservers");
    }
    for (index, server) in texts(config, "nameservers").enumerate() {
        super::net::address(check, &format!("{path}.nameservers[{index}]"), server);
    }
    let searches = list(config, "searches");
    if searches.len() > 32 {
        check.invalid(format!("{path}.searches"), searches, "must not have more than 32 search paths");
    }
    for (index, option) in objects(config, "options").enumerate() {
        if text(option, "name").is_empty() {
            check.required(format!("{path}.options[{index}]"), "must not be empty");
        }
    }
}
