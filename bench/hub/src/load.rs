//! Clients that do the same thing again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bowline_bench_meter::{Cost, Latencies};
use http::Method;
use serde_json::{Value, json};

use crate::report::Report;
use crate::server::{Connection, Server};

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(crate) const JSON: &str = "application/json";
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Verb {
    Create,
    Patch,
    Get,
}

impl Verb {
    pub(crate) const ALL: [Verb; 3] = [Verb::Create, Verb::Patch, Verb::Get];

    fn name(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Patch => "patch",
            Verb::Get => "get",
        }
    }
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
    (verb, clients, lasting): (Verb, usize, Duration),
    report: &mut Report,
) -> Result<()> {
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
    ensure!(all.count() > 0, "nothing was done");
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let count = all.count() as f64;
    let mut put = |what: &str, value| report.put(format!("{} {clients} {what}", verb.name()), value);
    put("per_second", count / took.as_secs_f64());
    put("cpu_us", cpu.as_secs_f64() * 1e6 / count);
    put("p50_ms", all.at(0.5));
    put("p99_ms", all.at(0.99));
    Ok(())
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

/// Makes so many objects, by many clients.
pub(crate) async fn fill(server: &Server, objects: usize) -> Result<()> {
    const CLIENTS: usize = 64;
    let begun = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..CLIENTS {
        let (mut connection, begun) = (server.connect().await?, Arc::clone(&begun));
        tasks.push(tokio::spawn(async move {
            while begun.fetch_add(1, Ordering::Relaxed) < objects {
                connection.send(Method::POST, MAPS, JSON, object(&fresh())).await?;
            }
            anyhow::Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

/// The time that a list of everything takes, and the processor time.
pub(crate) async fn list(server: &Server, cost: &Cost, lasting: Duration, report: &mut Report) -> Result<()> {
    let mut connection = server.connect().await?;
    let mut latencies = Latencies::default();
    let (cpu, end) = (cost.cpu()?, Instant::now() + lasting);
    while Instant::now() < end {
        let start = Instant::now();
        connection.send(Method::GET, MAPS, JSON, "").await?;
        latencies.add(start.elapsed());
    }
    let cpu = cost.cpu()?.saturating_sub(cpu) / u32::try_from(latencies.count())?;
    report.put("list p50_ms", latencies.at(0.5));
    report.put("list cpu_ms", cpu.as_secs_f64() * 1000.0);
    Ok(())
}

/// How many objects of ours there are.
pub(crate) async fn count(server: &Server) -> Result<usize> {
    let mut connection = server.connect().await?;
    let list: Value = serde_json::from_slice(&connection.send(Method::GET, MAPS, JSON, "").await?)?;
    let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = items.iter().filter_map(|item| item["metadata"]["name"].as_str());
    Ok(names.filter(|name| name.starts_with("bench-")).count())
}
