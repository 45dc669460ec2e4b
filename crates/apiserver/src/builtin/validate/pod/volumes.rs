//! Volumes of pods.

use std::collections::BTreeMap;

use super::variables;
use crate::builtin::fields::{maybe_object, number, object, objects, text};
use crate::builtin::validate::check::Check;
use crate::builtin::validate::storage;
use crate::document::Json;
use crate::metadata::names;
use crate::quantity::Quantity;

/// The volumes that are right, by name.
pub(super) type Volumes<'a> = BTreeMap<&'a str, &'a Json>;

/// In the order in which they are looked at.
const SOURCES: &[&str] = &[
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

/// All volumes of the pod of this name, which may be unknown.
pub(super) fn all<'a>(check: &mut Check, spec: &'a Json, pod: &str, path: &str) -> Volumes<'a> {
    let mut right = Volumes::new();
    for (index, volume) in objects(spec, "volumes").enumerate() {
        let path = format!("{path}[{index}]");
        let before = check.count();
        source(check, volume, pod, &path);
        let name = text(volume, "name");
        if name.is_empty() {
            check.required(format!("{path}.name"), "");
        } else {
            check.faults(format!("{path}.name"), name, names::label(name));
        }
        if right.contains_key(name) {
            check.duplicate(format!("{path}.name"), name);
        }
        if check.count() == before {
            right.insert(name, volume);
        }
    }
    right
}

