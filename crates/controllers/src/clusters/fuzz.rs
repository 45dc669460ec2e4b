//! Clusters, on objects that are nearly good.

use bowline_fuzz::Target;

use super::wire::ClusterWire;
use crate::fuzz::drawn;

const CLUSTER: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Cluster","metadata":{"name":"c","uid":"u","resourceVersion":"7","generation":1,
    "finalizers":["bowline.dev/embedded-cluster"]},"spec":{"kubeconfigSecretRef":{"name":"s"}},"status":{"observedGeneration":1,"version":"v1.34.0",
    "conditions":[{"type":"Ready","status":"True","reason":"Usable","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;

pub(crate) fn targets() -> Vec<Target> {
    vec![drawn("cluster-object", CLUSTER, ClusterWire, ())]
}
