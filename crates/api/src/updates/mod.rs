//! Updates: versioned configuration of clusters. A [`Stack`] is one line of versions on a [`Cluster`]; an
//! [`Update`] asks for a version of it, whose content is a [`Bundle`].

mod bundle;
mod cluster;
mod stack;
mod update;

pub use bundle::{Bundle, BundlePart, BundleSpec};
pub use cluster::{
    Activity, AllowedNamespaces, Cluster, ClusterSpec, ClusterStatus, EmbeddedCluster, Endpoint,
    KubeconfigSecretRef, Oidc, Quota, UpdateActivity, UpgradeActivity,
};
pub use stack::{Drift, LastGood, Quarantined, Request, Stack, StackPhase, StackSpec, StackStatus};
pub use update::{Plan, Progress, Update, UpdatePhase, UpdateSpec, UpdateStatus};
