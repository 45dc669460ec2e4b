//! Defaults as data: a path, and the value that is put there if there is none.

use super::value;
use crate::builtin::fields::{enter, fill, object_mut, objects_mut};
use crate::document::Json;

/// A value that is put where there is none.
#[derive(Clone, Copy)]
pub(crate) enum Filled {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(i64),
    /// A boolean.
    Flag(bool),
    /// An empty object.
    Empty,
}

use Filled::{Empty, Flag, Number, Text};

/// Names with dots between; `+` after one makes the object if it is not there, `[]` means each item of a list.
type Rules = &'static [(&'static str, Filled)];

/// The defaults of a kind.
pub(super) fn of(group: &str, kind: &str) -> Rules {
    let found = KINDS.iter().find(|(g, k, _)| (*g, *k) == (group, kind));
    found.map_or(&[], |(_, _, rules)| rules)
}

const KINDS: &[(&str, &str, Rules)] = &[
    ("flowcontrol.apiserver.k8s.io", "FlowSchema", &[("spec+.matchingPrecedence", Number(1000))]),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", &[("spec+.failurePolicy", Text("Fail"))]),
    ("", "Namespace", &[("status+.phase", Text("Active"))]),
    ("", "Secret", &[("type", Text("Opaque"))]),
    (
        "",
        "Service",
        &[
            ("spec+.sessionAffinity", Text("None")),
            ("spec+.type", Text("ClusterIP")),
            ("spec.ports[].protocol", Text("TCP")),
        ],
    ),
    (
        "",
        "PersistentVolume",
        &[
            ("status+.phase", Text("Pending")),
            ("spec+.persistentVolumeReclaimPolicy", Text("Retain")),
            ("spec+.volumeMode", Text("Filesystem")),
        ],
    ),
    (
        "",
        "PersistentVolumeClaim",
        &[("status+.phase", Text("Pending")), ("spec+.volumeMode", Text("Filesystem"))],
    ),
    ("", "Endpoints", &[("subsets[].ports[].protocol", Text("TCP"))]),
    ("", "ReplicationController", &[("spec+.replicas", Number(1))]),
    (
        "apps",
        "Deployment",
        &[
            ("spec+.replicas", Number(1)),
            ("spec+.strategy+.type", Text("RollingUpdate")),
            ("spec+.revisionHistoryLimit", Number(10)),
            ("spec+.progressDeadlineSeconds", Number(600)),
        ],
    ),
    ("apps", "ReplicaSet", &[("spec+.replicas", Number(1))]),
    (
        "apps",
        "DaemonSet",
        &[("spec+.updateStrategy+.type", Text("RollingUpdate")), ("spec+.revisionHistoryLimit", Number(10))],
    ),
    (
        "apps",
        "StatefulSet",
        &[
            ("spec+.podManagementPolicy", Text("OrderedReady")),
            ("spec+.persistentVolumeClaimRetentionPolicy+.whenDeleted", Text("Retain")),
            ("spec+.persistentVolumeClaimRetentionPolicy+.whenScaled", Text("Retain")),
            ("spec+.replicas", Number(1)),
            ("spec+.revisionHistoryLimit", Number(10)),
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            ("spec+.concurrencyPolicy", Text("Allow")),
            ("spec+.suspend", Flag(false)),
            ("spec+.successfulJobsHistoryLimit", Number(3)),
            ("spec+.failedJobsHistoryLimit", Number(1)),
        ],
    ),
    (
        "storage.k8s.io",
        "StorageClass",
        &[("reclaimPolicy", Text("Delete")), ("volumeBindingMode", Text("Immediate"))],
    ),
    (
        "storage.k8s.io",
        "CSIDriver",
        &[
            ("spec+.attachRequired", Flag(true)),
            ("spec+.podInfoOnMount", Flag(false)),
            ("spec+.storageCapacity", Flag(false)),
            ("spec+.fsGroupPolicy", Text("ReadWriteOnceWithFSType")),
            ("spec+.requiresRepublish", Flag(false)),
            ("spec+.seLinuxMount", Flag(false)),
        ],
    ),
    ("scheduling.k8s.io", "PriorityClass", &[("preemptionPolicy", Text("PreemptLowerPriority"))]),
    ("discovery.k8s.io", "EndpointSlice", &[("ports[].name", Text("")), ("ports[].protocol", Text("TCP"))]),
    (
        "networking.k8s.io",
        "NetworkPolicy",
        &[("spec.ingress[].ports[].protocol", Text("TCP")), ("spec.egress[].ports[].protocol", Text("TCP"))],
    ),
    ("networking.k8s.io", "IngressClass", &[("spec.parameters.scope", Text("Cluster"))]),
    ("autoscaling", "HorizontalPodAutoscaler", &[("spec+.minReplicas", Number(1))]),
];

