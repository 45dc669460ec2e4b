//! The hub, and the embedded clusters that are added to it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use bowline_api::conditions::{ConditionType, Truth};
use bowline_api::updates::{AllowedNamespaces, Cluster, ClusterSpec, EmbeddedCluster, Quota};
use bowline_bench_meter::Counts;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::{ListParams, PostParams};
use kube::runtime::wait::await_condition;
use kube::{Api, Client};

/// How long something may take that has to come.
pub(crate) const LIMIT: Duration = Duration::from_secs(900);
/// Requests of ours that may be under way.
pub(crate) const AT_ONCE: usize = 16;
/// Stacks of one team.
const OF_TEAM: usize = 50;

/// A hub with its clusters.
pub(crate) struct Fleet {
    pub(crate) hub: Client,
    /// Their servers, as those outside reach them.
    pub(crate) clusters: Vec<Client>,
}

impl Fleet {
    /// Adds so many clusters, and waits until all are ready.
    pub(crate) async fn start(hub: Client, clusters: usize) -> Result<Fleet> {
        let clusters = stream::iter((0..clusters).map(|number| add(hub.clone(), number)));
        let clusters = clusters.buffered(AT_ONCE).try_collect().await?;
        Ok(Fleet { hub, clusters })
    }

    /// Makes the namespaces of all teams.
    pub(crate) async fn make_teams(&self, stacks: usize) -> Result<()> {
        let namespaces: Api<Namespace> = Api::all(self.hub.clone());
        for number in (0..stacks).step_by(OF_TEAM) {
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some(team(number));
            namespaces.create(&PostParams::default(), &namespace).await?;
        }
        Ok(())
    }

    /// The number of the cluster that a stack is on.
    pub(crate) fn cluster_of(&self, stack: usize) -> usize {
        stack % self.clusters.len()
    }

    /// Waits until no stack says that it is on a cluster: each has looked once more whether all is as it should be.
    pub(crate) async fn left(&self) -> Result<()> {
        let clusters: Api<Cluster> = Api::all(self.hub.clone());
        let all_left = async {
            loop {
                let all = clusters.list(&ListParams::default()).await?.items;
                if !all.iter().any(is_entered) {
                    return anyhow::Ok(());
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        };
        tokio::time::timeout(LIMIT, all_left).await.context("stacks do not leave their clusters")?
    }

    /// What all clusters together have counted.
    pub(crate) async fn counts(&self) -> Result<Counts> {
        let all = stream::iter(&self.clusters).map(Counts::of).buffer_unordered(AT_ONCE);
        all.try_fold(Counts::default(), |sum, one| std::future::ready(Ok(sum.and(one)))).await
    }
}

fn is_entered(cluster: &Cluster) -> bool {
    let activity = cluster.status.as_ref().and_then(|status| status.activity.as_ref());
    activity.is_some_and(|activity| !activity.updates.is_empty())
}

/// What a cluster is called.
pub(crate) fn name(number: usize) -> String {
    format!("c{number}")
}

/// The namespace of the team that has this stack.
pub(crate) fn team(stack: usize) -> String {
    format!("team-{}", stack / OF_TEAM)
}

async fn add(hub: Client, number: usize) -> Result<Client> {
    let clusters: Api<Cluster> = Api::all(hub);
    let everybody = AllowedNamespaces { names: Vec::new(), selector: Some(LabelSelector::default()) };
    let spec = ClusterSpec {
        embedded: Some(EmbeddedCluster::default()),
        allowed_namespaces: Some(everybody),
        // Nobody runs wild here.
        quota: Quota { max_queued_per_namespace: 10_000, max_per_hour: 100_000 },
        ..ClusterSpec::default()
    };
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
