//! The status of objects, which their controllers write.

use super::check::Check;
use super::{certificates, cluster, pod};
use crate::builtin::fields::{number, object};
use crate::document::Json;
use crate::kinds::Kind;

/// What is wrong with a changed status.
pub(super) fn update(check: &mut Check, kind: &Kind, new: &Json, old: &Json) {
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace") => cluster::namespace_status(check, new),
        ("", "Pod") => pod::status_update(check, new, old),
        ("certificates.k8s.io", "CertificateSigningRequest") => {
            certificates::request(check, new, old, certificates::By::Signer);
        }
        ("apps", "Deployment") => {
            let counted =
                ["observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas"];
            let others = ["unavailableReplicas", "terminatingReplicas", "collisionCount"];
            replicas(check, new, &[&counted[..], &others].concat(), &["updatedReplicas", "readyReplicas"]);
            let status = |status: &Json| number(object(status, "status"), "collisionCount");
            if let (Some(old), new) = (status(old), status(new).unwrap_or(0))
                && new < old
            {
                check.invalid("status.collisionCount", new, "cannot be decremented");
            }
        }
        ("apps", "ReplicaSet") | ("", "ReplicationController") => {
            let counted = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
            let counted = [&counted[..], &["observedGeneration", "terminatingReplicas"]].concat();
            replicas(check, new, &counted, &["fullyLabeledReplicas", "readyReplicas"]);
        }
        ("apps", "StatefulSet") => {
            let counted =
                ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
            let counted = [&counted[..], &["observedGeneration", "collisionCount"]].concat();
            replicas(check, new, &counted, &["readyReplicas", "currentReplicas", "updatedReplicas"]);
        }
        _ => {}
    }
}

/// None of these is negative, and none of those more than all.
fn replicas(check: &mut Check, new: &Json, counted: &[&str], parts: &[&str]) {
    let status = object(new, "status");
    for name in counted {
        check.field_not_negative(status, "status", name);
    }
    let count = |name: &str| number(status, name).unwrap_or(0);
    for name in parts.iter().chain(&["availableReplicas"]) {
        if count(name) > count("replicas") {
            check.invalid(format!("status.{name}"), count(name), "cannot be greater than status.replicas");
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        let why = "cannot be greater than readyReplicas";
        check.invalid("status.availableReplicas", count("availableReplicas"), why);
    }
}
