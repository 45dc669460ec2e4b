//! How long it takes from a write until the last of many watchers has seen it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bowline_bench_meter::Latencies;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::load::{JSON, MAPS, MERGE, object};
use crate::report::Report;
use crate::server::Server;

const WRITES: usize = 500;
const NAME: &str = "bench-watched";

/// From the moment that the write is sent.
pub(crate) async fn measure(server: &Server, watchers: usize, report: &mut Report) -> Result<()> {
    let mut writer = server.connect().await?;
    let created = writer.send(Method::POST, MAPS, JSON, object(NAME)).await?;
    let created: Value = serde_json::from_slice(&created)?;
    let version = created["metadata"]["resourceVersion"].as_str().context("an object has a version")?;
    let path = format!("{MAPS}?watch=true&resourceVersion={version}&fieldSelector=metadata.name%3D{NAME}");
    let (sender, mut seen) = mpsc::unbounded_channel();
    // Those who watch end with this function: they would slow down what is measured next.
    let mut watching = JoinSet::new();
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
    let mut latencies = Latencies::default();
    for count in 0..WRITES {
        let patch = json!({ "data": { "count": format!("w{count}") } }).to_string();
        let start = Instant::now();
        writer.send(Method::PATCH, &format!("{MAPS}/{NAME}"), MERGE, patch).await?;
        let mut last = start;
        for _ in 0..watchers {
            let next = tokio::time::timeout(Duration::from_secs(10), seen.recv()).await;
            last = last.max(next.context("a watcher saw nothing")?.context("the watchers are gone")?);
        }
        latencies.add(last.duration_since(start));
    }
    report.put("watch p50_ms", latencies.at(0.5));
    report.put("watch p99_ms", latencies.at(0.99));
    Ok(())
}
