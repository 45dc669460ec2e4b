//! How soon what is changed on the hub is in the cluster.

use std::time::Instant;

use anyhow::Result;
use bowline_bench_meter::Latencies;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use crate::crowd::Crowd;
use crate::fleet::Fleet;
use crate::{Plan, Report, content};

/// Changes settings, one after the other.
pub(crate) async fn measure(plan: &Plan, fleet: &Fleet, crowd: &Crowd, report: &mut Report) -> Result<()> {
    let mut latencies = Latencies::default();
    for turn in 1..=plan.changes {
        let (namespace, value) = (content::name(turn % plan.namespaces), turn.to_string());
        let settings: Api<ConfigMap> = Api::namespaced(fleet.hub.clone(), &namespace);
        let change = json!({ "data": { "number": value } });
        let begun = Instant::now();
        settings.patch(content::SETTING, &PatchParams::default(), &Patch::Merge(change)).await?;
        latencies.add(crowd.is_set(&namespace, &value).await?.saturating_duration_since(begun));
    }
    report.insert("change p50_ms".to_owned(), latencies.at(0.5));
    report.insert("change p99_ms".to_owned(), latencies.at(0.99));
    Ok(())
}
