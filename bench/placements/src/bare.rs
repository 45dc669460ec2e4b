//! A move by hand, as somebody does it who does nothing else, and remembers nothing: what the clusters take for it.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result};
use bowline_bench_meter::Latencies;
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Namespace, PersistentVolume, PersistentVolumeClaim, Pod};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::await_condition;
use kube::runtime::watcher;
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::fleet::{Fleet, LIMIT};
use crate::{Plan, Report, content};

/// The namespace that is moved.
const SHOP: &str = "shop";
/// So often.
const TIMES: usize = 20;

/// Moves a namespace from each cluster to the next.
pub(crate) async fn measure(plan: &Plan, fleet: &Fleet, report: &mut Report) -> Result<()> {
    let mut latencies = Latencies::default();
    let mut at = &fleet.clusters[0];
    let spaces: Api<Namespace> = Api::all(at.clone());
    spaces.create(&PostParams::default(), &content::namespace(SHOP)).await?;
    content::fill(at, SHOP).await?;
    let mut volume = bound(at).await?;
    for turn in 1..=TIMES {
        let to = &fleet.clusters[turn % plan.clusters];
        let begun = Instant::now();
        leave(at, &volume).await?;
        arrive(to, &volume).await?;
        latencies.add(begun.elapsed());
        at = to;
        volume = bound(at).await?;
    }
    leave(at, &volume).await?;
    report.insert("bare p50_ms".to_owned(), latencies.at(0.5));
    report.insert("bare p99_ms".to_owned(), latencies.at(0.99));
    Ok(())
}

/// The volume of the claim, when that is bound and its pod is there. Its data stays from now on.
async fn bound(cluster: &Client) -> Result<PersistentVolume> {
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(cluster.clone(), SHOP);
    let is_bound = |claim: Option<&PersistentVolumeClaim>| {
        claim.and_then(|claim| claim.status.as_ref()?.phase.as_deref()) == Some("Bound")
    };
    let claim = tokio::time::timeout(LIMIT, await_condition(claims, content::DATA, is_bound)).await??;
    let name = claim.and_then(|claim| claim.spec?.volume_name).context("a bound claim has a volume")?;
    let deployments: Api<Deployment> = Api::namespaced(cluster.clone(), SHOP);
    let is_ready = |one: Option<&Deployment>| {
        one.and_then(|one| one.status.as_ref()?.ready_replicas).is_some_and(|ready| ready > 0)
    };
    tokio::time::timeout(LIMIT, await_condition(deployments, content::WEB, is_ready)).await??;
    let volumes: Api<PersistentVolume> = Api::all(cluster.clone());
    let keep = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
    Ok(volumes.patch(&name, &PatchParams::default(), &Patch::Merge(keep)).await?)
}

async fn leave(cluster: &Client, volume: &PersistentVolume) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(cluster.clone(), SHOP);
    deployments.delete(content::WEB, &DeleteParams::background()).await?;
    no_more_pods(cluster).await?;
    removed(&Api::<PersistentVolumeClaim>::namespaced(cluster.clone(), SHOP), content::DATA).await?;
    removed(&Api::<PersistentVolume>::all(cluster.clone()), &volume.name_any()).await?;
    removed(&Api::<Namespace>::all(cluster.clone()), SHOP).await
}

async fn arrive(cluster: &Client, volume: &PersistentVolume) -> Result<()> {
    let params = PostParams::default();
    let spaces: Api<Namespace> = Api::all(cluster.clone());
    spaces.create(&params, &content::namespace(SHOP)).await?;
    let mut spec = volume.spec.clone().context("a volume is something")?;
    let reference = spec.claim_ref.as_mut().context("a bound volume has a claim")?;
    (reference.uid, reference.resource_version) = (None, None);
    let mut made = PersistentVolume { spec: Some(spec), ..PersistentVolume::default() };
    made.metadata.name = Some(volume.name_any());
    Api::<PersistentVolume>::all(cluster.clone()).create(&params, &made).await?;
    let mut claim = content::claim()?;
    if let Some(spec) = &mut claim.spec {
        spec.volume_name = made.metadata.name;
    }
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(cluster.clone(), SHOP);
    claims.create(&params, &claim).await?;
    let is_bound = |claim: Option<&PersistentVolumeClaim>| {
        claim.and_then(|claim| claim.status.as_ref()?.phase.as_deref()) == Some("Bound")
    };
    tokio::time::timeout(LIMIT, await_condition(claims, content::DATA, is_bound)).await??;
    let deployments: Api<Deployment> = Api::namespaced(cluster.clone(), SHOP);
    deployments.create(&params, &content::deployment()?).await?;
    Ok(())
}

/// Deletes something, and waits until it is gone.
async fn removed<T>(api: &Api<T>, name: &str) -> Result<()>
where
    T: Resource + Clone + std::fmt::Debug + DeserializeOwned + Send + 'static,
{
    api.delete(name, &DeleteParams::default()).await?;
    let gone = await_condition(api.clone(), name, |one: Option<&T>| one.is_none());
    tokio::time::timeout(LIMIT, gone).await.with_context(|| format!("{name} does not go"))??;
    Ok(())
}

/// Waits until there are no pods.
async fn no_more_pods(cluster: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(cluster.clone(), SHOP);
    let mut shown = watcher(pods, watcher::Config::default()).boxed();
    let mut there = BTreeSet::new();
    let gone = async {
        loop {
            match shown.next().await.context("the watch of pods has ended")?? {
                watcher::Event::Apply(pod) | watcher::Event::InitApply(pod) => {
                    there.insert(pod.name_any());
                }
                watcher::Event::Delete(pod) => {
                    there.remove(&pod.name_any());
                }
                watcher::Event::Init => continue,
                watcher::Event::InitDone => {}
            }
            if there.is_empty() {
                return anyhow::Ok(());
            }
        }
    };
    tokio::time::timeout(LIMIT, gone).await.context("the pods do not go")?
}
