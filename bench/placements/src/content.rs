//! What is in a namespace: a volume, one pod that uses it, and a setting.

use anyhow::Result;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, PersistentVolumeClaim};
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::json;

/// The deployment.
pub(crate) const WEB: &str = "web";
/// The claim.
pub(crate) const DATA: &str = "data";
/// The setting.
pub(crate) const SETTING: &str = "setting";

/// What a namespace is called.
pub(crate) fn name(number: usize) -> String {
    format!("n{number}")
}

pub(crate) fn namespace(name: &str) -> Namespace {
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(name.to_owned());
    namespace
}

pub(crate) fn deployment() -> Result<Deployment> {
    let volume = json!({ "name": "v", "persistentVolumeClaim": { "claimName": DATA } });
    Ok(serde_json::from_value(json!({
        "metadata": { "name": WEB },
        "spec": {
            "replicas": 1, "selector": { "matchLabels": { "app": WEB } },
            "template": {
                "metadata": { "labels": { "app": WEB } },
                "spec": { "containers": [{ "name": "c", "image": "c" }], "volumes": [volume] },
            },
        },
    }))?)
}

/// A claim for a volume of the class that all embedded clusters can attach.
pub(crate) fn claim() -> Result<PersistentVolumeClaim> {
    Ok(serde_json::from_value(json!({
        "metadata": { "name": DATA },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "simulated-shared",
            "resources": { "requests": { "storage": "1Gi" } },
        },
    }))?)
}

/// Makes all of it, in a namespace that is there.
pub(crate) async fn fill(server: &Client, namespace: &str) -> Result<()> {
    let params = PostParams::default();
    let setting =
        serde_json::from_value(json!({ "metadata": { "name": SETTING }, "data": { "number": "0" } }))?;
    Api::<ConfigMap>::namespaced(server.clone(), namespace).create(&params, &setting).await?;
    Api::<PersistentVolumeClaim>::namespaced(server.clone(), namespace).create(&params, &claim()?).await?;
    Api::<Deployment>::namespaced(server.clone(), namespace).create(&params, &deployment()?).await?;
    Ok(())
}
