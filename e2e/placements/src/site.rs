//! Workload clusters: embedded ones in a process of their own, so that the hub can be killed without them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Role, bowline};
use bowline_e2e_up::run;
use serde_json::{Value, json};

/// Some workload clusters.
pub struct Sites {
    hub: Hub,
    directory: PathBuf,
}

impl Sites {
    /// Embedded clusters with these names.
    ///
    /// # Errors
    /// If they do not start.
    pub fn start(directory: &Path, names: &[&str]) -> Result<Sites> {
        std::fs::create_dir_all(directory)?;
        let hub = Hub::start_as(bowline(), Role::Up, &directory.join("data"))?;
        let sites = Sites { hub, directory: directory.to_owned() };
        for name in names {
            let said = run(
                &format!("cluster add {name} --embedded"),
                Some(sites.hub.kubeconfig()),
                &sites.directory,
            )?;
            ensure!(said.code == 0, "{said:#?}");
        }
        Ok(sites)
    }

    /// How the administrator reaches one.
    ///
    /// # Errors
    /// If it is not there.
    pub fn kubeconfig(&self, name: &str) -> Result<PathBuf> {
        let said =
            run(&format!("cluster show {name} -o json"), Some(self.hub.kubeconfig()), &self.directory)?;
        let read: Value = serde_json::from_str(&said.out).with_context(|| format!("{said:#?}"))?;
        let path = read["status"]["endpoint"]["kubeconfig"].as_str().context("a kubeconfig")?;
        Ok(path.into())
    }

    /// kubectl on one.
    ///
    /// # Errors
    /// If it is not there.
    pub fn kubectl(&self, name: &str) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(&self.kubeconfig(name)?, self.directory.join(format!("cache-{name}")))
    }
}

/// An object of a namespace, for `kubectl apply -f -`.
pub fn object(api: &str, kind: &str, namespace: &str, name: &str, rest: &Value) -> Value {
    let mut object = json!({
        "apiVersion": api, "kind": kind, "metadata": { "name": name, "namespace": namespace },
    });
    for (field, value) in rest.as_object().into_iter().flatten() {
        object[field] = value.clone();
    }
    object
}

/// A claim for a volume of the server.
pub fn claim(namespace: &str, name: &str) -> Value {
    object("v1", "PersistentVolumeClaim", namespace, name, &json!({ "spec": claimed() }))
}

fn claimed() -> Value {
    json!({
        "accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": { "requests": { "storage": "1Gi" } },
    })
}

fn template(name: &str, volumes: &Value) -> Value {
    json!({
        "metadata": { "labels": { "app": name } },
        "spec": { "containers": [{ "name": "c", "image": "c" }], "volumes": volumes },
    })
}

/// A deployment of one pod, which writes to a claim if there is one.
pub fn deployment(namespace: &str, name: &str, claim: Option<&str>) -> Value {
    let volumes: Vec<_> = claim
        .iter()
        .map(|claim| json!({ "name": "v", "persistentVolumeClaim": { "claimName": claim } }))
        .collect();
    let spec = json!({
        "replicas": 1, "strategy": { "type": "Recreate" },
        "selector": { "matchLabels": { "app": name } }, "template": template(name, &json!(volumes)),
    });
    object("apps/v1", "Deployment", namespace, name, &json!({ "spec": spec }))
}

/// A stateful set, whose pods have a claim each.
pub fn set(namespace: &str, name: &str, replicas: u32) -> Value {
    let spec = json!({
        "replicas": replicas, "serviceName": name,
        "selector": { "matchLabels": { "app": name } }, "template": template(name, &json!([])),
        "volumeClaimTemplates": [{ "metadata": { "name": "data" }, "spec": claimed() }],
    });
    object("apps/v1", "StatefulSet", namespace, name, &json!({ "spec": spec }))
}
