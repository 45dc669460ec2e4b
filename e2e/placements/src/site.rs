//! Workload clusters: embedded ones in a process of their own, so that the hub can be killed without them; or real ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Role, bowline};
use bowline_e2e_up::run;
use bowline_realkube::{Options, RealKube};
use serde_json::{Value, json};

/// What workload clusters are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Embedded in another hub: workloads are simulated.
    Embedded,
    /// A real Kubernetes each, with scheduler and controllers, and a node that kwok plays.
    Kubernetes,
}

/// Some workload clusters.
pub struct Sites {
    runs: Runs,
    directory: PathBuf,
}

enum Runs {
    Embedded(Hub),
    Kubernetes(BTreeMap<String, RealKube>),
}

impl Sites {
    /// Clusters with these names.
    ///
    /// # Errors
    /// If they do not start.
    pub fn start(sort: Sort, directory: &Path, names: &[&str]) -> Result<Sites> {
        std::fs::create_dir_all(directory)?;
        let runs = match sort {
            Sort::Embedded => {
                let hub = Hub::start_as(bowline(), Role::Up, &directory.join("data"))?;
                for name in names {
                    let said =
                        run(&format!("cluster add {name} --embedded"), Some(hub.kubeconfig()), directory)?;
                    ensure!(said.code == 0, "{said:#?}");
                }
                Runs::Embedded(hub)
            }
            Sort::Kubernetes => {
                let start = |name: &&str| {
                    let options = Options {
                        controllers: true,
                        scheduler: true,
                        kwok: true,
                        quick: true,
                        ..Options::default()
                    };
                    Ok(((*name).to_owned(), RealKube::start(&directory.join(name), &options)?))
                };
                Runs::Kubernetes(names.iter().map(start).collect::<Result<_>>()?)
            }
        };
        Ok(Sites { runs, directory: directory.to_owned() })
    }

    /// How the administrator reaches one.
    ///
    /// # Errors
    /// If it is not there.
    pub fn kubeconfig(&self, name: &str) -> Result<PathBuf> {
        let hub = match &self.runs {
            Runs::Kubernetes(all) => return Ok(all.get(name).context("it was started")?.kubeconfig()),
            Runs::Embedded(hub) => hub,
        };
        let said = run(&format!("cluster show {name} -o json"), Some(hub.kubeconfig()), &self.directory)?;
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

/// A claim for a volume of the server that several may use at once.
pub fn shared_claim(namespace: &str, name: &str) -> Value {
    let mut claim = claim(namespace, name);
    claim["spec"]["accessModes"] = json!(["ReadWriteMany"]);
    claim
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
