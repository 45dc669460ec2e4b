//! Stateful sets and daemon sets.

use anyhow::Result;
use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use serde_json::{Value, json};

use crate::deployments::retemplate;
use crate::world::{World, image, template};

fn stateful(replicas: i64, policy: &str) -> Value {
    json!({
        "metadata": { "name": "db" },
        "spec": { "replicas": replicas, "serviceName": "db", "podManagementPolicy": policy,
            "selector": { "matchLabels": { "app": "db" } }, "template": template("db", "a:1", None),
            "volumeClaimTemplates": [{ "metadata": { "name": "data" },
                "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } } }] },
    })
}

/// What `kubectl rollout status` waits for.
fn is_rolled_out(set: &Value) -> bool {
    let status = &set["status"];
    let wanted = &set["spec"]["replicas"];
    status["observedGeneration"] == set["metadata"]["generation"]
        && status["readyReplicas"] == *wanted
        && status["updatedReplicas"] == *wanted
        && status["updateRevision"] == status["currentRevision"]
}

fn names(pods: &[Pod]) -> Vec<String> {
    let mut names: Vec<_> = pods.iter().map(ResourceExt::name_any).collect();
    names.sort_unstable();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn stateful_sets_come_up_roll_scale_and_go() -> Result<()> {
    for policy in ["OrderedReady", "Parallel"] {
        let world = World::start().await?;
        world.create::<StatefulSet>(stateful(3, policy)).await?;
        world.until::<StatefulSet>("db", is_rolled_out).await?;
        let mut pods = world.pods().await?;
        assert_eq!(names(&pods), ["db-0", "db-1", "db-2"]);
        if policy == "OrderedReady" {
            pods.sort_by_key(|pod| pod.resource_version().and_then(|version| version.parse::<u64>().ok()));
            assert_eq!(pods.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["db-0", "db-1", "db-2"]);
        }
        let bound = |claims: &[PersistentVolumeClaim]| {
            let phase = |claim: &PersistentVolumeClaim| claim.status.clone()?.phase;
            claims.len() == 3 && claims.iter().all(|claim| phase(claim).as_deref() == Some("Bound"))
        };
        world.until_all::<PersistentVolumeClaim>(bound).await?;

        world.patch::<StatefulSet>("db", retemplate("a:2", None)).await?;
        world.until::<StatefulSet>("db", is_rolled_out).await?;
        assert!(world.pods().await?.iter().all(|pod| image(pod) == "a:2"));
        assert_eq!(world.until_all::<ControllerRevision>(|_| true).await?.len(), 2);

        world.patch::<StatefulSet>("db", json!({"spec": {"replicas": 1}})).await?;
        world.until_all::<Pod>(|pods| names(pods) == ["db-0"]).await?;
        world.until::<StatefulSet>("db", is_rolled_out).await?;
        world.at_rest().await?;
        world.delete::<StatefulSet>("db").await?;
        world.until_all::<Pod>(<[Pod]>::is_empty).await?;
        // The claims stay.
        assert_eq!(world.until_all::<PersistentVolumeClaim>(|_| true).await?.len(), 3);
        world.stop().await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateful_set_waits_for_a_pod_that_is_never_ready() -> Result<()> {
    let world = World::start().await?;
    world.create::<StatefulSet>(stateful(3, "OrderedReady")).await?;
    world.until::<StatefulSet>("db", is_rolled_out).await?;
    world.patch::<StatefulSet>("db", retemplate("a:2", Some("never-ready"))).await?;
    world
        .until::<StatefulSet>("db", |db| {
            db["status"]["updatedReplicas"] == 1 && db["status"]["readyReplicas"] == 2
        })
        .await?;
    world.at_rest().await?;
    // As with the real one, a fixed template does not replace what is broken: somebody deletes it.
    world.patch::<StatefulSet>("db", retemplate("a:3", None)).await?;
    world.until::<StatefulSet>("db", |db| db["status"]["observedGeneration"] == 3).await?;
    world.delete::<Pod>("db-2").await?;
    world.until::<StatefulSet>("db", is_rolled_out).await?;
    assert!(world.pods().await?.iter().all(|pod| image(pod) == "a:3"));
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_keeps_the_lower_numbers() -> Result<()> {
    let world = World::start().await?;
    world.create::<StatefulSet>(stateful(3, "OrderedReady")).await?;
    world.until::<StatefulSet>("db", is_rolled_out).await?;
    let mut parted = retemplate("a:2", None);
    parted["spec"]["updateStrategy"] = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}});
    world.patch::<StatefulSet>("db", parted).await?;
    world
        .until::<StatefulSet>("db", |db| {
            db["status"]["updatedReplicas"] == 1 && db["status"]["readyReplicas"] == 3
        })
        .await?;
    // Who is made again below the partition is of the old template.
    let before = world.api::<Pod>().get("db-0").await?.uid();
    world.delete::<Pod>("db-0").await?;
    let is_new = |pod: &Pod| pod.name_any() == "db-0" && pod.uid() != before;
    let pods = world.until_all::<Pod>(|pods| pods.iter().any(is_new)).await?;
    let of = |name: &str| pods.iter().find(|pod| pod.name_any() == name).map(image);
    assert_eq!((of("db-0"), of("db-2")), (Some("a:1".into()), Some("a:2".into())));
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_set_has_one_pod() -> Result<()> {
    let world = World::start().await?;
    let set = json!({ "metadata": { "name": "log" }, "spec": {
        "selector": { "matchLabels": { "app": "log" } }, "template": template("log", "a:1", None) } });
    world.create::<DaemonSet>(set).await?;
    let is_rolled_out = |set: &Value| {
        let status = &set["status"];
        status["observedGeneration"] == set["metadata"]["generation"]
            && status["updatedNumberScheduled"] == 1
            && status["numberAvailable"] == 1
    };
    world.until::<DaemonSet>("log", is_rolled_out).await?;
    world.patch::<DaemonSet>("log", retemplate("a:2", None)).await?;
    world.until::<DaemonSet>("log", is_rolled_out).await?;
    let pods = world.until_all::<Pod>(|pods| pods.len() == 1).await?;
    assert_eq!(image(&pods[0]), "a:2");
    world.at_rest().await?;
    world.delete::<DaemonSet>("log").await?;
    world.until_all::<Pod>(<[Pod]>::is_empty).await?;
    world.stop().await;
    Ok(())
}
