//! A simulator that is killed in the middle, again and again, makes nothing twice and forgets nothing.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::ResourceExt;
use serde_json::{Value, json};

use crate::deployments::{deployment, is_rolled_out, retemplate};
use crate::world::{World, for_a_while, holds, template};

fn others() -> (Value, Value) {
    let set = json!({ "metadata": { "name": "db" }, "spec": { "replicas": 3, "serviceName": "db",
        "selector": { "matchLabels": { "app": "db" } }, "template": template("db", "b:1", None),
        "volumeClaimTemplates": [{ "metadata": { "name": "data" }, "spec": { "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } } } }] } });
    let mut job = json!({ "metadata": { "name": "once" },
        "spec": { "completions": 4, "parallelism": 2, "template": template("once", "c:1", None) } });
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
    (set, job)
}

/// Kills the simulator after every few writes, until there are none left; nobody ever sees more than is allowed.
async fn killed_until(world: &mut World, done: impl Fn(&Value) -> bool) -> Result<()> {
    for life in 1..1000_u64 {
        world.kill().await;
        nothing_is_twice(world).await?;
        world.simulate();
        // Each life is a little longer than the last one: so it ends everywhere.
        tokio::time::sleep(Duration::from_millis(life)).await;
        if done(&serde_json::to_value(world.api::<Deployment>().get("web").await?)?) {
            return Ok(());
        }
    }
    anyhow::bail!("it was killed too often to come anywhere")
}

/// As in Kubernetes, the bound of a deployment is kept by what its replica sets want: an old pod whose set has just been
/// told to do with less may still be there when a new one comes.
async fn nothing_is_twice(world: &World) -> Result<()> {
    let pods = world.pods().await?;
    let sets = world.until_all::<ReplicaSet>(|_| true).await?;
    let wanted = |set: &ReplicaSet| set.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
    let sum: i32 = sets.iter().map(wanted).sum();
    assert!(sum <= 5, "four are wanted, and one may be too many: {sum}");
    let newest = sets.iter().map(revision).max();
    for set in &sets {
        let is_of_it =
            |pod: &&Pod| pod.owner_references().iter().any(|owner| Some(&owner.uid) == set.uid().as_ref());
        let has = pods.iter().filter(is_of_it).count();
        // The newest only grows, and its pods were counted before; an old one never wanted more than all four.
        let most = if Some(revision(set)) == newest { wanted(set) } else { 4 };
        assert!(has <= usize::try_from(most)?, "{} wants {most} and has {has}", set.name_any());
    }
    Ok(())
}

fn revision(set: &ReplicaSet) -> u64 {
    let text = set.annotations().get("deployment.kubernetes.io/revision");
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_time_it_makes_nothing_twice() -> Result<()> {
    let mut world = World::start().await?;
    let (set, job) = others();
    world.create::<Deployment>(deployment(4, "a:1", None, json!({}))).await?;
    world.create::<StatefulSet>(set).await?;
    world.create::<Job>(job).await?;
    killed_until(&mut world, is_rolled_out).await?;
    world.patch::<Deployment>("web", retemplate("a:2", None)).await?;
    killed_until(&mut world, is_rolled_out).await?;
    world.until::<StatefulSet>("db", |set| set["status"]["readyReplicas"] == 3).await?;
    world.until::<Job>("once", |job| holds(job, "Complete")).await?;
    world.at_rest().await?;
    assert_eq!(world.pods().await?.len(), 4 + 3 + 4);
    assert_eq!(world.until_all::<ReplicaSet>(|_| true).await?.len(), 2);
    assert_eq!(world.until_all::<PersistentVolumeClaim>(|_| true).await?.len(), 3);
    // And what it finds when it comes back, it does not write again.
    world.kill().await;
    world.simulate();
    world.at_rest().await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_orphaned_is_adopted_again() -> Result<()> {
    let world = World::start().await?;
    world.create::<Deployment>(deployment(2, "a:1", None, json!({}))).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    let uids = async || -> Result<Vec<_>> {
        let mut uids: Vec<_> = world.pods().await?.into_iter().map(|pod| pod.metadata.uid).collect();
        uids.sort_unstable();
        Ok(uids)
    };
    let before = uids().await?;
    let orphan = kube::api::DeleteParams::orphan();
    world.api::<Deployment>().delete("web", &orphan).await?;
    world.until::<Deployment>("web", Value::is_null).await?;
    world.create::<Deployment>(deployment(2, "a:1", None, json!({}))).await?;
    world.until::<Deployment>("web", is_rolled_out).await?;
    for_a_while(async || {
        let pods = world.until_all::<Pod>(|_| true).await?;
        Ok((pods.len() == 2).then_some(()))
    })
    .await?;
    assert_eq!(uids().await?, before);
    world.stop().await;
    Ok(())
}
