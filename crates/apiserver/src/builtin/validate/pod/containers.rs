//! Containers.

use std::collections::BTreeSet;

use super::volumes::Volumes;
use super::{handlers, security, variables};
use crate::builtin::fields::{flag, list, maybe_object, number, object, objects, text};
use crate::builtin::validate::check::Check;
use crate::builtin::validate::resources;
use crate::document::Json;
use crate::metadata::names;

pub(super) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// All containers of a pod.
pub(super) fn all(check: &mut Check, spec: &Json, volumes: &Volumes, path: &str) {
    let grace = number(spec, "terminationGracePeriodSeconds").unwrap_or(0);
    let mut taken = regular(check, spec, volumes, &format!("{path}.containers"), grace);
    init(check, spec, volumes, &format!("{path}.initContainers"), grace, &mut taken);
    ephemeral(check, spec, volumes, &format!("{path}.ephemeralContainers"), &mut taken);
}

fn regular(check: &mut Check, spec: &Json, volumes: &Volumes, path: &str, grace: i64) -> BTreeSet<String> {
    let mut taken = BTreeSet::new();
    if list(spec, "containers").is_empty() {
        check.required(path, "");
        return taken;
    }
    let host_users = spec.get("hostUsers") != Some(&false.into());
    for (index, container) in objects(spec, "containers").enumerate() {
        let path = format!("{path}[{index}]");
        common(check, container, volumes, &path, host_users);
        let name = text(container, "name");
        if !taken.insert(name.to_owned()) {
            check.duplicate(format!("{path}.name"), name);
        }
        handlers::of_container(check, container, &path, grace);
        if container.contains_key("restartPolicy") {
            check.forbidden(format!("{path}.restartPolicy"), "may not be set for non-init containers");
        }
    }
    host_ports(check, objects(spec, "containers").enumerate(), path);
    taken
}

fn init(
    check: &mut Check,
    spec: &Json,
    volumes: &Volumes,
    path: &str,
    grace: i64,
    taken: &mut BTreeSet<String>,
) {
    let host_users = spec.get("hostUsers") != Some(&false.into());
    for (index, container) in objects(spec, "initContainers").enumerate() {
        let here = format!("{path}[{index}]");
        common(check, container, volumes, &here, host_users);
        let policy = text(container, "restartPolicy");
        if !policy.is_empty() {
            check.one_of(format!("{here}.restartPolicy"), policy, &["Always"]);
        }
        let name = text(container, "name");
        if taken.contains(name) {
            check.duplicate(format!("{here}.name"), name);
        } else if !name.is_empty() {
            taken.insert(name.to_owned());
        }
        host_ports(check, std::iter::once((0, container)), path);
        if policy == "Always" {
            handlers::of_container(check, container, &here, grace);
            continue;
        }
        for name in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if container.contains_key(name) {
                let why = "may not be set for init containers without restartPolicy=Always";
                check.forbidden(format!("{here}.{name}"), why);
            }
        }
    }
}

fn ephemeral(check: &mut Check, spec: &Json, volumes: &Volumes, path: &str, taken: &mut BTreeSet<String>) {
    const NOT_ALLOWED: [&str; 9] = [
        "ports",
        "resources",
        "resizePolicy",
        "restartPolicy",
        "restartPolicyRules",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    const WHY: &str = "cannot be set for an Ephemeral Container";
    let host_users = spec.get("hostUsers") != Some(&false.into());
    for (index, container) in objects(spec, "ephemeralContainers").enumerate() {
        let path = format!("{path}[{index}]");
        common(check, container, volumes, &path, host_users);
        let name = text(container, "name");
        if !taken.insert(name.to_owned()) {
            check.duplicate(format!("{path}.name"), name);
        }
        let target = text(container, "targetContainerName");
        let others = objects(spec, "containers").chain(objects(spec, "initContainers"));
        if !target.is_empty() && !others.into_iter().any(|other| text(other, "name") == target) {
            check.not_found(format!("{path}.targetContainerName"), target);
        }
        for name in NOT_ALLOWED {
            let empty = container.get(name).is_none_or(|value| *value == serde_json::json!({}));
            if !empty {
                check.forbidden(format!("{path}.{name}"), WHY);
            }
        }
        for (index, mount) in objects(container, "volumeMounts").enumerate() {
            for name in ["subPath", "subPathExpr"].into_iter().filter(|name| !text(mount, name).is_empty()) {
                check.forbidden(format!("{path}.volumeMounts[{index}].{name}"), WHY);
            }
        }
    }
}

fn common(check: &mut Check, container: &Json, volumes: &Volumes, path: &str, host_users: bool) {
    let name = text(container, "name");
    if name.is_empty() {
        check.required(format!("{path}.name"), "");
    } else {
        check.faults(format!("{path}.name"), name, names::label(name));
    }
    if text(container, "image").is_empty() {
        check.required(format!("{path}.image"), "");
    }
    super::required_one_of(
        check,
        container,
        path,
        "terminationMessagePolicy",
        &["File", "FallbackToLogsOnError"],
    );
    ports(check, container, &format!("{path}.ports"));
    variables::env(check, container, &format!("{path}.env"));
    variables::env_from(check, container, &format!("{path}.envFrom"));
    mounts(check, container, volumes, &format!("{path}.volumeMounts"));
    devices(check, container, volumes, &format!("{path}.volumeDevices"));
    super::required_one_of(check, container, path, "imagePullPolicy", &["Always", "IfNotPresent", "Never"]);
    resources::requirements(check, object(container, "resources"), &format!("{path}.resources"));
    security::container(check, container, path, host_users);
}

fn ports(check: &mut Check, container: &Json, path: &str) {
    let mut taken = BTreeSet::new();
    for (index, port) in objects(container, "ports").enumerate() {
        let path = format!("{path}[{index}]");
        let name = text(port, "name");
        if !name.is_empty() {
            let faults = names::port(name);
            if !faults.is_empty() {
                check.faults(format!("{path}.name"), name, faults);
            } else if !taken.insert(name.to_owned()) {
                check.duplicate(format!("{path}.name"), name);
            }
        }
        match number(port, "containerPort").unwrap_or(0) {
            0 => check.required(format!("{path}.containerPort"), ""),
            value => check.faults(format!("{path}.containerPort"), value, names::port_number(value)),
        }
        if let Some(value) = number(port, "hostPort").filter(|value| *value != 0) {
            check.faults(format!("{path}.hostPort"), value, names::port_number(value));
        }
        super::required_one_of(check, port, &path, "protocol", &PROTOCOLS);
    }
}

fn host_ports<'a>(check: &mut Check, containers: impl Iterator<Item = (usize, &'a Json)>, path: &str) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers {
        for (port_index, port) in objects(container, "ports").enumerate() {
            let Some(outside) = number(port, "hostPort").filter(|port| *port != 0) else { continue };
            let key = format!("{}/{}/{outside}", text(port, "protocol"), text(port, "hostIP"));
            if !taken.insert(key.clone()) {
                check.duplicate(format!("{path}[{index}].ports[{port_index}].hostPort"), key);
            }
        }
    }
}

