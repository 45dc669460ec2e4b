//! How the real server treats each kind beyond what its objects say.

use bowline_kernel::{Object, Propagation};
use serde_json::Value;

use crate::document::Document;
use crate::kinds::Kind;

/// Kinds that are made by a PUT if they are not there.
const CREATED_BY_UPDATE: &[(&str, &str)] = &[
    ("", "Endpoints"),
    ("", "Event"),
    ("", "LimitRange"),
    ("", "Service"),
    ("coordination.k8s.io", "Lease"),
    ("coordination.k8s.io", "LeaseCandidate"),
    ("events.k8s.io", "Event"),
    ("node.k8s.io", "RuntimeClass"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Kinds whose updates must say which version they replace.
const CONDITIONAL: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("certificates.k8s.io", "ClusterTrustBundle"),
    ("coordination.k8s.io", "Lease"),
    ("coordination.k8s.io", "LeaseCandidate"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodDisruptionBudget"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
];

/// Kinds whose deletion is answered with the object that is gone.
const SHOWN_WHEN_DELETED: &[(&str, &str)] = &[
    ("", "Namespace"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "PodTemplate"),
    ("", "ResourceQuota"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "ResourceClaim"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
    ("resource.k8s.io", "ResourceSlice"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
];

/// What a write of the status leaves alone, whatever it says of it: nobody comes to own it by that.
pub(crate) fn not_status(kind: &Kind) -> &'static [&'static str] {
    match (&*kind.group, &*kind.kind) {
        ("", "Pod") => &["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
        ("apps", "Deployment") => &["spec", "metadata.labels"],
        ("storage.k8s.io", "VolumeAttachment") | ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            &["spec", "metadata"]
        }
        ("certificates.k8s.io", "CertificateSigningRequest") => &["spec", "status.conditions"],
        _ => &["spec"],
    }
}

/// What a write of an object itself leaves alone, if it has a status.
pub(crate) fn not_main(kind: &Kind) -> &'static [&'static str] {
    if is_certificate_request(kind) { &["spec", "status"] } else { &["status"] }
}

/// Whether objects of the kind ask for certificates: nobody changes what is asked, and few what is answered.
pub(crate) fn is_certificate_request(kind: &Kind) -> bool {
    is_in(kind, &[("certificates.k8s.io", "CertificateSigningRequest")])
}

fn is_in(kind: &Kind, table: &[(&str, &str)]) -> bool {
    kind.custom.is_none() && table.contains(&(&*kind.group, &*kind.kind))
}

/// Whether a PUT of something that is not there makes it.
pub(crate) fn creates_on_update(kind: &Kind) -> bool {
    is_in(kind, CREATED_BY_UPDATE)
}

/// Whether an update may leave out which version it replaces.
pub(crate) fn updates_unconditionally(kind: &Kind) -> bool {
    kind.custom.is_none() && !is_in(kind, CONDITIONAL)
}

/// Whether a deletion is answered with the object that is gone, and not only with that it is.
pub(crate) fn shows_deleted(kind: &Kind) -> bool {
    is_in(kind, SHOWN_WHEN_DELETED)
}

/// What becomes of what an object owns, if who deletes it does not say; `None` is what all kinds do.
pub(crate) fn default_propagation(kind: &Kind) -> Option<Propagation> {
    // From the days before the collector: clients deleted the pods themselves.
    is_in(kind, &[("", "ReplicationController"), ("batch", "Job")]).then_some(Propagation::Orphan)
}

/// What readers and writers of a kind are warned of.
pub(crate) fn deprecation(kind: &Kind) -> Option<&'static str> {
    is_in(kind, &[("", "Endpoints")])
        .then_some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
}

/// What who deletes an object is told, if it does not say what becomes of what that owns.
pub(crate) fn unsaid_propagation(kind: &Kind) -> Option<&'static str> {
    is_in(kind, &[("batch", "Job")]).then_some(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove \
         them or set propagationPolicy=Orphan to suppress this warning",
    )
}

/// How long whoever runs an object may take to end it: `asked`, or what the object says.
pub(crate) fn grace_s(document: &Document, asked: Option<u64>) -> u64 {
    if !document.is_run() {
        return 0;
    }
    let pod = document.json();
    let at = |part: &str, name: &str| {
        pod.get(part).and_then(|part| part.get(name)).cloned().unwrap_or(Value::Null)
    };
    let runs = at("spec", "nodeName").as_str().is_some_and(|node| !node.is_empty());
    let ended = matches!(at("status", "phase").as_str(), Some("Failed" | "Succeeded"));
    if !runs || ended {
        return 0;
    }
    let said = || match at("spec", "terminationGracePeriodSeconds").as_i64() {
        // The least that lets anybody notice.
        Some(negative) if negative < 0 => 1,
        Some(seconds) => seconds.unsigned_abs(),
        None => 0,
    };
    asked.unwrap_or_else(said)
}
