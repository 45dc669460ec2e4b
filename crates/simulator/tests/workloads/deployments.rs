//! Deployments come up, roll, go back, scale and go.

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use serde_json::{Value, json};

use crate::world::{World, condition, for_a_while, holds, image, template};

pub(crate) fn deployment(replicas: i64, image: &str, simulate: Option<&str>, more: Value) -> Value {
    let mut object = json!({
        "metadata": { "name": "web" },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "web" } },
            "template": template("web", image, simulate) },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        object["spec"][name] = value.clone();
    }
    object
}

/// What `kubectl rollout status` waits for.
pub(crate) fn is_rolled_out(deployment: &Value) -> bool {
    let status = &deployment["status"];
    let wanted = &deployment["spec"]["replicas"];
    status["observedGeneration"] == deployment["metadata"]["generation"]
        && status["updatedReplicas"] == *wanted
        && status["replicas"] == *wanted
        && status["availableReplicas"] == *wanted
        && holds(deployment, "Available")
        && condition(deployment, "Progressing")["reason"] == "NewReplicaSetAvailable"
}

pub(crate) fn retemplate(image: &str, simulate: Option<&str>) -> Value {
    let annotation = simulate.map_or(Value::Null, Value::from);
    json!({ "spec": { "template": {
        "metadata": { "annotations": { "bowline.dev/simulate": annotation } },
        "spec": { "containers": [{ "name": "main", "image": image }] } } } })
}

#[tokio::test(flavor = "multi_thread")]
async fn it_comes_up_rolls_scales_and_goes() -> Result<()> {
    let world = World::start().await?;
    world.create::<Deployment>(deployment(3, "a:1", None, json!({}))).await?;
    let up = world.until::<Deployment>("web", is_rolled_out).await?;
    assert_eq!(up["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");

    world.patch::<Deployment>("web", retemplate("a:2", None)).await?;
    let second = world.until::<Deployment>("web", is_rolled_out).await?;
    assert_eq!(second["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2");
    let pods = world.until_all::<Pod>(|pods| pods.len() == 3).await?;
    assert!(pods.iter().all(|pod| image(pod) == "a:2"));

    // Back: the replica set of the first template is used again, under a new number.
    world.patch::<Deployment>("web", retemplate("a:1", None)).await?;
    let back = world.until::<Deployment>("web", is_rolled_out).await?;
    assert_eq!(back["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    assert_eq!(world.until_all::<ReplicaSet>(|_| true).await?.len(), 2);

    for replicas in [5, 0, 2] {
        world.patch::<Deployment>("web", json!({"spec": {"replicas": replicas}})).await?;
        world
            .until::<Deployment>("web", |now| {
                now["status"]["availableReplicas"].as_i64().unwrap_or(0) == replicas
            })
            .await?;
        world.until_all::<Pod>(|pods| pods.len() == usize::try_from(replicas).unwrap_or(0)).await?;
    }
    world.at_rest().await?;
    world.delete::<Deployment>("web").await?;
    world.until_all::<Pod>(<[Pod]>::is_empty).await?;
    world.until_all::<ReplicaSet>(<[ReplicaSet]>::is_empty).await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_is_never_ready_keeps_the_old_pods_and_a_fixed_one_heals() -> Result<()> {
    let world = World::start().await?;
    let more = json!({"progressDeadlineSeconds": 1});
    world.create::<Deployment>(deployment(4, "a:1", None, more)).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    world.patch::<Deployment>("web", retemplate("a:2", Some("never-ready"))).await?;
    let overdue = |web: &Value| condition(web, "Progressing")["reason"] == "ProgressDeadlineExceeded";
    let stuck = world.until::<Deployment>("web", overdue).await?;
    assert_eq!(condition(&stuck, "Progressing")["status"], "False");
    // A quarter may be missing and a quarter too many: three of the old work, two of the new do not.
    assert!(holds(&stuck, "Available"));
    let pods = world.pods().await?;
    assert_eq!(pods.iter().filter(|pod| image(pod) == "a:1").count(), 3);
    assert_eq!(pods.iter().filter(|pod| image(pod) == "a:2").count(), 2);
    world.at_rest().await?;

    world.patch::<Deployment>("web", retemplate("a:3", None)).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    let pods = world.until_all::<Pod>(|pods| pods.len() == 4).await?;
    assert!(pods.iter().all(|pod| image(pod) == "a:3"));
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn recreated_pods_never_meet_their_successors() -> Result<()> {
    let world = World::start().await?;
    let more = json!({"strategy": {"type": "Recreate"}});
    world.create::<Deployment>(deployment(3, "a:1", None, more)).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    world.patch::<Deployment>("web", retemplate("a:2", None)).await?;
    for_a_while(async || {
        let pods = world.until_all::<Pod>(|_| true).await?;
        let mut images: Vec<_> = pods.iter().map(image).collect();
        images.sort_unstable();
        images.dedup();
        assert!(images.len() <= 1, "{images:?}");
        Ok((images == ["a:2"] && pods.len() == 3).then_some(()))
    })
    .await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_old_replica_sets_are_remembered() -> Result<()> {
    let world = World::start().await?;
    world.create::<Deployment>(deployment(1, "a:0", None, json!({"revisionHistoryLimit": 1}))).await?;
    for version in 1..4 {
        world.until::<Deployment>("web", is_rolled_out).await?;
        world.patch::<Deployment>("web", retemplate(&format!("a:{version}"), None)).await?;
    }
    world.until::<Deployment>("web", is_rolled_out).await?;
    let sets = world.until_all::<ReplicaSet>(|sets| sets.len() == 2).await?;
    let mut revisions: Vec<_> = sets
        .iter()
        .filter_map(|set| set.annotations().get("deployment.kubernetes.io/revision").cloned())
        .collect();
    revisions.sort_unstable();
    assert_eq!(revisions, ["3", "4"]);
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_deployment_waits() -> Result<()> {
    let world = World::start().await?;
    world.create::<Deployment>(deployment(2, "a:1", None, json!({}))).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    let mut paused = retemplate("a:2", None);
    paused["spec"]["paused"] = true.into();
    paused["spec"]["replicas"] = 3.into();
    world.patch::<Deployment>("web", paused).await?;
    world
        .until::<Deployment>("web", |web| condition(web, "Progressing")["reason"] == "DeploymentPaused")
        .await?;
    let pods = world.until_all::<Pod>(|pods| pods.len() == 3).await?;
    assert!(pods.iter().all(|pod| image(pod) == "a:1"));
    world.at_rest().await?;
    world.patch::<Deployment>("web", json!({"spec": {"paused": false}})).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    let pods = world.until_all::<Pod>(|pods| pods.len() == 3).await?;
    assert!(pods.iter().all(|pod| image(pod) == "a:2"));
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_somebody_deletes_is_made_again() -> Result<()> {
    let world = World::start().await?;
    world.create::<Deployment>(deployment(1, "a:1", None, json!({}))).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    let pod = world.pods().await?.pop().context("there is one")?;
    world.delete::<Pod>(&pod.name_any()).await?;
    world.until_all::<Pod>(|pods| pods.len() == 1 && pods[0].uid() != pod.uid()).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    world.stop().await;
    Ok(())
}