fn mounts(check: &mut Check, container: &Json, volumes: &Volumes, path: &str) {
    let mut points = BTreeSet::new();
    let device = |name: &str, value: &str| {
        objects(container, "volumeDevices").any(|device| text(device, name) == value)
    };
    for (index, mount) in objects(container, "volumeMounts").enumerate() {
        let here = format!("{path}[{index}]");
        let (name, point) = (text(mount, "name"), text(mount, "mountPath"));
        if name.is_empty() {
            check.required(format!("{here}.name"), "");
        }
        if !volumes.contains_key(name) {
            check.not_found(format!("{here}.name"), name);
        }
        if point.is_empty() {
            check.required(format!("{here}.mountPath"), "");
        }
        if !points.insert(point) {
            check.invalid(format!("{here}.mountPath"), point, "must be unique");
        }
        if device("name", name) {
            check.invalid(format!("{here}.name"), name, "must not already exist in volumeDevices");
        }
        if device("devicePath", point) {
            check.invalid(
                format!("{here}.mountPath"),
                point,
                "must not already exist as a path in volumeDevices",
            );
        }
        let (sub, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
        if !sub.is_empty() {
            super::volumes::descending(check, sub, &format!("{path}.subPath"));
        }
        if !expression.is_empty() {
            if !sub.is_empty() {
                let why = "subPathExpr and subPath are mutually exclusive";
                check.invalid(format!("{here}.subPathExpr"), expression, why);
            }
            super::volumes::descending(check, expression, &format!("{path}.subPathExpr"));
        }
        propagation(check, container, mount, &format!("{path}.mountPropagation"));
    }
}

fn propagation(check: &mut Check, container: &Json, mount: &Json, path: &str) {
    let value = text(mount, "mountPropagation");
    if value.is_empty() {
        return;
    }
    check.one_of(path, value, &["Bidirectional", "HostToContainer", "None"]);
    if value == "Bidirectional" && !flag(object(container, "securityContext"), "privileged") {
        check.forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
    }
}

fn devices(check: &mut Check, container: &Json, volumes: &Volumes, path: &str) {
    let mut taken = BTreeSet::new();
    let mut points = BTreeSet::new();
    for (index, device) in objects(container, "volumeDevices").enumerate() {
        let here = format!("{path}[{index}]");
        let (name, point) = (text(device, "name"), text(device, "devicePath"));
        if name.is_empty() {
            check.required(format!("{here}.name"), "");
        }
        if !taken.insert(name) {
            check.invalid(format!("{here}.name"), name, "must be unique");
        }
        match volumes.get(name) {
            None => check.not_found(format!("{here}.name"), name),
            Some(source) => {
                let claims = ["persistentVolumeClaim", "ephemeral"];
                if !claims.iter().any(|claim| maybe_object(source, claim).is_some()) {
                    let why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                    check.invalid(format!("{here}.name"), name, why);
                }
            }
        }
        if point.is_empty() {
            check.required(format!("{here}.devicePath"), "");
        }
        if !points.insert(point) {
            check.invalid(format!("{here}.devicePath"), point, "must be unique");
        }
    }
}
