//! What containers find in their environment.

use crate::builtin::fields::{maybe_object, objects, text};
use crate::builtin::validate::check::Check;
use crate::document::Json;
use crate::metadata::names;

const POD_FIELDS: [&str; 10] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    "spec.schedulerName",
];
const ENV_FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const FILE_FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// Variables.
pub(super) fn env(check: &mut Check, container: &Json, path: &str) {
    for (index, variable) in objects(container, "env").enumerate() {
        let path = format!("{path}[{index}]");
        let name = text(variable, "name");
        if name.is_empty() {
            check.required(format!("{path}.name"), "");
        } else {
            check.faults(format!("{path}.name"), name, names::variable(name));
        }
        if let Some(source) = maybe_object(variable, "valueFrom") {
            value_from(check, source, text(variable, "value"), &format!("{path}.valueFrom"));
        }
    }
}

fn value_from(check: &mut Check, source: &Json, value: &str, path: &str) {
    let mut sources = 0;
    if let Some(field) = maybe_object(source, "fieldRef") {
        sources += 1;
        field_ref(check, field, &format!("{path}.fieldRef"), &ENV_FIELDS);
    }
    if let Some(resource) = maybe_object(source, "resourceFieldRef") {
        sources += 1;
        resource_ref(check, resource, &format!("{path}.resourceFieldRef"), false);
    }
    for name in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(key) = maybe_object(source, name) {
            sources += 1;
            key_ref(check, key, &format!("{path}.{name}"));
        }
    }
    if sources == 0 {
        let why = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
        check.invalid(path, "", why);
    } else if !value.is_empty() {
        check.invalid(path, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        check.invalid(path, "", "may not have more than one field specified at a time");
    }
}

fn key_ref(check: &mut Check, key: &Json, path: &str) {
    let (name, key) = (text(key, "name"), text(key, "key"));
    check.faults(format!("{path}.name"), name, names::subdomain(name));
    if key.is_empty() {
        check.required(format!("{path}.key"), "");
    } else {
        check.faults(format!("{path}.key"), key, names::config_key(key));
    }
}

/// A field of the pod itself, for a file.
pub(super) fn file_field(check: &mut Check, field: &Json, path: &str) {
    field_ref(check, field, path, &FILE_FIELDS);
}

fn field_ref(check: &mut Check, field: &Json, path: &str, allowed: &[&str]) {
    if text(field, "apiVersion").is_empty() {
        return check.required(format!("{path}.apiVersion"), "");
    }
    let named = text(field, "fieldPath");
    if named.is_empty() {
        return check.required(format!("{path}.fieldPath"), "");
    }
    if let Some((holder, key)) = named.strip_suffix("']").and_then(|rest| rest.split_once("['")) {
        match holder {
            "metadata.annotations" => check.faults(path, key, names::qualified(&key.to_lowercase())),
            "metadata.labels" => check.faults(path, key, names::qualified(key)),
            _ => {
                let why =
                    format!("error converting fieldPath: field label does not support subscript: {named}");
                check.invalid(format!("{path}.fieldPath"), named, why);
            }
        }
        return;
    }
    let known = POD_FIELDS.contains(&named) || FILE_FIELDS.contains(&named) || named == "spec.host";
    if !known {
        let why = format!("error converting fieldPath: field label not supported: {named}");
        check.invalid(format!("{path}.fieldPath"), named, why);
    } else if !allowed.contains(&named) {
        check.one_of(format!("{path}.fieldPath"), named, allowed);
    }
}

/// A resource of a container.
pub(super) fn resource_ref(check: &mut Check, resource: &Json, path: &str, in_volume: bool) {
    let named = text(resource, "resource");
    if in_volume && text(resource, "containerName").is_empty() {
        check.required(format!("{path}.containerName"), "");
    } else if named.is_empty() {
        check.required(format!("{path}.resource"), "");
    } else if !["limits.hugepages-", "requests.hugepages-"].iter().any(|prefix| named.starts_with(prefix)) {
        check.one_of(format!("{path}.resource"), named, &RESOURCES);
    }
}

/// All keys of others as variables.
pub(super) fn env_from(check: &mut Check, container: &Json, path: &str) {
    for (index, source) in objects(container, "envFrom").enumerate() {
        let here = format!("{path}[{index}]");
        let prefix = text(source, "prefix");
        if !prefix.is_empty() {
            check.faults(format!("{here}.prefix"), prefix, names::variable(prefix));
        }
        let mut sources = 0;
        for name in ["configMapRef", "secretRef"] {
            if let Some(reference) = maybe_object(source, name) {
                sources += 1;
                let path = format!("{here}.{name}.name");
                match text(reference, "name") {
                    "" => check.required(path, ""),
                    name => check.faults(path, name, names::subdomain(name)),
                }
            }
        }
        if sources == 0 {
            check.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
        } else if sources > 1 {
            check.invalid(path, "", "may not have more than one field specified at a time");
        }
    }
}
