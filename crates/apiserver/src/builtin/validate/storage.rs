//! Volumes, claims of them, and their classes.

use serde_json::{Value, json};

use super::check::Check;
use super::pod;
use super::resources::quantity;
use super::selectors;
use crate::builtin::fields::{list, maybe_object, maybe_text, object, text, texts};
use crate::document::Json;
use crate::metadata::names;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];
/// In the order in which they are looked at.
const SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

fn access_modes(check: &mut Check, spec: &Json, path: &str) {
    let path = format!("{path}.accessModes");
    for mode in texts(spec, "accessModes") {
        check.one_of(&path, mode, &MODES);
    }
    let alone = texts(spec, "accessModes").any(|mode| mode == "ReadWriteOncePod");
    let others = texts(spec, "accessModes").any(|mode| mode != "ReadWriteOncePod" && MODES.contains(&mode));
    if alone && others {
        check.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

/// A claim.
pub(super) fn claim_spec(check: &mut Check, spec: &Json, path: &str) {
    if list(spec, "accessModes").is_empty() {
        check.required(format!("{path}.accessModes"), "at least 1 access mode is required");
    }
    selectors::labels(check, spec.get("selector"), &format!("{path}.selector"));
    access_modes(check, spec, path);
    let at = format!("{path}.resources[storage]");
    match object(object(spec, "resources"), "requests").get("storage").and_then(quantity) {
        None => check.required(at, ""),
        Some(size) if size.nanos() <= 0 => check.invalid(at, size.to_string(), "must be greater than zero"),
        Some(_) => {}
    }
    for name in ["storageClassName", "volumeAttributesClassName"] {
        let class = text(spec, name);
        if !class.is_empty() && name == "storageClassName" {
            check.faults(format!("{path}.{name}"), class, names::subdomain(class));
        }
    }
    if let Some(mode) = maybe_text(spec, "volumeMode") {
        check.one_of(format!("{path}.volumeMode"), mode, &VOLUME_MODES);
    }
    for name in ["dataSource", "dataSourceRef"] {
        if let Some(source) = maybe_object(spec, name) {
            data_source(check, source, &format!("{path}.{name}"));
        }
    }
    let sources = maybe_object(spec, "dataSource").zip(maybe_object(spec, "dataSourceRef"));
    if let Some((old, new)) = sources {
        let same = |name: &str| text(old, name) == text(new, name);
        if !(same("kind") && same("name") && same("apiGroup")) {
            check.invalid_struct(path, "{}", "must match dataSourceRef");
        }
    }
}

fn data_source(check: &mut Check, source: &Json, path: &str) {
    for name in ["name", "kind"] {
        if text(source, name).is_empty() {
            check.required(format!("{path}.{name}"), "");
        }
    }
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        check.invalid(path, kind, why);
    }
    if !group.is_empty() {
        check.faults(format!("{path}.apiGroup"), group, names::subdomain(group));
    }
}

/// What changes of a claim.
pub(super) fn claim_update(check: &mut Check, new: &Json, old: &Json) {
    claim_spec(check, object(new, "spec"), "spec");
    let (mut now, mut then) = (object(new, "spec").clone(), object(old, "spec").clone());
    if text(&then, "volumeName").is_empty() {
        crate::builtin::fields::copy(&mut then, &now, "volumeName");
    }
    // A class may be filled in once there is one to choose.
    if !then.contains_key("storageClassName") {
        now.remove("storageClassName");
    }
    if text(object(new, "status"), "phase") == "Bound" {
        for spec in [&mut now, &mut then] {
            if let Some(requests) =
                spec.get_mut("resources").and_then(|resources| resources.get_mut("requests"))
            {
                requests["storage"] = Value::Null;
            }
            spec.remove("volumeAttributesClassName");
        }
    }
    if now != then {
        let why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
                   claims";
        check.forbidden("spec", why);
    }
    let size = |claim: &Json, path: &[&str]| {
        crate::builtin::fields::at(claim, path)
            .get("storage")
            .and_then(quantity)
            .map_or(0, |size| size.nanos())
    };
    let requested = ["spec", "resources", "requests"];
    if size(new, &requested) < size(old, &requested)
        && size(new, &requested) <= size(old, &["status", "capacity"])
    {
        check.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
    }
    check.unchanged(
        "volumeMode",
        object(new, "spec").get("volumeMode"),
        object(old, "spec").get("volumeMode"),
    );
}

/// A volume.
pub(super) fn volume(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    if list(spec, "accessModes").is_empty() {
        check.required("spec.accessModes", "");
    }
    access_modes(check, spec, "spec");
    let capacity = object(spec, "capacity");
    if capacity.is_empty() {
        check.required("spec.capacity", "");
    }
    if !capacity.contains_key("storage") || capacity.len() > 1 {
        let value = if capacity.is_empty() { Value::Null } else { json!(capacity) };
        check.push(bowline_merge::FieldError::not_supported("spec.capacity", value, &["storage"]));
    }
    for (name, size) in capacity {
        if name == "storage"
            && let Some(size) = quantity(size).filter(|size| size.nanos() <= 0)
        {
            check.invalid(format!("spec.capacity[{name}]"), size.to_string(), "must be greater than zero");
        }
    }
    let policy = text(spec, "persistentVolumeReclaimPolicy");
    if !policy.is_empty() {
        check.one_of("spec.persistentVolumeReclaimPolicy", policy, &["Delete", "Recycle", "Retain"]);
    }
    if let Some(affinity) = maybe_object(spec, "nodeAffinity") {
        match maybe_object(affinity, "required") {
            Some(required) => pod::node_selector(check, required, "spec.nodeAffinity.required"),
            None => check.required("spec.nodeAffinity.required", "must specify required node constraints"),
        }
    }
    volume_source(check, spec);
    let class = text(spec, "storageClassName");
    if !class.is_empty() {
        check.faults("spec.storageClassName", class, names::subdomain(class));
    }
    if let Some(mode) = maybe_text(spec, "volumeMode") {
        check.one_of("spec.volumeMode", mode, &VOLUME_MODES);
    }
}

fn volume_source(check: &mut Check, spec: &Json) {
    let mut found = false;
    for name in SOURCES {
        let Some(source) = maybe_object(spec, name) else { continue };
        let path = format!("spec.{name}");
        if found {
            check.forbidden(path, "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        let mut required = |name: &str| {
            if text(source, name).is_empty() {
                check.required(format!("{path}.{name}"), "");
            }
        };
        match *name {
            "hostPath" => pod::host_path(check, source, &path),
            "nfs" => pod::nfs(check, source, &path),
            "csi" => {
                required("driver");
                required("volumeHandle");
            }
            "local" => {
                required("path");
                if maybe_object(spec, "nodeAffinity").is_none() {
                    check.required("spec.nodeAffinity", "Local volume requires node affinity");
                }
            }
            _ => {}
        }
    }
    if !found {
        check.required("spec", "must specify a volume type");
    }
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle"
        && text(object(spec, "hostPath"), "path") == "/"
    {
        check.forbidden(
            "spec.persistentVolumeReclaimPolicy",
            "may not be 'recycle' for a hostPath mount of '/'",
        );
    }
}

/// What changes of a volume.
pub(super) fn volume_update(check: &mut Check, new: &Json, old: &Json) {
    volume(check, new);
    let sources = |volume: &Json| -> Json {
        let spec = object(volume, "spec").clone();
        spec.into_iter().filter(|(name, _)| SOURCES.contains(&name.as_str())).collect()
    };
    let (now, then) = (sources(new), sources(old));
    if now != then {
        let why = "spec.persistentvolumesource is immutable after creation";
        check.forbidden("spec.persistentvolumesource", why);
    }
    check.unchanged(
        "volumeMode",
        object(new, "spec").get("volumeMode"),
        object(old, "spec").get("volumeMode"),
    );
    if let Some(affinity) = object(old, "spec").get("nodeAffinity") {
        check.unchanged("nodeAffinity", object(new, "spec").get("nodeAffinity"), Some(affinity));
    }
}

/// A class of storage.
pub(super) fn class(check: &mut Check, json: &Json) {
    let provisioner = text(json, "provisioner");
    if provisioner.is_empty() {
        check.required("provisioner", "");
    } else {
        check.faults("provisioner", provisioner, names::qualified(&provisioner.to_lowercase()));
    }
    let parameters = object(json, "parameters");
    if parameters.len() > 512 {
        check.push(super::check::too_long_list("Provisioner Parameters", 512));
    }
    if parameters.keys().any(String::is_empty) {
        check.invalid("parameters", "", "field can not be empty.");
    }
    if let Some(policy) = maybe_text(json, "reclaimPolicy") {
        check.one_of("reclaimPolicy", policy, &["Delete", "Retain"]);
    }
    match maybe_text(json, "volumeBindingMode") {
        None => check.required("volumeBindingMode", ""),
        Some(mode) => check.one_of("volumeBindingMode", mode, &["Immediate", "WaitForFirstConsumer"]),
    }
}

/// What changes of a class of storage.
pub(super) fn class_update(check: &mut Check, new: &Json, old: &Json) {
    let same = |name: &str| new.get(name) == old.get(name);
    if !same("parameters") {
        check.forbidden("parameters", "updates to parameters are forbidden.");
    }
    if !same("provisioner") {
        check.forbidden("provisioner", "updates to provisioner are forbidden.");
    }
    if !same("reclaimPolicy") {
        check.forbidden("reclaimPolicy", "updates to reclaimPolicy are forbidden.");
    }
    check.unchanged("volumeBindingMode", new.get("volumeBindingMode"), old.get("volumeBindingMode"));
}
