//! What is there once: the node that all pods are on, and the classes of volumes.

use bowline_runtime::now;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::conditions;
use crate::pods::NODE_ADDRESS;
use crate::time::written;
use crate::{DRIVER, NODE, SHARED};

/// What says that a node is not one.
pub(crate) const LABEL: &str = "bowline.dev/simulated";
/// What the server puts on a new node, for others to take off.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The home cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HomeError {
    /// The server does not do it.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// It is not what we think that it is.
    #[error("an object is not what it should be: {0}")]
    Json(#[from] serde_json::Error),
}

/// Sees that node and classes are there. What is there, and as it should be, is not written.
pub(crate) async fn furnish(client: &Client) -> Result<(), HomeError> {
    let classes: Api<StorageClass> = Api::all(client.clone());
    for (name, class) in [(NODE, class()), (SHARED, shared())] {
        if classes.get_opt(name).await?.is_none() {
            made(classes.create(&PostParams::default(), &serde_json::from_value(class)?).await)?;
        }
    }
    let nodes: Api<Node> = Api::all(client.clone());
    if nodes.get_opt(NODE).await?.is_none() {
        made(nodes.create(&PostParams::default(), &serde_json::from_value(node())?).await)?;
    }
    let known = serde_json::to_value(nodes.get(NODE).await?)?;
    let params = PatchParams::default();
    if !conditions::holds(&known["status"], "Ready") {
        nodes.patch_status(NODE, &params, &Patch::Merge(status())).await?;
    }
    let taints = known["spec"]["taints"].as_array();
    if let Some(taints) = taints.filter(|taints| taints.iter().any(|taint| taint["key"] == NOT_READY)) {
        let others: Vec<_> = taints.iter().filter(|taint| taint["key"] != NOT_READY).collect();
        nodes.patch(NODE, &params, &Patch::Merge(json!({ "spec": { "taints": others } }))).await?;
    }
    Ok(())
}

/// Somebody else may have been quicker.
fn made<T>(answer: kube::Result<T>) -> kube::Result<()> {
    match answer {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        Err(error) => Err(error),
    }
}

fn class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": NODE, "labels": { LABEL: "true" },
            "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } },
        "provisioner": format!("bowline.dev/{NODE}"), "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
    })
}

/// The class whose volumes a namespace can be moved with.
fn shared() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": SHARED, "labels": { LABEL: "true" } },
        "provisioner": DRIVER, "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
    })
}

fn node() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": NODE, "labels": {
            LABEL: "true", "kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux" } },
    })
}

fn status() -> Value {
    let now = written(now().wall);
    let room = json!({ "cpu": "1000", "memory": "4Ti", "ephemeral-storage": "64Ti", "pods": "100000" });
    json!({ "status": {
        "capacity": room, "allocatable": room,
        "addresses": [{ "type": "InternalIP", "address": NODE_ADDRESS }, { "type": "Hostname", "address": NODE }],
        "conditions": [{
            "type": "Ready", "status": "True", "reason": "Simulated",
            "message": "nothing runs here: pods only look as if they did",
            "lastHeartbeatTime": now, "lastTransitionTime": now }],
        "nodeInfo": {
            "architecture": "", "bootID": "", "containerRuntimeVersion": "", "kernelVersion": "", "kubeProxyVersion": "",
            "kubeletVersion": "simulated", "machineID": "", "operatingSystem": "linux", "osImage": "", "systemUUID": "" },
    } })
}
