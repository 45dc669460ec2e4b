//! What is in a namespace of the cluster, read at its server.

use std::collections::BTreeMap;

use bowline_placements::plain::Plain;
use bowline_placements::syncer::{Here, Local, Stage};
use kube::core::DynamicObject;
use serde_json::Value;

use crate::asks::{Done, Server, get, list};
use crate::kinds::{Kind, attachments, namespaces, nodes, pods, volumes};
use crate::marks::{self, ATTACHED, CLAIM, PLACEMENT, RUNS, TARGET, annotation, is_of};
use crate::memory::{Memory, Note};

/// The cluster of a target.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) server: Server,
    pub(crate) memory: Memory,
    pub(crate) target: String,
}

/// A namespace of the cluster, with its volumes, and what is remembered of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    /// What is decided by; `None` if nothing is there.
    pub(crate) here: Option<Here<Plain>>,
    /// The namespace.
    pub(crate) space: Option<DynamicObject>,
    /// Its volumes, by the names that the hub knows them by.
    pub(crate) volumes: BTreeMap<String, Stand>,
    pub(crate) note: Note,
}

/// A volume as it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stand {
    pub(crate) claim: Option<DynamicObject>,
    pub(crate) volume: Option<DynamicObject>,
    /// What keeps it from being given up, in words, if something does.
    pub(crate) tied: Option<String>,
}

impl Stand {
    /// A claim that is there, and not about to go.
    pub(crate) fn claimed(&self) -> Option<&DynamicObject> {
        self.claim.as_ref().filter(|claim| claim.metadata.deletion_timestamp.is_none())
    }

    pub(crate) fn is_retained(&self) -> bool {
        let volume = self.volume.as_ref();
        volume.is_some_and(|volume| volume.data["spec"]["persistentVolumeReclaimPolicy"] == "Retain")
    }

    /// Whether claim and volume are each other's.
    fn is_bound(&self) -> bool {
        let pair = self.claimed().zip(self.volume.as_ref());
        pair.is_some_and(|(claim, volume)| {
            claim.data["status"]["phase"] == "Bound"
                && claim.data["spec"]["volumeName"].as_str() == volume.metadata.name.as_deref()
        })
    }

    /// What is decided by.
    fn local(&self, target: &str) -> Local {
        let of = |object: &Option<DynamicObject>| {
            object.as_ref().filter(|object| is_of(object, target)).and_then(marks::held)
        };
        let stage = match (&self.claim, &self.volume) {
            (Some(_), _) if self.is_bound() => Stage::Bound,
            (Some(_), _) if self.claimed().is_some() => Stage::Asked,
            (Some(_), _) => Stage::Leaving,
            (None, Some(_)) if self.tied.is_some() => Stage::Leaving,
            (None, Some(_)) => Stage::Idle,
            (None, None) => Stage::Destroyed,
        };
        Local { held: of(&self.volume).or_else(|| of(&self.claim)), stage, retained: self.is_retained() }
    }
}

impl Cluster {
    /// Reads a namespace.
    pub(crate) async fn read(&self, name: &str) -> Done<Site> {
        let note = self.memory.note(name).await?;
        let space = get(&self.server.all(&namespaces()), name).await?;
        let is_foreign = space.as_ref().is_some_and(|space| !is_of(space, &self.target));
        if is_foreign {
            let here = Some(Here { ours: false, ..Here::default() });
            return Ok(Site { here, space, note, ..Site::default() });
        }
        let volumes = self.volumes(name, space.is_some()).await?;
        let mut here = Here {
            ours: true,
            held: space.as_ref().and_then(marks::held),
            runs: match &space {
                None => false,
                Some(space) => annotation(space, RUNS).is_some() || self.may_run(name).await?,
            },
            volumes: volumes.iter().map(|(name, stand)| (name.clone(), stand.local(&self.target))).collect(),
        };
        for claim in note.kept.all_doomed() {
            let volume = marks::volume(name, claim);
            let held = note.kept.doomed(claim);
            let gone = Local { held, stage: Stage::Destroyed, retained: false };
            let local = here.volumes.entry(volume).or_insert(gone);
            local.held = local.held.or(held);
        }
        let is_there = space.is_some() || !here.volumes.is_empty();
        Ok(Site { here: is_there.then_some(here), space, volumes, note })
    }

