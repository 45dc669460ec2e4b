//! Jobs, and pods of nobody.

use anyhow::Result;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use crate::world::{World, condition, holds, template};

fn job(simulate: Option<&str>, more: Value) -> Value {
    let mut object =
        json!({ "metadata": { "name": "once" }, "spec": { "template": template("once", "a:1", simulate) } });
    object["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
    for (name, value) in more.as_object().into_iter().flatten() {
        object["spec"][name] = value.clone();
    }
    object
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_completes() -> Result<()> {
    for mode in ["NonIndexed", "Indexed"] {
        let world = World::start().await?;
        let more = json!({"completions": 5, "parallelism": 2, "completionMode": mode});
        world.create::<Job>(job(None, more)).await?;
        let done = world.until::<Job>("once", |job| holds(job, "Complete")).await?;
        assert_eq!(done["status"]["succeeded"], 5);
        assert!(done["status"]["completionTime"].is_string());
        assert_eq!(world.until_all::<Pod>(|_| true).await?.len(), 5);
        world.at_rest().await?;
        world.delete::<Job>("once").await?;
        world.until_all::<Pod>(<[Pod]>::is_empty).await?;
        world.stop().await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_pods_fail_gives_up() -> Result<()> {
    let world = World::start().await?;
    world.create::<Job>(job(Some("failed"), json!({"backoffLimit": 2}))).await?;
    let failed = world.until::<Job>("once", |job| holds(job, "Failed")).await?;
    assert_eq!(condition(&failed, "Failed")["reason"], "BackoffLimitExceeded");
    assert_eq!(failed["status"]["failed"], 3);
    world.at_rest().await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_is_removed_in_time() -> Result<()> {
    let world = World::start().await?;
    world.create::<Job>(job(None, json!({"ttlSecondsAfterFinished": 1}))).await?;
    world.until::<Job>("once", |job| holds(job, "Complete") || job.is_null()).await?;
    world.until::<Job>("once", Value::is_null).await?;
    world.until_all::<Pod>(<[Pod]>::is_empty).await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_job_waits() -> Result<()> {
    let world = World::start().await?;
    world.create::<Job>(job(None, json!({"suspend": true}))).await?;
    world.until::<Job>("once", |job| holds(job, "Suspended")).await?;
    assert!(world.pods().await?.is_empty());
    world.patch::<Job>("once", json!({"spec": {"suspend": false}})).await?;
    world.until::<Job>("once", |job| holds(job, "Complete")).await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_of_nobody_gets_its_node_and_goes() -> Result<()> {
    let world = World::start().await?;
    let mut pod = template("one", "a:1", None);
    pod["metadata"]["name"] = "one".into();
    world.create::<Pod>(pod).await?;
    let up = world.until::<Pod>("one", |pod| holds(pod, "Ready")).await?;
    assert_eq!(up["spec"]["nodeName"], "simulated");
    // What a person says of a living pod counts too.
    let broken = json!({"metadata": {"annotations": {"bowline.dev/simulate": "crash-loop"}}});
    world.patch::<Pod>("one", broken).await?;
    let crashed = |pod: &Value| {
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    };
    let pod = world.until::<Pod>("one", crashed).await?;
    assert!(!holds(&pod, "Ready"));
    world.at_rest().await?;
    world.delete::<Pod>("one").await?;
    world.until::<Pod>("one", Value::is_null).await?;
    world.stop().await;
    Ok(())
}
