//! A team that submits updates with the API.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, bail, ensure};
use bowline_e2e_hub::Kubectl;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

/// A stack, and whoever submits to it.
pub(super) struct Team<'a> {
    place: &'a Place,
    namespace: String,
    stack: String,
}

static SUBMITTED: AtomicU32 = AtomicU32::new(0);

impl<'a> Team<'a> {
    /// Makes a stack on the cluster `toy`.
    pub(super) fn new(place: &'a Place, namespace: &str, stack: &str, mut spec: Value) -> Result<Team<'a>> {
        spec["cluster"] = json!("toy");
        let team = Team::again(place, namespace, stack);
        team.create("Stack", stack, &spec)?;
        Ok(team)
    }

    /// A stack that is there.
    pub(super) fn again(place: &'a Place, namespace: &str, stack: &str) -> Team<'a> {
        Team { place, namespace: namespace.into(), stack: stack.into() }
    }

    fn create(&self, kind: &str, name: &str, spec: &Value) -> Result<()> {
        self.put(&json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": kind, "spec": spec,
            "metadata": { "name": name, "namespace": self.namespace },
        }))
    }

    fn put(&self, object: &Value) -> Result<()> {
        let said = self.place.kubectl()?.run("create -f -", &object.to_string())?;
        // Content is known by its digest: what is there is the same.
        if said.code != 0 && !said.err.contains("already exists") {
            bail!("{said:?}");
        }
        Ok(())
    }

    /// Submits these objects, and tells the name of the update.
    pub(super) fn submit(&self, objects: &[Value]) -> Result<String> {
        let file = format!("{}-{}.json", self.stack, SUBMITTED.fetch_add(1, Ordering::Relaxed));
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        std::fs::write(self.place.path(&file), list.to_string())?;
        let Team { namespace, stack, .. } = self;
        let path = self.place.path(&file);
        let line = format!("update submit {} --cluster toy --stack {stack} -n {namespace}", path.display());
        let said = self.place.bowline(&line)?;
        ensure!(said.code == 0, "bowline {line}: {said:#?}");
        Ok(said.out.trim().to_owned())
    }

    /// Waits until an update ends, which has to be in this phase; what it says then.
    pub(super) fn ends(&self, update: &str, phase: &str) -> Result<Value> {
        self.comes(update, phase, |status| status["finishedAt"].is_string())
    }

    /// Waits until an update is in this phase.
    pub(super) fn comes_to(&self, update: &str, phase: &str) -> Result<Value> {
        self.comes(update, phase, |status| status["phase"] == phase)
    }

    fn comes(&self, update: &str, phase: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let kubectl = self.place.kubectl()?;
        let mut status = Value::Null;
        until(&format!("{update} comes to {phase}"), || {
            let read = kubectl.ok(&format!("get update {update} -n {} -o json", self.namespace), "")?;
            status = serde_json::from_str::<Value>(&read)?["status"].take();
            if is(&status) && status["phase"] != phase {
                bail!("{update} has ended in another way: {status}");
            }
            Ok(if is(&status) { Ok(()) } else { Err(status.to_string()) })
        })?;
        Ok(status)
    }

    /// kubectl on the cluster.
    pub(super) fn cluster(&self) -> Result<Kubectl> {
        let read: Value = serde_json::from_str(&self.place.kubectl()?.ok("get cluster toy -o json", "")?)?;
        let kubeconfig = read["status"]["endpoint"]["kubeconfig"].as_str().unwrap_or_default().to_owned();
        self.place.kubectl_of(Path::new(&kubeconfig))
    }
}

/// A ConfigMap.
pub(super) fn map(name: &str, data: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": "default" }, "data": data })
}

/// A Deployment whose pods behave so.
pub(super) fn deployment(name: &str, behaves: Option<&str>) -> Value {
    let labels = json!({ "app": name });
    let annotations = behaves.map_or(json!({}), |how| json!({ "bowline.dev/simulate": how }));
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name, "namespace": "default" },
        "spec": { "selector": { "matchLabels": labels }, "template": {
            "metadata": { "labels": labels, "annotations": annotations },
            "spec": { "containers": [{ "name": "c", "image": "nginx" }] },
        } },
    })
}
