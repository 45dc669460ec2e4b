//! How long it takes from a write until the last of many watchers has seen it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bowline_bench_meter::{Cost, Latencies};
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::load::{JSON, MAPS, MERGE, object};
use crate::report::Report;
use crate::server::Server;

/// So many events are sent, to however many watchers.
const EVENTS: usize = 50_000;
const NAME: &str = "bench-watched";

/// From the moment that the write is sent.
pub(crate) async fn measure(
    server: &Server,
    cost: &Cost,
    watchers: usize,
    report: &mut Report,
) -> Result<()> {
    let mut writer = server.connect().await?;
    let watched = format!("{MAPS}/{NAME}");
    // It may be there from the last time.
    writer.open(Method::DELETE, &watched, JSON, "").await?.into_body().collect().await?;
    let created = writer.send(Method::POST, MAPS, JSON, object(NAME)).await?;
    let created: Value = serde_json::from_slice(&created)?;
    let version = created["metadata"]["resourceVersion"].as_str().context("an object has a version")?;
    let path = format!("{MAPS}?watch=true&resourceVersion={version}&fieldSelector=metadata.name%3D{NAME}");
    let (sender, mut seen) = mpsc::unbounded_channel();
    // Those who watch end with this function: they would slow down what is measured next.
    let mut watching = JoinSet::new();
    let before = cost.resident_kib()?;
    for _ in 0..watchers {
        let mut connection = server.connect().await?;
        let mut response = connection.open(Method::GET, &path, JSON, "").await?;
        let sender = sender.clone();
        watching.spawn(async move {
            // The connection lives as long as its watch.
            let _connection = connection;
            while let Some(Ok(frame)) = response.frame().await {
                let lines =
                    frame.data_ref().map_or(0, |data| data.iter().filter(|byte| **byte == b'\n').count());
                for _ in 0..lines {
                    if sender.send(Instant::now()).is_err() {
                        return;
                    }
                }
            }
        });
    }
    let kib = (cost.resident_kib()? - before) / f64::from(u32::try_from(watchers)?);
    let writes = EVENTS / watchers;
    let (mut latencies, cpu) = (Latencies::default(), cost.cpu()?);
    for count in 0..writes {
        let patch = json!({ "data": { "count": format!("w{count}") } }).to_string();
        let start = Instant::now();
        writer.send(Method::PATCH, &watched, MERGE, patch).await?;
        let mut last = start;
        for _ in 0..watchers {
            let next = tokio::time::timeout(Duration::from_secs(10), seen.recv()).await;
            last = last.max(next.context("a watcher saw nothing")?.context("the watchers are gone")?);
        }
        latencies.add(last.duration_since(start));
    }
    let cpu = cost.cpu()?.saturating_sub(cpu).as_secs_f64() / f64::from(u32::try_from(writes * watchers)?);
    let mut put = |what: &str, value| report.put(format!("watch {watchers} {what}"), value);
    put("p50_ms", latencies.at(0.5));
    put("p99_ms", latencies.at(0.99));
    put("cpu_us", cpu * 1e6);
    put("kib", kib);
    Ok(())
}
