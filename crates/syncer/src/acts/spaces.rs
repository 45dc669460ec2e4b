//! Namespaces of the cluster: brought up, stopped, cleared.

use bowline_placements::syncer::Held;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use crate::asks::{Done, Undone, change, create, delete, get, list};
use crate::kinds::{makers, namespaces, nodes, pods};
use crate::marks::{self, RUNS, STOPPING, UP, annotation, is_of};
use crate::site::{Cluster, Site, is_ready};

impl Cluster {
    fn space(&self, name: &str, annotations: Map<String, Value>) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": { "name": name, "labels": marks::labels(&self.target, name), "annotations": annotations },
        })
    }

    /// Sees that there is a namespace, and that it is ours.
    pub(super) async fn room(&self, name: &str, site: &Site) -> Done {
        match &site.space {
            None => create(&self.server.all(&namespaces()), &self.space(name, Map::new())).await.map(drop),
            Some(space) => is_usable(space, name, &self.target),
        }
    }

    /// Notes that the workloads of a namespace may be up; what they are is copied after that.
    pub(super) async fn start(&self, name: &str, held: Held, site: &Site) -> Done {
        let mut annotations = marks::of_held(held);
        annotations.insert(RUNS.to_owned(), json!(UP));
        let spaces = self.server.all(&namespaces());
        let Some(space) = &site.space else {
            return create(&spaces, &self.space(name, annotations)).await.map(drop);
        };
        is_usable(space, name, &self.target)?;
        change(&spaces, space, json!({ "metadata": { "annotations": annotations } })).await.map(drop)
    }

    pub(super) async fn confirm_space(&self, name: &str, held: Held, site: &Site) -> Done {
        let space = site.space.as_ref().ok_or(Undone::Outdated)?;
        is_usable(space, name, &self.target)?;
        let patch = json!({ "metadata": { "annotations": marks::of_held(held) } });
        change(&self.server.all(&namespaces()), space, patch).await.map(drop)
    }

    /// Deletes everything that makes pods, waits until there are none, and notes that.
    pub(super) async fn stop(&self, name: &str, site: &Site) -> Done {
        let spaces = self.server.all(&namespaces());
        let space = site.space.as_ref().filter(|space| is_of(space, &self.target)).ok_or(Undone::Outdated)?;
        let mut space = space.clone();
        if annotation(&space, RUNS) == Some(UP) {
            // Noted first: who is killed in the middle goes on with it.
            let patch = json!({ "metadata": { "annotations": { RUNS: STOPPING } } });
            space = change(&spaces, &space, patch).await?;
        }
        for maker in makers() {
            self.delete_all(&maker, name).await?;
        }
        self.delete_all(&pods(), name).await?;
        let left = self.running(name).await?;
        if let Some(pod) = left.first() {
            return Err(Undone::Waits(self.why_it_runs(pod, left.len()).await?));
        }
        if annotation(&space, RUNS).is_none() {
            return Ok(());
        }
        let patch = json!({ "metadata": { "annotations": { RUNS: Value::Null } } });
        change(&spaces, &space, patch).await.map(drop)
    }

    /// Deletes all of a kind that nothing else has made: what has goes with that.
    async fn delete_all(&self, resource: &kube::core::ApiResource, name: &str) -> Done {
        let api = self.server.within(resource, name);
        for object in list(&api, "").await? {
            let owners = object.metadata.owner_references.iter().flatten();
            let is_made = owners.into_iter().any(|owner| owner.controller == Some(true));
            if is_made || object.metadata.deletion_timestamp.is_some() {
                continue;
            }
            match delete(&api, &object).await {
                // Its status has changed, or it is gone: who looks again sees which.
                Ok(()) | Err(Undone::Outdated) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    async fn why_it_runs(&self, pod: &DynamicObject, count: usize) -> Done<String> {
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let node = pod.data["spec"]["nodeName"].as_str().unwrap_or_default();
        let known = list(&self.server.all(&nodes()), "").await?;
        Ok(if is_ready(node, &known) == Some(false) {
            format!(
                "the pod {name}{others} to end: its node {node} is not Ready, and what runs there may still write. If it does not come \
                 back, the target has to be fenced"
            )
        } else {
            format!("the pod {name}{others} to end")
        })
    }

    /// Deletes a namespace in which nothing is left.
    pub(super) async fn clear(&self, name: &str, site: &Site) -> Done {
        let space = site.space.as_ref().filter(|space| is_of(space, &self.target)).ok_or(Undone::Outdated)?;
        let spaces = self.server.all(&namespaces());
        if space.metadata.deletion_timestamp.is_none() {
            if !self.running(name).await?.is_empty() {
                return Err(Undone::Outdated);
            }
            delete(&spaces, space).await?;
        }
        if get(&spaces, name).await?.is_none() {
            return Ok(());
        }
        Err(Undone::Waits("what is left in the namespace to be deleted".to_owned()))
    }
}

/// Whether something can be put into a namespace that is there.
fn is_usable(space: &DynamicObject, name: &str, target: &str) -> Done {
    if !is_of(space, target) {
        return Err(Undone::Waits(format!(
            "somebody to remove the namespace {name} of the cluster, which is not ours"
        )));
    }
    if space.metadata.deletion_timestamp.is_some() {
        return Err(Undone::Waits(format!("the namespace {name} that was there before to be gone")));
    }
    Ok(())
}