fn source(check: &mut Check, volume: &Json, pod: &str, path: &str) {
    let mut found = false;
    for name in SOURCES {
        let Some(source) = maybe_object(volume, name) else { continue };
        let here = format!("{path}.{name}");
        if found {
            check.forbidden(here, "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        one(check, name, source, &here);
        let volume_name = text(volume, "name");
        if *name == "ephemeral" && !pod.is_empty() && !volume_name.is_empty() {
            let claim = format!("{pod}-{volume_name}");
            for fault in names::subdomain(&claim) {
                check.invalid(format!("{path}.name"), volume_name, format!("PVC name {claim:?}: {fault}"));
            }
        }
    }
    if !found {
        check.required(path, "must specify a volume type");
    }
}

fn one(check: &mut Check, name: &str, source: &Json, path: &str) {
    let mut required = |name: &str| {
        if text(source, name).is_empty() {
            check.required(format!("{path}.{name}"), "");
        }
    };
    match name {
        "emptyDir" => {
            let limit = source.get("sizeLimit").and_then(serde_json::Value::as_str).and_then(Quantity::parse);
            if limit.is_some_and(|limit| limit.nanos() < 0) {
                check.forbidden(
                    format!("{path}.sizeLimit"),
                    "SizeLimit field must be a valid resource quantity",
                );
            }
        }
        "hostPath" => host_path(check, source, path),
        "secret" => {
            required("secretName");
            files(check, source, path);
        }
        "configMap" => {
            required("name");
            files(check, source, path);
        }
        "nfs" => nfs(check, source, path),
        "persistentVolumeClaim" => required("claimName"),
        "downwardAPI" => {
            mode(check, source, path, "defaultMode");
            for file in objects(source, "items") {
                downward_file(check, file, path);
            }
        }
        "projected" => projected(check, source, path),
        "csi" => {
            required("driver");
        }
        "ephemeral" => match maybe_object(source, "volumeClaimTemplate") {
            None => check.required(format!("{path}.volumeClaimTemplate"), ""),
            Some(template) => {
                let spec = object(template, "spec");
                storage::claim_spec(check, spec, &format!("{path}.volumeClaimTemplate.spec"));
            }
        },
        "image" => required("reference"),
        _ => {}
    }
}

/// A path on the host.
pub(in crate::builtin::validate) fn host_path(check: &mut Check, source: &Json, path: &str) {
    const TYPES: [&str; 8] =
        ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let named = text(source, "path");
    if named.is_empty() {
        return check.required(format!("{path}.path"), "");
    }
    no_backsteps(check, named, &format!("{path}.path"));
    check.one_of(format!("{path}.type"), text(source, "type"), &TYPES);
}

/// A directory of an NFS server.
pub(in crate::builtin::validate) fn nfs(check: &mut Check, source: &Json, path: &str) {
    for name in ["server", "path"] {
        if text(source, name).is_empty() {
            check.required(format!("{path}.{name}"), "");
        }
    }
    let named = text(source, "path");
    if !named.starts_with('/') {
        check.invalid(format!("{path}.path"), named, "must be an absolute path");
    }
}

fn mode(check: &mut Check, holder: &Json, path: &str, name: &str) {
    if let Some(value) = number(holder, name).filter(|value| !(0..=0o777).contains(value)) {
        check.invalid(format!("{path}.{name}"), value, MODE);
    }
}

fn files(check: &mut Check, source: &Json, path: &str) {
    mode(check, source, path, "defaultMode");
    for (index, item) in objects(source, "items").enumerate() {
        key_to_path(check, item, &format!("{path}.items[{index}]"));
    }
}

fn key_to_path(check: &mut Check, item: &Json, path: &str) {
    for name in ["key", "path"] {
        if text(item, name).is_empty() {
            check.required(format!("{path}.{name}"), "");
        }
    }
    local(check, text(item, "path"), &format!("{path}.path"));
    mode(check, item, path, "mode");
}

fn downward_file(check: &mut Check, file: &Json, path: &str) {
    if text(file, "path").is_empty() {
        check.required(format!("{path}.path"), "");
    }
    local(check, text(file, "path"), &format!("{path}.path"));
    match (maybe_object(file, "fieldRef"), maybe_object(file, "resourceFieldRef")) {
        (Some(field), other) => {
            variables::file_field(check, field, &format!("{path}.fieldRef"));
            if other.is_some() {
                check.invalid(
                    path,
                    "resource",
                    "fieldRef and resourceFieldRef can not be specified simultaneously",
                );
            }
        }
        (None, Some(resource)) => {
            variables::resource_ref(check, resource, &format!("{path}.resourceFieldRef"), true);
        }
        (None, None) => check.required(path, "one of fieldRef and resourceFieldRef is required"),
    }
    mode(check, file, path, "mode");
}

fn projected(check: &mut Check, source: &Json, path: &str) {
    mode(check, source, path, "defaultMode");
    for (index, part) in objects(source, "sources").enumerate() {
        let here = format!("{path}.sources[{index}]");
        let mut parts = 0;
        for name in ["secret", "configMap"] {
            let Some(part) = maybe_object(part, name) else { continue };
            parts += 1;
            if text(part, "name").is_empty() {
                check.required(format!("{here}.{name}.name"), "");
            }
            for (index, item) in objects(part, "items").enumerate() {
                key_to_path(check, item, &format!("{here}.{name}.items[{index}]"));
            }
        }
        if let Some(part) = maybe_object(part, "downwardAPI") {
            parts += 1;
            for file in objects(part, "items") {
                downward_file(check, file, &format!("{here}.downwardAPI"));
            }
        }
        if let Some(token) = maybe_object(part, "serviceAccountToken") {
            parts += 1;
            let seconds = number(token, "expirationSeconds").unwrap_or(0);
            if seconds < 600 {
                let why = "may not specify a duration less than 10 minutes";
                check.invalid(format!("{here}.serviceAccountToken.expirationSeconds"), seconds, why);
            }
            match text(token, "path") {
                "" => check.required(format!("{path}.path"), ""),
                named => local(check, named, &format!("{path}.path")),
            }
        }
        if parts > 1 {
            check.forbidden(here, "may not specify more than 1 volume type per source");
        }
    }
}

/// A path inside of a volume whose names do not begin like the server's own.
fn local(check: &mut Check, named: &str, path: &str) {
    descending(check, named, path);
    if named.starts_with("..") && !named.starts_with("../") {
        check.invalid(path, named, "must not start with '..'");
    }
}

/// A path inside of a volume.
pub(super) fn descending(check: &mut Check, named: &str, path: &str) {
    if named.starts_with('/') {
        check.invalid(path, named, "must be a relative path");
    }
    no_backsteps(check, named, path);
}

/// A path that does not go back.
pub(in crate::builtin::validate) fn no_backsteps(check: &mut Check, named: &str, path: &str) {
    if named.split('/').any(|part| part == "..") {
        check.invalid(path, named, "must not contain '..'");
    }
}
