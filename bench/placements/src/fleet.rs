//! The hub, the clusters, and their syncers.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use bowline_api::conditions::{ConditionType, Truth};
use bowline_api::placements::{SyncTarget, SyncTargetSpec};
use bowline_api::updates::{Cluster, ClusterSpec, EmbeddedCluster};
use bowline_bench_meter::Counts;
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::PostParams;
use kube::runtime::wait::await_condition;
use kube::{Api, Client};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// How long something may take that has to come.
pub(crate) const LIMIT: Duration = Duration::from_secs(1800);
/// Requests of ours that may be under way.
pub(crate) const AT_ONCE: usize = 16;

/// A hub with clusters, each of which is a target with a syncer.
pub(crate) struct Fleet {
    pub(crate) hub: Client,
    pub(crate) clusters: Vec<Client>,
}

impl Fleet {
    /// Makes so many clusters, and waits until all are ready.
    pub(crate) async fn start(hub: Client, sites: Client, clusters: usize) -> Result<Fleet> {
        let clusters = stream::iter((0..clusters).map(|number| add(sites.clone(), number)));
        let clusters = clusters.buffered(AT_ONCE).try_collect().await?;
        Ok(Fleet { hub, clusters })
    }

    /// Makes targets of them, and starts their syncers, each in a thread. Tells of those that end, which none does by itself.
    pub(crate) async fn join(&self) -> Result<UnboundedReceiver<Result<()>>> {
        let targets: Api<SyncTarget> = Api::all(self.hub.clone());
        let (tell, ended) = mpsc::unbounded_channel();
        for (number, cluster) in self.clusters.iter().enumerate() {
            let target = name(number);
            let spec = SyncTargetSpec { cluster: target.as_str().into(), ..SyncTargetSpec::default() };
            targets.create(&PostParams::default(), &SyncTarget::new(&target, spec)).await?;
            let setup = bowline_syncer::Setup {
                hub: self.hub.clone(),
                cluster: cluster.clone(),
                target,
                lease: bowline_control::lease::Settings::default(),
                say: Box::new(|_| {}),
            };
            let tell = tell.clone();
            std::thread::spawn(move || tell.send(syncer(setup)));
        }
        Ok(ended)
    }

    /// What all clusters together have counted.
    pub(crate) async fn counts(&self) -> Result<Counts> {
        let all = stream::iter(&self.clusters).map(Counts::of).buffer_unordered(AT_ONCE);
        all.try_fold(Counts::default(), |sum, one| std::future::ready(Ok(sum.and(one)))).await
    }
}

fn syncer(setup: bowline_syncer::Setup) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(bowline_syncer::run(setup, std::future::pending()))?)
}

/// What a cluster is called.
pub(crate) fn name(number: usize) -> String {
    format!("c{number}")
}

async fn add(sites: Client, number: usize) -> Result<Client> {
    let clusters: Api<Cluster> = Api::all(sites);
    let spec = ClusterSpec { embedded: Some(EmbeddedCluster::default()), ..ClusterSpec::default() };
    let name = name(number);
    clusters.create(&PostParams::default(), &Cluster::new(&name, spec)).await?;
    let ready = await_condition(clusters, &name, |cluster: Option<&Cluster>| cluster.is_some_and(is_ready));
    let ready =
        tokio::time::timeout(LIMIT, ready).await.with_context(|| format!("{name} is not ready"))??;
    let endpoint = ready.and_then(|cluster| cluster.status?.endpoint?.kubeconfig);
    let kubeconfig = PathBuf::from(endpoint.context("an embedded cluster says where its kubeconfig is")?);
    Ok(bowline_runtime::client(&kubeconfig, None).await?)
}

fn is_ready(cluster: &Cluster) -> bool {
    let ready = cluster.status.as_ref().and_then(|status| status.conditions.get(&ConditionType::READY));
    ready.is_some_and(|ready| ready.status == Truth::True)
}
