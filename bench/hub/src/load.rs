//! Clients that do the same thing again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cost::Cost;
use crate::latencies::Latencies;
use crate::server::{Connection, Server};

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    Create,
    Patch,
    Get,
}

/// What was done, and what it cost.
#[derive(Serialize)]
pub(crate) struct Loaded {
    verb: Verb,
    clients: usize,
    per_second: f64,
    cpu_us: f64,
    p50_ms: f64,
    p99_ms: f64,
}

/// About 1 KiB.
pub(crate) fn object(name: &str) -> String {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "labels": { "app": "bench", "tier": "load" } },
        "data": { "text": "x".repeat(800), "count": "0" },
    })
    .to_string()
}

/// Names are never used twice.
fn fresh() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("bench-{:08}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// So many clients do the same thing for so long.
pub(crate) async fn run(
    server: &Server,
    cost: &Cost,
    verb: Verb,
    clients: usize,
    lasting: Duration,
) -> Result<Loaded> {
    let mut ready = Vec::new();
    for _ in 0..clients {
        let mut connection = server.connect().await?;
        let name = fresh();
        connection.send(Method::POST, MAPS, JSON, object(&name)).await?;
        ready.push((connection, name));
    }
    let (cpu, start) = (cost.cpu()?, Instant::now());
    let end = start + lasting;
    let tasks: Vec<_> = ready
        .into_iter()
        .map(|(connection, name)| tokio::spawn(client(connection, name, verb, end)))
        .collect();
    let mut all = Latencies::default();
    for task in tasks {
        all.extend(task.await??);
    }
    let (took, cpu) = (start.elapsed(), cost.cpu()?.saturating_sub(cpu));
    ensure!(all.len() > 0, "nothing was done");
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let count = all.len() as f64;
    Ok(Loaded {
        verb,
        clients,
        per_second: count / took.as_secs_f64(),
        cpu_us: cpu.as_secs_f64() * 1e6 / count,
        p50_ms: all.at(0.5),
        p99_ms: all.at(0.99),
    })
}

async fn client(mut connection: Connection, name: String, verb: Verb, end: Instant) -> Result<Latencies> {
    let mut latencies = Latencies::default();
    let path = format!("{MAPS}/{name}");
    let mut count = 0_u64;
    while Instant::now() < end {
        count += 1;
        let start = Instant::now();
        match verb {
            Verb::Create => {
                let name = fresh();
                connection.send(Method::POST, MAPS, JSON, object(&name)).await?;
            }
            Verb::Patch => {
                let patch = json!({ "data": { "count": count.to_string() } }).to_string();
                connection.send(Method::PATCH, &path, MERGE, patch).await?;
            }
            Verb::Get => {
                connection.send(Method::GET, &path, JSON, "").await?;
            }
        }
        latencies.add(start.elapsed());
    }
    Ok(latencies)
}

/// Makes or removes objects until there are so many.
pub(crate) async fn fill(server: &Server, objects: usize) -> Result<()> {
    let mut connection = server.connect().await?;
    let names = names(&mut connection).await?;
    let queue = Arc::new(tokio::sync::Mutex::new(if names.len() > objects {
        names[objects..].iter().map(|name| (Method::DELETE, name.clone())).collect::<Vec<_>>()
    } else {
        (names.len()..objects).map(|_| (Method::POST, fresh())).collect()
    }));
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let (mut connection, queue) = (server.connect().await?, Arc::clone(&queue));
        tasks.push(tokio::spawn(async move {
            loop {
                let Some((method, name)) = queue.lock().await.pop() else { return anyhow::Ok(()) };
                match method {
                    Method::POST => connection.send(method, MAPS, JSON, object(&name)).await?,
                    _ => connection.send(method, &format!("{MAPS}/{name}"), JSON, "").await?,
                };
            }
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

async fn names(connection: &mut Connection) -> Result<Vec<String>> {
    let list: Value = serde_json::from_slice(&connection.send(Method::GET, MAPS, JSON, "").await?)?;
    let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = items.iter().filter_map(|item| item["metadata"]["name"].as_str());
    Ok(names.filter(|name| name.starts_with("bench-")).map(str::to_owned).collect())
}

/// The time that a list of everything takes, and the processor time: the median of nine.
pub(crate) async fn list(server: &Server, cost: &Cost, objects: usize) -> Result<(f64, f64)> {
    const TIMES: u32 = 9;
    let mut connection = server.connect().await?;
    ensure!(names(&mut connection).await?.len() == objects, "there are not {objects} objects");
    let mut latencies = Latencies::default();
    let cpu = cost.cpu()?;
    for _ in 0..TIMES {
        let start = Instant::now();
        connection.send(Method::GET, MAPS, JSON, "").await?;
        latencies.add(start.elapsed());
    }
    let cpu = cost.cpu()?.saturating_sub(cpu) / TIMES;
    Ok((latencies.at(0.5), cpu.as_secs_f64() * 1000.0))
}