    /// Whether something runs in a namespace that is not marked for it, or will: pods, or copies that make them. These are of a request
    /// that came late, of a syncer that had lost its lease meanwhile.
    async fn may_run(&self, name: &str) -> Done<bool> {
        if !self.running(name).await?.is_empty() {
            return Ok(true);
        }
        let ours = format!("{}={}", TARGET, self.target);
        for kind in Kind::ALL.into_iter().filter(|kind| kind.makes_pods()) {
            let copies = list(&self.server.within(&kind.resource(), name), &ours).await?;
            if copies.iter().any(|copy| copy.metadata.deletion_timestamp.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The pods of a namespace that have not ended.
    pub(crate) async fn running(&self, name: &str) -> Done<Vec<DynamicObject>> {
        let mut all = list(&self.server.within(&pods(), name), "").await?;
        all.retain(|pod| !matches!(pod.data["status"]["phase"].as_str(), Some("Succeeded" | "Failed")));
        Ok(all)
    }

    async fn volumes(&self, name: &str, has_claims: bool) -> Done<BTreeMap<String, Stand>> {
        let all = self.server.all(&volumes());
        let mut stands: BTreeMap<String, Stand> = BTreeMap::new();
        if has_claims {
            for claim in list(&self.server.within(&Kind::Claim.resource(), name), "").await? {
                let called = claim.metadata.name.clone().unwrap_or_default();
                stands.entry(marks::volume(name, &called)).or_default().claim = Some(claim);
            }
        }
        let ours = format!("{PLACEMENT}={name},{}={}", TARGET, self.target);
        for volume in list(&all, &ours).await? {
            let Some(claim) = annotation(&volume, CLAIM).map(str::to_owned) else { continue };
            stands.entry(marks::volume(name, &claim)).or_default().volume = Some(volume);
        }
        for stand in stands.values_mut() {
            let named = stand.claim.as_ref().and_then(|claim| claim.data["spec"]["volumeName"].as_str());
            if let (None, Some(named)) = (&stand.volume, named.filter(|named| !named.is_empty())) {
                stand.volume = get(&all, named).await?;
            }
        }
        self.tie(&mut stands).await?;
        Ok(stands)
    }

    /// Sees what volumes without a claim are still attached to.
    async fn tie(&self, stands: &mut BTreeMap<String, Stand>) -> Done {
        let mut leaving = stands.values_mut().filter(|stand| stand.claimed().is_none()).peekable();
        if leaving.peek().is_none() {
            return Ok(());
        }
        let attached = list(&self.server.all(&attachments()), "").await?;
        let nodes = list(&self.server.all(&nodes()), "").await?;
        for stand in leaving {
            stand.tied = tied(stand, &attached, &nodes);
        }
        Ok(())
    }
}

/// What keeps a volume whose claim goes from being used by nobody.
fn tied(stand: &Stand, attached: &[DynamicObject], nodes: &[DynamicObject]) -> Option<String> {
    if stand.claim.is_some() {
        return Some("its claim is in use by pods that have not ended".to_owned());
    }
    let volume = stand.volume.as_ref()?;
    let name = volume.metadata.name.as_deref()?;
    let at: Vec<_> = at(name, attached).collect();
    if let Some(node) = at.first() {
        return Some(match is_ready(node, nodes) {
            Some(false) => needs_fence(node),
            _ => format!("it is attached to the node {node}"),
        });
    }
    // Who has taken it off a node that does not answer cannot know that nothing there writes any more.
    let were = annotation(volume, ATTACHED).unwrap_or_default();
    let mut silent = were.split(',').filter(|node| is_ready(node, nodes) == Some(false));
    silent.next().map(needs_fence)
}

fn needs_fence(node: &str) -> String {
    format!(
        "it was attached to the node {node}, which is not Ready: what runs there may still write. When the node is Ready again, or is \
         removed, this goes on; else the target has to be fenced"
    )
}

/// The nodes that a volume is attached to.
pub(crate) fn at<'a>(volume: &'a str, attached: &'a [DynamicObject]) -> impl Iterator<Item = &'a str> {
    let of = attached
        .iter()
        .filter(move |one| one.data["spec"]["source"]["persistentVolumeName"].as_str() == Some(volume));
    of.filter_map(|one| one.data["spec"]["nodeName"].as_str())
}

/// Whether a node works; nothing, if it is gone.
pub(crate) fn is_ready(node: &str, nodes: &[DynamicObject]) -> Option<bool> {
    let node = nodes.iter().find(|one| one.metadata.name.as_deref() == Some(node))?;
    let conditions = node.data.pointer("/status/conditions").and_then(Value::as_array);
    let mut ready = conditions.into_iter().flatten().filter(|one| one["type"] == "Ready");
    Some(ready.next().is_some_and(|ready| ready["status"] == "True"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bowline_placements::Epoch;
    use bowline_placements::syncer::Held;
    use http::{Request, Response};
    use kube::Client;
    use kube::client::Body;
    use serde_json::json;

    use super::*;
    use crate::asks::refusal;

    /// A cluster with a namespace of ours in which nothing is to run; and with one Deployment in it, if these are its labels.
    fn cluster(labels: Option<Value>) -> Cluster {
        let serve = move |request: Request<Body>| {
            let path = request.uri().path();
            let list =
                |items: Vec<Value>| Some(json!({ "apiVersion": "v1", "kind": "List", "items": items }));
            let space = json!({ "name": "shop", "labels": { TARGET: "east" }, "annotations": held() });
            let answer = match path.rsplit('/').next().unwrap_or_default() {
                "shop" => Some(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": space })),
                "deployments" => list(
                    labels
                        .iter()
                        .map(|labels| json!({ "metadata": { "name": "web", "labels": labels } }))
                        .collect(),
                ),
                "east.shop" => None,
                _ => list(Vec::new()),
            };
            let found = |answer: Value| Response::new(Body::from(answer.to_string().into_bytes()));
            let response = answer.map_or_else(|| refusal(404, "NotFound"), found);
            std::future::ready(Ok::<_, Infallible>(response))
        };
        let server = Server::new(Client::new(tower::service_fn(serve), "default"));
        Cluster { memory: Memory::new(server.clone(), "east"), server, target: "east".to_owned() }
    }

    #[tokio::test]
    async fn a_copy_that_came_too_late_is_seen_before_its_pods_are() {
        let ours = json!({ TARGET: "east" });
        for (labels, runs) in [(None, false), (Some(ours), true)] {
            let site = cluster(labels).read("shop").await.expect("it is read");
            assert_eq!(site.here.map(|here| here.runs), Some(runs));
        }
    }

    fn object(kind: &str, value: &Value) -> DynamicObject {
        let mut value = value.clone();
        value["apiVersion"] = json!("v1");
        value["kind"] = json!(kind);
        serde_json::from_value(value).expect("an object")
    }

    fn held() -> Value {
        json!({ "bowline.dev/epoch": "2", "bowline.dev/fence-epoch": "1" })
    }

    fn volume(policy: &str) -> DynamicObject {
        let meta = json!({ "name": "v", "labels": { "bowline.dev/target": "east" }, "annotations": held() });
        object(
            "PersistentVolume",
            &json!({ "metadata": meta, "spec": { "persistentVolumeReclaimPolicy": policy } }),
        )
    }

    fn claim(phase: &str, name: &str) -> DynamicObject {
        object(
            "PersistentVolumeClaim",
            &json!({ "metadata": { "name": "data" }, "spec": { "volumeName": name }, "status": { "phase": phase } }),
        )
    }

    fn stage(stand: &Stand) -> Stage {
        stand.local("east").stage
    }

    #[test]
    fn a_volume_is_as_far_as_claim_and_volume_and_nodes_say() {
        let mut stand = Stand { volume: Some(volume("Retain")), ..Stand::default() };
        assert_eq!(stage(&stand), Stage::Idle);
        let by = Held { epoch: Epoch(2), fence: Epoch(1) };
        assert_eq!(stand.local("east"), Local { held: Some(by), stage: Stage::Idle, retained: true });
        assert_eq!(stand.local("west").held, None, "it is another target's");
        stand.tied = Some("a node".into());
        assert_eq!(stage(&stand), Stage::Leaving);
        stand.claim = Some(claim("Bound", "v"));
        assert_eq!(stage(&stand), Stage::Bound);
        stand.claim = Some(claim("Pending", ""));
        assert_eq!(stage(&stand), Stage::Asked);
        stand.claim = Some(claim("Bound", "other"));
        assert_eq!(stage(&stand), Stage::Asked, "it is bound to something else");
        let mut going = claim("Bound", "v");
        going.metadata.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).ok();
        stand.claim = Some(going);
        assert_eq!(stage(&stand), Stage::Leaving);
        stand.volume = Some(volume("Delete"));
        assert!(!stand.local("east").retained);
    }

    #[test]
    fn a_node_that_does_not_answer_keeps_what_it_had() {
        let node = |name: &str, ready: &str| {
            let status = json!({ "conditions": [{ "type": "Ready", "status": ready }] });
            object("Node", &json!({ "metadata": { "name": name }, "status": status }))
        };
        let attached = object(
            "VolumeAttachment",
            &json!({ "spec": { "nodeName": "n", "source": { "persistentVolumeName": "v" } } }),
        );
        let mut stand = Stand { volume: Some(volume("Retain")), ..Stand::default() };
        let nodes = |ready| [node("n", ready)];
        let tied_by = |stand: &Stand, attached: &[DynamicObject], ready| tied(stand, attached, &nodes(ready));
        assert_eq!(tied_by(&stand, &[], "False"), None);
        let with = std::slice::from_ref(&attached);
        assert!(tied_by(&stand, with, "True").is_some_and(|why| !why.contains("fenced")));
        assert!(tied_by(&stand, with, "Unknown").is_some_and(|why| why.contains("fenced")));
        let was = [(ATTACHED.to_owned(), "n".to_owned())];
        if let Some(volume) = &mut stand.volume {
            volume.metadata.annotations.get_or_insert_default().extend(was);
        }
        assert!(tied_by(&stand, &[], "False").is_some_and(|why| why.contains("fenced")));
        assert_eq!(tied_by(&stand, &[], "True"), None);
        assert_eq!(tied(&stand, &[], &[]), None, "the node is gone");
    }
}
