//! Defaults of pods, and of the templates of pods.

use serde_json::{Value, json};

use super::has_any;
use super::rules::{self, apply};
use crate::builtin::fields::{enter, fill, flag, list, number, object, object_mut, objects_mut, text};
use crate::document::Json;
use crate::quantity::Quantity;

const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const SOURCES: &[&str] = &[
    "hostPath",
    "emptyDir",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "persistentVolumeClaim",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "downwardAPI",
    "fc",
    "azureFile",
    "configMap",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "projected",
    "portworxVolume",
    "scaleIO",
    "storageos",
    "csi",
    "ephemeral",
    "image",
];

/// The defaults of a pod.
pub(super) fn pod(json: &mut Json) {
    let spec = enter(json, "spec");
    spec_of_pod(spec);
    for name in ["containers", "initContainers"] {
        for container in objects_mut(spec, name) {
            request_limits(container);
        }
    }
    fill(spec, "enableServiceLinks", true);
    if flag(spec, "hostNetwork") {
        for name in ["containers", "initContainers"] {
            for container in objects_mut(spec, name) {
                expose_on_host(container);
            }
        }
    }
    if let Some(status) = object_mut(json, "status") {
        status_of_pod(status);
    }
}

/// The older and the newer field for addresses say the same, and a condition says when it was looked at.
fn status_of_pod(status: &mut Json) {
    for (one, all) in [("podIP", "podIPs"), ("hostIP", "hostIPs")] {
        if let Some(address) = status.get(one).cloned()
            && list(status, all).is_empty()
        {
            status.insert(all.into(), json!([{ "ip": address }]));
        }
    }
    for condition in objects_mut(status, "conditions") {
        fill(condition, "lastProbeTime", Value::Null);
    }
}

/// The defaults of the template of a pod.
pub(in crate::builtin) fn template(template: &mut Json) {
    spec_of_pod(enter(template, "spec"));
}

fn spec_of_pod(spec: &mut Json) {
    apply(spec, rules::POD);
    // The older of two names for the same.
    let account = text(spec, "serviceAccountName");
    let account = if account.is_empty() { text(spec, "serviceAccount") } else { account }.to_owned();
    if !account.is_empty() {
        spec.insert("serviceAccountName".into(), account.clone().into());
        spec.insert("serviceAccount".into(), account.into());
    }
    round(spec, "overhead");
    for name in CONTAINERS {
        for container in objects_mut(spec, name) {
            fill_container(container);
        }
    }
    for volume in objects_mut(spec, "volumes") {
        if !has_any(volume, SOURCES) {
            volume.insert("emptyDir".into(), json!({}));
        }
        volume_source(volume);
        if let Some(image) = object_mut(volume, "image") {
            let policy = pull_policy(text(image, "reference"));
            fill(image, "pullPolicy", policy);
        }
    }
}

/// The defaults of what a volume is made of.
pub(super) fn volume_source(volume: &mut Json) {
    apply(volume, rules::VOLUME);
}

fn fill_container(container: &mut Json) {
    let policy = pull_policy(text(container, "image"));
    fill(container, "imagePullPolicy", policy);
    apply(container, rules::CONTAINER);
    for name in PROBES {
        if let Some(probe) = object_mut(container, name) {
            apply(probe, rules::PROBE);
        }
    }
    let resources = enter(container, "resources");
    round(resources, "limits");
    round(resources, "requests");
}

/// An image without a tag, or with the tag `latest`, may change.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or(image);
    let latest = match (name.contains('@'), name.split_once(':')) {
        (true, _) => false,
        (false, None) => !image.is_empty(),
        (false, Some((_, tag))) => tag == "latest",
    };
    if latest { "Always" } else { "IfNotPresent" }
}

/// What is limited and not requested is requested as it is limited.
fn request_limits(container: &mut Json) {
    let resources = enter(container, "resources");
    let limits = object(resources, "limits").clone();
    if limits.is_empty() {
        return;
    }
    let requests = enter(resources, "requests");
    for (name, limit) in limits {
        fill(requests, &name, limit);
    }
}

fn expose_on_host(container: &mut Json) {
    for port in objects_mut(container, "ports") {
        if let Some(inside) = number(port, "containerPort") {
            fill(port, "hostPort", inside);
        }
    }
}

/// Amounts of resources have no parts smaller than a thousandth.
pub(super) fn round(holder: &mut Json, name: &str) {
    const MILLI: i128 = 1_000_000;
    let Some(resources) = object_mut(holder, name) else { return };
    for amount in resources.values_mut() {
        let Some(parsed) = amount.as_str().and_then(Quantity::parse) else { continue };
        if parsed.nanos() % MILLI != 0 {
            let up = parsed.nanos().div_euclid(MILLI) + 1;
            if let Some(rounded) = Quantity::parse(&format!("{up}m")) {
                *amount = rounded.to_string().into();
            }
        }
    }
}
