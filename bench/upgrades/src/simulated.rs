//! Nodes whose agents are in this process, and whose software is a pair of times.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bowline_bench_meter::{Cost, Counts, Renewals};
use tokio::task::JoinSet;

use crate::diary::Diary;
use crate::group::Group;
use crate::hub::Hub;
use crate::{Report, Size, agent, reported};

/// What the group is called.
const NAME: &str = "bench";
/// For how long writes are looked for when nothing is to be done.
const REST: Duration = Duration::from_secs(5);

/// Upgrades a group on a fresh `bowline up`.
pub(crate) async fn measure(size: &Size, kubeconfig: &Path, up: u32) -> Result<Report> {
    let client = bowline_runtime::client(kubeconfig, None).await?;
    let diary = Arc::new(Diary::default());
    let mut group = Group::make(client.clone(), NAME, size).await?;
    let mut agents = JoinSet::new();
    for member in group.members() {
        let hub = Hub::new(client.clone(), NAME, &member);
        agents.spawn(agent::run(hub, size.restart(), Arc::clone(&diary)));
    }
    let up = Cost::of(&[up]);
    tokio::select! {
        measured = upgrade(size, &mut group, &up, &diary) => measured,
        Some(ended) = agents.join_next() => {
            ended??;
            bail!("an agent has ended")
        }
    }
}

async fn upgrade(size: &Size, group: &mut Group, up: &Cost, diary: &Diary) -> Result<Report> {
    let agents = Cost::of(&[std::process::id()]);
    group.rests_at("v1").await?;
    diary.begin();
    let counts = Counts::of(group.client()).await?;
    let (cpu, begun) = ((up.cpu()?, agents.cpu()?), Instant::now());
    let moves = group.upgrade("v2").await?;
    let took = begun.elapsed();
    let used = (up.cpu()?.saturating_sub(cpu.0), agents.cpu()?.saturating_sub(cpu.1));
    let counts = Counts::of(group.client()).await?.since(counts);
    let mut report = reported(size, took, moves, &diary.end()?)?;
    let nodes = size.nodes as f64;
    let more = [
        ("up cpu_ms", used.0.as_secs_f64() * 1e3 / nodes),
        ("agents cpu_ms", used.1.as_secs_f64() * 1e3 / nodes),
        ("hub writes", counts.written as f64 / nodes),
        ("peak mib", up.peak_kib()? / 1024.0),
    ];
    report.extend(more.map(|(name, value)| (name.to_owned(), value)));
    rest(group, up, &mut report).await?;
    Ok(report)
}

/// The writes of some seconds in which nothing happens; leases are renewed.
async fn rest(group: &Group, up: &Cost, report: &mut Report) -> Result<()> {
    let renewals = Renewals::watch(group.client()).await?;
    let (from, cpu) = (Counts::of(group.client()).await?.written, up.cpu()?);
    tokio::time::sleep(REST).await;
    let (to, used) = (Counts::of(group.client()).await?.written, up.cpu()?.saturating_sub(cpu));
    report.insert("rest writes".to_owned(), renewals.besides(from, to).await? as f64);
    report.insert("rest cpu_ms".to_owned(), used.as_secs_f64() * 1e3 / REST.as_secs_f64());
    Ok(())
}
