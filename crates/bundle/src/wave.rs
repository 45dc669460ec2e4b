//! What is applied before what.

/// When it is an object's turn. It is an order of requests: nothing but definitions and namespaces has to be there, in every
/// sense, before the next can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wave {
    /// Definitions of kinds: their objects cannot be asked for before.
    Definitions,
    /// Namespaces: nothing can be put into them before.
    Namespaces,
    /// What others use when they start: accounts and rights, configuration, storage, quotas, addresses.
    Foundations,
    /// Everything else, and every kind that is not known here.
    Workloads,
    /// What gets between a server and its requests: as long as what stands behind it does not run, requests would fail.
    Interceptors,
}

impl Wave {
    /// All of them in their order.
    pub const ALL: [Wave; 5] =
        [Wave::Definitions, Wave::Namespaces, Wave::Foundations, Wave::Workloads, Wave::Interceptors];

    /// The wave of a kind. The group is empty for the core kinds.
    pub fn of(group: &str, kind: &str) -> Wave {
        match (group, kind) {
            ("apiextensions.k8s.io", "CustomResourceDefinition") => Wave::Definitions,
            ("", "Namespace") => Wave::Namespaces,
            (
                "",
                "ConfigMap"
                | "LimitRange"
                | "PersistentVolume"
                | "PersistentVolumeClaim"
                | "ResourceQuota"
                | "Secret"
                | "Service"
                | "ServiceAccount",
            )
            | ("networking.k8s.io", "IngressClass" | "NetworkPolicy")
            | ("node.k8s.io", "RuntimeClass")
            | ("policy", "PodDisruptionBudget")
            | ("rbac.authorization.k8s.io" | "scheduling.k8s.io" | "storage.k8s.io", _) => Wave::Foundations,
            ("admissionregistration.k8s.io", _) | ("apiregistration.k8s.io", "APIService") => {
                Wave::Interceptors
            }
            _ => Wave::Workloads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_need_comes_before_them() {
        let order = [
            ("apiextensions.k8s.io", "CustomResourceDefinition"),
            ("", "Namespace"),
            ("rbac.authorization.k8s.io", "ClusterRole"),
            ("apps", "Deployment"),
            ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        ];
        let waves: Vec<_> = order.iter().map(|(group, kind)| Wave::of(group, kind)).collect();
        assert_eq!(waves, Wave::ALL);
        assert!(waves.is_sorted());
    }

    #[test]
    fn a_kind_of_another_group_is_another_kind() {
        assert_eq!(Wave::of("", "Service"), Wave::Foundations);
        assert_eq!(Wave::of("serving.knative.dev", "Service"), Wave::Workloads);
        assert_eq!(Wave::of("example.org", "Namespace"), Wave::Workloads);
    }
}