/// The defaults of a pod's spec.
pub(super) const POD: Rules = &[
    ("dnsPolicy", Text("ClusterFirst")),
    ("restartPolicy", Text("Always")),
    ("securityContext", Empty),
    ("terminationGracePeriodSeconds", Number(30)),
    ("schedulerName", Text("default-scheduler")),
];

/// The defaults of a container.
pub(super) const CONTAINER: Rules = &[
    ("terminationMessagePath", Text("/dev/termination-log")),
    ("terminationMessagePolicy", Text("File")),
    ("ports[].protocol", Text("TCP")),
    ("env[].valueFrom.fieldRef.apiVersion", Text("v1")),
    ("lifecycle.postStart.httpGet.path", Text("/")),
    ("lifecycle.postStart.httpGet.scheme", Text("HTTP")),
    ("lifecycle.preStop.httpGet.path", Text("/")),
    ("lifecycle.preStop.httpGet.scheme", Text("HTTP")),
];

/// The defaults of a probe.
pub(super) const PROBE: Rules = &[
    ("timeoutSeconds", Number(1)),
    ("periodSeconds", Number(10)),
    ("successThreshold", Number(1)),
    ("failureThreshold", Number(3)),
    ("httpGet.path", Text("/")),
    ("httpGet.scheme", Text("HTTP")),
    ("grpc.service", Text("")),
];

/// The defaults of what a volume is made of, in pods and persistent volumes.
pub(super) const VOLUME: Rules = &[
    ("secret.defaultMode", Number(420)),
    ("configMap.defaultMode", Number(420)),
    ("downwardAPI.defaultMode", Number(420)),
    ("downwardAPI.items[].fieldRef.apiVersion", Text("v1")),
    ("projected.defaultMode", Number(420)),
    ("projected.sources[].serviceAccountToken.expirationSeconds", Number(3600)),
    ("projected.sources[].downwardAPI.items[].fieldRef.apiVersion", Text("v1")),
    ("hostPath.type", Text("")),
    ("iscsi.iscsiInterface", Text("default")),
    ("rbd.pool", Text("rbd")),
    ("rbd.user", Text("admin")),
    ("rbd.keyring", Text("/etc/ceph/keyring")),
    ("azureDisk.cachingMode", Text("ReadWrite")),
    ("azureDisk.fsType", Text("ext4")),
    ("azureDisk.readOnly", Flag(false)),
    ("azureDisk.kind", Text("Shared")),
    ("scaleIO.storageMode", Text("ThinProvisioned")),
    ("scaleIO.fsType", Text("xfs")),
    ("ephemeral.volumeClaimTemplate.spec+.volumeMode", Text("Filesystem")),
];

/// Puts each value where there is none.
pub(super) fn apply(json: &mut Json, rules: Rules) {
    for (path, default) in rules {
        put(json, path, *default);
    }
}

fn put(json: &mut Json, path: &'static str, default: Filled) {
    let Some((name, rest)) = path.split_once('.') else {
        fill(json, path, value(&default));
        return;
    };
    if let Some(list) = name.strip_suffix("[]") {
        for item in objects_mut(json, list) {
            put(item, rest, default);
        }
    } else if let Some(name) = name.strip_suffix('+') {
        put(enter(json, name), rest, default);
    } else if let Some(object) = object_mut(json, name) {
        put(object, rest, default);
    }
}
