//! Claims and volumes; the node and the class; load balancers.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod, Service};
use kube::Api;
use kube::api::{ListParams, PostParams};
use serde_json::{Value, json};

use crate::world::{World, for_a_while, holds, template};

fn claim(name: &str, volume: Option<&str>) -> Value {
    json!({ "metadata": { "name": name }, "spec": { "accessModes": ["ReadWriteOnce"], "volumeName": volume,
        "resources": { "requests": { "storage": "1Gi" } } } })
}

fn is_bound(claim: &Value) -> bool {
    claim["status"]["phase"] == "Bound" && claim["status"]["capacity"]["storage"] == "1Gi"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_bound_and_its_volume_goes_with_it() -> Result<()> {
    let world = World::start().await?;
    let volumes: Api<PersistentVolume> = Api::all(world.client.clone());
    // The class is there when the node is ready.
    let nodes: Api<Node> = Api::all(world.client.clone());
    for_a_while(async || {
        let Some(node) = nodes.get_opt("simulated").await? else { return Ok(None) };
        Ok(holds(&serde_json::to_value(node)?, "Ready").then_some(()))
    })
    .await?;
    world.create::<PersistentVolumeClaim>(claim("data", None)).await?;
    let bound = world.until::<PersistentVolumeClaim>("data", is_bound).await?;
    assert_eq!(bound["spec"]["storageClassName"], "simulated");
    let mut pod = template("user", "a:1", None);
    pod["metadata"]["name"] = "user".into();
    pod["spec"]["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    world.create::<Pod>(pod).await?;
    world.until::<Pod>("user", |pod| holds(pod, "Ready")).await?;
    world.at_rest().await?;
    // It stays as long as a pod uses it.
    world.delete::<PersistentVolumeClaim>("data").await?;
    world.at_rest().await?;
    world
        .until::<PersistentVolumeClaim>("data", |claim| claim["metadata"]["deletionTimestamp"].is_string())
        .await?;
    world.delete::<Pod>("user").await?;
    world.until::<PersistentVolumeClaim>("data", Value::is_null).await?;
    for_a_while(async || Ok(volumes.list(&ListParams::default()).await?.items.is_empty().then_some(())))
        .await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_volume_stays_on_its_cluster_or_can_be_attached_elsewhere_as_its_class_says() -> Result<()> {
    let world = World::start().await?;
    let volumes: Api<PersistentVolume> = Api::all(world.client.clone());
    for (name, class) in [("here", "simulated"), ("anywhere", "simulated-shared")] {
        let mut claimed = claim(name, None);
        claimed["spec"]["storageClassName"] = class.into();
        world.create::<PersistentVolumeClaim>(claimed).await?;
        let bound = world.until::<PersistentVolumeClaim>(name, is_bound).await?;
        let volume = bound["spec"]["volumeName"].as_str().context("a bound claim names its volume")?;
        let spec = serde_json::to_value(volumes.get(volume).await?)?["spec"].clone();
        let stays = spec["hostPath"]["path"].is_string();
        assert_eq!((stays, spec["csi"]["volumeHandle"] == volume), (name == "here", name == "anywhere"));
    }
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_takes_the_volume_that_it_names() -> Result<()> {
    let world = World::start().await?;
    let volumes: Api<PersistentVolume> = Api::all(world.client.clone());
    world.create::<PersistentVolumeClaim>(claim("data", Some("mine"))).await?;
    world.until::<PersistentVolumeClaim>("data", |claim| claim["status"]["phase"] == "Pending").await?;
    let volume = json!({ "metadata": { "name": "mine" }, "spec": { "accessModes": ["ReadWriteOnce"],
        "capacity": { "storage": "1Gi" }, "hostPath": { "path": "/x" }, "storageClassName": "simulated" } });
    volumes.create(&PostParams::default(), &serde_json::from_value(volume)?).await?;
    world.until::<PersistentVolumeClaim>("data", is_bound).await?;
    // It was to be kept, and is released when its claim goes.
    world.delete::<PersistentVolumeClaim>("data").await?;
    for_a_while(async || {
        let phase = volumes.get("mine").await?.status.context("it has a status")?.phase;
        Ok((phase.as_deref() == Some("Released")).then_some(()))
    })
    .await?;
    world.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_balancer_has_an_address_as_long_as_it_is_one() -> Result<()> {
    let world = World::start().await?;
    let service =
        json!({ "metadata": { "name": "s" }, "spec": { "type": "LoadBalancer", "ports": [{ "port": 80 }] } });
    world.create::<Service>(service).await?;
    let has = |service: &Value| service["status"]["loadBalancer"]["ingress"][0]["ip"].is_string();
    world.until::<Service>("s", has).await?;
    world.patch::<Service>("s", json!({"spec": {"type": "ClusterIP"}})).await?;
    world.until::<Service>("s", |service| !has(service)).await?;
    world.at_rest().await?;
    world.stop().await;
    Ok(())
}
