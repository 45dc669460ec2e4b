//! A team that submits updates.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail, ensure};
use bowline_e2e_hub::Kubectl;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;

/// The cluster, if nobody says another.
const TOY: &str = "toy";

/// A stack, and whoever submits to it.
pub(super) struct Team<'a> {
    place: &'a Place,
    cluster: String,
    namespace: String,
    stack: String,
}

static SUBMITTED: AtomicU32 = AtomicU32::new(0);

impl<'a> Team<'a> {
    /// Makes a stack on the cluster `toy`.
    pub(super) fn new(place: &'a Place, namespace: &str, stack: &str, spec: Value) -> Result<Team<'a>> {
        Team::on(place, TOY, namespace, stack, spec)
    }

    /// Makes a stack on a cluster.
    pub(super) fn on(
        place: &'a Place,
        cluster: &str,
        namespace: &str,
        stack: &str,
        mut spec: Value,
    ) -> Result<Team<'a>> {
        spec["cluster"] = json!(cluster);
        let team = Team { cluster: cluster.into(), ..Team::again(place, namespace, stack) };
        team.create("Stack", stack, &spec)?;
        Ok(team)
    }

    /// A stack that is there, on the cluster `toy`.
    pub(super) fn again(place: &'a Place, namespace: &str, stack: &str) -> Team<'a> {
        Team { place, cluster: TOY.into(), namespace: namespace.into(), stack: stack.into() }
    }

    /// A stack that is there, on a cluster.
    pub(super) fn again_on(place: &'a Place, cluster: &str, namespace: &str, stack: &str) -> Team<'a> {
        Team { cluster: cluster.into(), ..Team::again(place, namespace, stack) }
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
        self.submit_with(objects, "")
    }

    /// The same, with more on the command line.
    pub(super) fn submit_with(&self, objects: &[Value], more: &str) -> Result<String> {
        let line = format!("{}{more}", self.line(objects)?);
        let said = self.place.bowline(&line)?;
        ensure!(said.code == 0, "bowline {line}: {said:#?}");
        Ok(said.out.trim().to_owned())
    }

    /// Submits these objects and waits for the end, which has to be this one, in these words.
    pub(super) fn waits(&self, objects: &[Value], code: i32, expected: &[&str]) -> Result<String> {
        self.place.says(&format!("{} --wait", self.line(objects)?), code, expected)
    }

    /// The command that submits these objects.
    pub(super) fn line(&self, objects: &[Value]) -> Result<String> {
        let file = format!("{}-{}.json", self.stack, SUBMITTED.fetch_add(1, Ordering::Relaxed));
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        let path = self.place.path(&file);
        std::fs::write(&path, list.to_string())?;
        let Team { cluster, namespace, stack, .. } = self;
        Ok(format!("update submit {} --cluster {cluster} --stack {stack} -n {namespace}", path.display()))
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
        let home = self.home()?;
        let path = format!("{}/updates/{update}", self.objects());
        let mut status = Value::Null;
        until(&format!("{update} comes to {phase}"), || {
            status = home.read(&path)?["status"].take();
            if is(&status) && status["phase"] != phase {
                bail!("{update} has ended in another way: {status}");
            }
            Ok(if is(&status) { Ok(()) } else { Err(status.to_string()) })
        })?;
        Ok(status)
    }

    /// The stack as it is.
    pub(super) fn stack(&self) -> Result<Value> {
        self.home()?.read(&format!("{}/stacks/{}", self.objects(), self.stack))
    }

    /// Its updates.
    pub(super) fn updates(&self) -> Result<Vec<Value>> {
        let all = self.home()?.items(&format!("{}/updates", self.objects()))?;
        Ok(all.into_iter().filter(|update| update["spec"]["stack"] == self.stack.as_str()).collect())
    }

    /// Waits until the stack has left the cluster: nothing that was sent for it can arrive any more.
    pub(super) fn leaves(&self) -> Result<()> {
        let (home, path) = (self.home()?, format!("/apis/bowline.dev/v1alpha1/clusters/{}", self.cluster));
        until(&format!("{} has left {}", self.stack, self.cluster), || {
            let activity = home.read(&path)?["status"]["activity"].take();
            let is_on = |held: &Value| {
                held["stack"] == self.stack.as_str() && held["namespace"] == self.namespace.as_str()
            };
            let is_on = activity["updates"].as_array().is_some_and(|all| all.iter().any(is_on));
            Ok(if is_on { Err(activity.to_string()) } else { Ok(()) })
        })
    }

    /// Where it works.
    pub(super) fn place(&self) -> &Place {
        self.place
    }

    /// The home, asked directly.
    pub(super) fn home(&self) -> Result<Server> {
        Server::of(&self.place.kubeconfig())
    }

    /// Where the objects of its namespace are.
    pub(super) fn objects(&self) -> String {
        format!("/apis/bowline.dev/v1alpha1/namespaces/{}", self.namespace)
    }

    /// kubectl on the cluster, which is embedded.
    pub(super) fn cluster(&self) -> Result<Kubectl> {
        self.place.kubectl_of(&embedded(self.place, &self.cluster)?)
    }
}

/// The administrator's kubeconfig of an embedded cluster.
pub(super) fn embedded(place: &Place, cluster: &str) -> Result<PathBuf> {
    let home = Server::of(&place.kubeconfig())?;
    let read = home.read(&format!("/apis/bowline.dev/v1alpha1/clusters/{cluster}"))?;
    let kubeconfig = read["status"]["endpoint"]["kubeconfig"].as_str();
    Ok(Path::new(kubeconfig.with_context(|| format!("{cluster} is embedded: {read}"))?).to_owned())
}

/// A ConfigMap.
pub(super) fn map(name: &str, data: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": "default" }, "data": data })
}

/// An object in another namespace.
pub(super) fn within(namespace: &str, mut object: Value) -> Value {
    object["metadata"]["namespace"] = json!(namespace);
    object
}

/// A Deployment whose pods get ready nowhere: on an embedded cluster, because that is simulated; on another one, because no
/// node is like that.
pub(super) fn never_ready(name: &str) -> Value {
    let mut object = deployment(name, Some("never-ready"));
    object["spec"]["template"]["spec"]["nodeSelector"] = json!({ "nowhere": "true" });
    object
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
