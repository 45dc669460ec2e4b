//! The kinds that a syncer has to do with, as the API calls them.

use kube::core::{ApiResource, GroupVersionKind};

/// A kind that is copied down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    Account,
    Secret,
    Config,
    Service,
    /// Its objects are made by acts, and not copied: only their status goes up.
    Claim,
    Deployment,
    StatefulSet,
    Job,
}

impl Kind {
    /// All of them, what others need first.
    pub(crate) const ALL: [Kind; 8] = [
        Kind::Account,
        Kind::Secret,
        Kind::Config,
        Kind::Service,
        Kind::Claim,
        Kind::Deployment,
        Kind::StatefulSet,
        Kind::Job,
    ];

    /// Its group, kind and the name of its resource; it is served as `v1` everywhere.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Kind::Account => ("", "ServiceAccount", "serviceaccounts"),
            Kind::Secret => ("", "Secret", "secrets"),
            Kind::Config => ("", "ConfigMap", "configmaps"),
            Kind::Service => ("", "Service", "services"),
            Kind::Claim => ("", "PersistentVolumeClaim", "persistentvolumeclaims"),
            Kind::Deployment => ("apps", "Deployment", "deployments"),
            Kind::StatefulSet => ("apps", "StatefulSet", "statefulsets"),
            Kind::Job => ("batch", "Job", "jobs"),
        }
    }

    pub(crate) fn resource(self) -> ApiResource {
        let (group, kind, plural) = self.names();
        resource(group, kind, plural)
    }

    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        self.names().1
    }

    /// Whether pods are made by it.
    pub(crate) fn makes_pods(self) -> bool {
        matches!(self, Kind::Deployment | Kind::StatefulSet | Kind::Job)
    }

    /// Whether its status is shown on the hub.
    pub(crate) fn has_status(self) -> bool {
        matches!(self, Kind::Service | Kind::Claim | Kind::Deployment | Kind::StatefulSet | Kind::Job)
    }
}

pub(crate) fn resource(group: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural)
}

pub(crate) fn namespaces() -> ApiResource {
    resource("", "Namespace", "namespaces")
}

pub(crate) fn volumes() -> ApiResource {
    resource("", "PersistentVolume", "persistentvolumes")
}

pub(crate) fn pods() -> ApiResource {
    resource("", "Pod", "pods")
}

pub(crate) fn nodes() -> ApiResource {
    resource("", "Node", "nodes")
}

pub(crate) fn attachments() -> ApiResource {
    resource("storage.k8s.io", "VolumeAttachment", "volumeattachments")
}

/// Everything that makes pods. What is made by another of these goes with it.
pub(crate) fn makers() -> [ApiResource; 7] {
    [
        resource("batch", "CronJob", "cronjobs"),
        Kind::Deployment.resource(),
        Kind::StatefulSet.resource(),
        resource("apps", "DaemonSet", "daemonsets"),
        Kind::Job.resource(),
        resource("apps", "ReplicaSet", "replicasets"),
        resource("", "ReplicationController", "replicationcontrollers"),
    ]
}
