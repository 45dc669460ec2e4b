//! Namespaces that are placed, and moved: one after the other, and all at once.

use std::time::{Duration, Instant};

use anyhow::Result;
use bowline_api::placements::{Placement, PlacementSpec};
use bowline_bench_meter::{Counts, Latencies, Renewals};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::crowd::Crowd;
use crate::fleet::{AT_ONCE, Fleet, name};
use crate::{Plan, Processes, Report, content};

/// The number of the cluster that each namespace is on.
pub(crate) type Places = Vec<usize>;

/// Makes all namespaces, and waits until they are up.
pub(crate) async fn place(plan: &Plan, fleet: &Fleet, crowd: &Crowd, report: &mut Report) -> Result<Places> {
    let places: Places = (0..plan.namespaces).map(|number| number % plan.clusters).collect();
    let begun = Instant::now();
    let all = places.iter().enumerate().map(|(number, at)| make(fleet.hub.clone(), number, *at));
    stream::iter(all).buffer_unordered(AT_ONCE).try_for_each(|()| std::future::ready(Ok(()))).await?;
    for (number, at) in places.iter().enumerate() {
        crowd.is_up(&content::name(number), &name(*at)).await?;
    }
    report.insert("place s".to_owned(), begun.elapsed().as_secs_f64());
    Ok(places)
}

async fn make(hub: Client, number: usize, at: usize) -> Result<()> {
    let (params, namespace) = (PostParams::default(), content::name(number));
    Api::<Namespace>::all(hub.clone()).create(&params, &content::namespace(&namespace)).await?;
    content::fill(&hub, &namespace).await?;
    let spec = PlacementSpec { target: Some(name(at).as_str().into()), ..PlacementSpec::default() };
    let placement = Placement::new(Placement::NAME, spec);
    Api::<Placement>::namespaced(hub, &namespace).create(&params, &placement).await?;
    Ok(())
}

/// Moves a namespace, and tells how long that took.
async fn moved(fleet: &Fleet, crowd: &Crowd, number: usize, to: usize) -> Result<Duration> {
    let (namespace, target) = (content::name(number), name(to));
    let placements: Api<Placement> = Api::namespaced(fleet.hub.clone(), &namespace);
    let change = json!({ "spec": { "target": target } });
    let begun = Instant::now();
    placements.patch(Placement::NAME, &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(crowd.is_up(&namespace, &target).await?.saturating_duration_since(begun))
}

/// Moves one after the other, each to the next cluster.
pub(crate) async fn alone(
    plan: &Plan,
    fleet: &Fleet,
    crowd: &Crowd,
    places: &mut Places,
    report: &mut Report,
) -> Result<()> {
    let mut latencies = Latencies::default();
    for turn in 0..plan.alone {
        let number = turn % places.len();
        places[number] = (places[number] + 1) % plan.clusters;
        latencies.add(moved(fleet, crowd, number, places[number]).await?);
    }
    let bare_ms = report.get("bare p50_ms").copied().unwrap_or_default();
    for (quantile, at) in [("p50", 0.5), ("p99", 0.99)] {
        report.insert(format!("alone {quantile}_ms"), latencies.at(at));
        report.insert(format!("own {quantile}_ms"), (latencies.at(at) - bare_ms).max(0.0));
    }
    Ok(())
}

/// Moves all at once, each to the next cluster.
pub(crate) async fn at_once(
    fleet: &Fleet,
    crowd: &Crowd,
    places: &mut Places,
    processes: &Processes,
    report: &mut Report,
) -> Result<()> {
    let renewals = Renewals::watch(&fleet.hub).await?;
    let (hub, clusters) = (Counts::of(&fleet.hub).await?, fleet.counts().await?);
    let cpu = (processes.hub.cpu()?, processes.syncers.cpu()?, processes.sites.cpu()?);
    let begun = Instant::now();
    places.iter_mut().for_each(|at| *at = (*at + 1) % fleet.clusters.len());
    let all = places.iter().enumerate().map(|(number, to)| moved(fleet, crowd, number, *to));
    let took: Vec<Duration> = futures::future::try_join_all(all).await?;
    let whole = begun.elapsed();
    let used = (processes.hub.cpu()?, processes.syncers.cpu()?, processes.sites.cpu()?);
    let (after, clusters) = (Counts::of(&fleet.hub).await?, fleet.counts().await?.since(clusters));
    let written = renewals.besides(hub.written, after.written).await?;
    let mut latencies = Latencies::default();
    took.into_iter().for_each(|took| latencies.add(took));
    let (moves, hub) = (places.len() as f64, after.since(hub));
    let values = [
        ("all s", whole.as_secs_f64()),
        ("all ms", whole.as_secs_f64() * 1e3 / moves),
        ("all p50_ms", latencies.at(0.5)),
        ("all p99_ms", latencies.at(0.99)),
        ("hub writes", written as f64 / moves),
        ("hub refused", hub.refused as f64 / moves),
        ("hub requests", (hub.reads + hub.asked) as f64 / moves),
        ("cluster writes", clusters.written as f64 / moves),
        ("cluster requests", (clusters.reads + clusters.asked) as f64 / moves),
        ("hub cpu_ms", used.0.saturating_sub(cpu.0).as_secs_f64() * 1e3 / moves),
        ("syncers cpu_ms", used.1.saturating_sub(cpu.1).as_secs_f64() * 1e3 / moves),
        ("sites cpu_ms", used.2.saturating_sub(cpu.2).as_secs_f64() * 1e3 / moves),
    ];
    report.extend(values.map(|(name, value)| (name.to_owned(), value)));
    Ok(())
}
