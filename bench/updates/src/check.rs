//! Whether everything is where it was submitted for.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use kube::api::ListParams;
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};

use crate::fleet::{self, Fleet};
use crate::{Plan, content, ours};

/// Sees that each cluster has every object of every stack that is on it.
pub(crate) async fn is_there(plan: &Plan, fleet: &Fleet) -> Result<()> {
    for (number, cluster) in fleet.clusters.iter().enumerate() {
        let mine = (0..plan.stacks).filter(|stack| fleet.cluster_of(*stack) == number);
        let mut wanted: BTreeMap<String, (ApiResource, BTreeSet<String>)> = BTreeMap::new();
        for object in mine.flat_map(|stack| content::objects(&ours::name(stack), plan.objects)) {
            let (object, kind) = content::typed(object)?;
            let (_, names) = wanted.entry(kind.kind.clone()).or_insert_with(|| (kind, BTreeSet::new()));
            names.insert(object.name_any());
        }
        for (kind, names) in wanted.into_values() {
            let there = listed(cluster, &kind).await?;
            let missing = names.difference(&there).count();
            ensure!(missing == 0, "{missing} of {} are missing on {}", kind.plural, fleet::name(number));
        }
    }
    Ok(())
}

async fn listed(cluster: &Client, kind: &ApiResource) -> Result<BTreeSet<String>> {
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.clone(), "default", kind);
    let all = api.list_metadata(&ListParams::default()).await?.items;
    Ok(all.iter().map(ResourceExt::name_any).collect())
}
