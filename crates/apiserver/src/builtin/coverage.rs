//! Which built-in kinds have rules of their own here, and which have not.

/// The built-in kinds that are stored as they were sent: their types are checked, and what all kinds have in common;
/// nothing is filled in, and nothing that is only theirs is judged. The document of differences is made of it.
pub const AS_SENT: &[(&str, &str)] = &[
    ("apps", "ControllerRevision"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
    ("networking.k8s.io", "IPAddress"),
    ("networking.k8s.io", "ServiceCIDR"),
    ("node.k8s.io", "RuntimeClass"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "ResourceClaim"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
    ("resource.k8s.io", "ResourceSlice"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
];

/// The built-in kinds whose defaults are filled in, and of which nothing is judged that is only theirs.
pub const FILLED_IN_ONLY: &[(&str, &str)] =
    &[("autoscaling", "HorizontalPodAutoscaler"), ("storage.k8s.io", "CSIDriver")];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind that is served is judged, or stands in a table that says that it is not.
    #[test]
    fn no_kind_is_forgotten() {
        const JUDGED: &[(&str, &str)] = &[
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
            ("", "ConfigMap"),
            ("", "Endpoints"),
            ("", "Event"),
            ("", "LimitRange"),
            ("", "Namespace"),
            ("", "Node"),
            ("", "PersistentVolume"),
            ("", "PersistentVolumeClaim"),
            ("", "Pod"),
            ("", "PodTemplate"),
            ("", "ReplicationController"),
            ("", "ResourceQuota"),
            ("", "Secret"),
            ("", "Service"),
            ("", "ServiceAccount"),
            ("apps", "DaemonSet"),
            ("apps", "Deployment"),
            ("apps", "ReplicaSet"),
            ("apps", "StatefulSet"),
            ("batch", "CronJob"),
            ("batch", "Job"),
            ("coordination.k8s.io", "Lease"),
            ("discovery.k8s.io", "EndpointSlice"),
            ("events.k8s.io", "Event"),
            ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
            ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
            ("networking.k8s.io", "Ingress"),
            ("networking.k8s.io", "IngressClass"),
            ("networking.k8s.io", "NetworkPolicy"),
            ("policy", "PodDisruptionBudget"),
            ("scheduling.k8s.io", "PriorityClass"),
            ("storage.k8s.io", "StorageClass"),
        ];
        let mut forgotten = Vec::new();
        for kind in crate::builtin_table::kinds() {
            let name = (&*kind.group, &*kind.kind);
            let stored = kind.verbs.iter().any(|verb| &**verb == "list");
            // Roles and definitions are judged elsewhere.
            let elsewhere = matches!(name.0, "rbac.authorization.k8s.io" | "apiextensions.k8s.io");
            let tables = [JUDGED, AS_SENT, FILLED_IN_ONLY];
            if stored && !elsewhere && tables.iter().filter(|table| table.contains(&name)).count() != 1 {
                forgotten.push(format!("{name:?}"));
            }
        }
        assert!(forgotten.is_empty(), "{}", forgotten.join(", "));
    }
}
