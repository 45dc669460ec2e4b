//! Applies the same objects to the same clusters without Bowline's controllers: what it costs at least.

use std::time::Instant;

use anyhow::{Context, Result};
use bowline_bench_meter::Cost;
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::Value;

use crate::fleet::{AT_ONCE, Fleet};
use crate::{Plan, Report, content, ours};

/// From the first request until the last object is there.
pub(crate) async fn measure(plan: &Plan, fleet: &Fleet, up: &Cost) -> Result<Report> {
    let own = Cost::of(&[std::process::id()]);
    let (up_before, own_before, begun) = (up.cpu()?, own.cpu()?, Instant::now());
    let stacks = stream::iter(0..plan.stacks);
    let objects = stacks.flat_map(|stack| {
        let client = &fleet.clusters[fleet.cluster_of(stack)];
        let objects = content::objects(&ours::name(stack), plan.objects);
        stream::iter(objects.into_iter().map(move |object| apply(client, object)))
    });
    objects.buffer_unordered(AT_ONCE).try_for_each(|()| std::future::ready(Ok(()))).await?;
    let took = begun.elapsed();
    let (served, asked) = (up.cpu()?.saturating_sub(up_before), own.cpu()?.saturating_sub(own_before));
    Ok(Report::from([
        ("all s".to_owned(), took.as_secs_f64()),
        ("all cpu_s".to_owned(), served.as_secs_f64()),
        ("client cpu_s".to_owned(), asked.as_secs_f64()),
        ("peak mib".to_owned(), up.peak_kib()? / 1024.0),
    ]))
}

async fn apply(client: &Client, object: Value) -> Result<()> {
    let (object, kind) = content::typed(object)?;
    let name = object.metadata.name.clone().context("an object has a name")?;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &kind);
    api.patch(&name, &PatchParams::apply("bench").force(), &Patch::Apply(&object)).await?;
    Ok(())
}
