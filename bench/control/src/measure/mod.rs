//! Measures a contestant on a fresh hub: it converges, rests, mends what is edited, and starts on what is converged.

mod child;
mod hub;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bowline_bench_meter::Cost;

use crate::contestants::Contestant;
use child::Child;
use hub::{Hub, Writes};
use world::World;

/// How long somebody may rest before memory and writes are looked at.
const SETTLE: Duration = Duration::from_secs(2);
/// For how long writes are looked for where there must be none.
const REST: Duration = Duration::from_secs(5);
/// The watches of a contestant: pairs and halves.
const WATCHES: u64 = 2;

/// What is measured.
#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Who
    contestant: Contestant,
    /// How to reach the hub
    #[arg(long)]
    kubeconfig: PathBuf,
    /// The process of the hub
    #[arg(long)]
    hub: u32,
    /// How many pairs
    #[arg(long)]
    objects: usize,
    /// How many of them are edited, one after the other
    #[arg(long)]
    edits: usize,
    /// Pairs that may be worked at together
    #[arg(long)]
    workers: u16,
}

/// What was measured, each quantity by its name, with its unit at the end.
pub(crate) type Report = BTreeMap<&'static str, f64>;

/// All of it, in turn.
pub(crate) async fn all(plan: &Plan) -> Result<Report> {
    let client = bowline_runtime::client(&plan.kubeconfig, None).await?;
    bowline_runtime::install(&client, &bowline_e2e_sample::crds()).await?;
    let bench = Bench {
        plan,
        hub: Hub { client: client.clone(), cost: Cost::of(&[plan.hub]) },
        world: World::watch(client),
    };
    let mut report = Report::new();
    let idle_kib = bench.idle().await?;
    report.insert("idle mib", idle_kib / 1024.0);
    bench.world.fill(plan.objects).await?;
    let child = bench.converge(&mut report).await?;
    let writes = bench.rest(&child).await?;
    report.insert("rest writes", writes.all() as f64);
    bench.memory(&child, idle_kib, "converged bytes", &mut report)?;
    bench.edit(&mut report).await?;
    bench.leave(child).await?;
    let child = bench.start_again(&mut report).await?;
    bench.memory(&child, idle_kib, "cold bytes", &mut report)?;
    bench.leave(child).await?;
    bench.world.check(plan.objects).await?;
    Ok(report)
}

struct Bench<'a> {
    plan: &'a Plan,
    hub: Hub,
    world: World,
}

impl Bench<'_> {
    fn start(&self) -> Result<Child> {
        let Plan { contestant, kubeconfig, objects, workers, .. } = self.plan;
        Child::start(*contestant, kubeconfig, *objects, *workers)
    }

    /// The memory of somebody who watches, when there is nothing.
    async fn idle(&self) -> Result<f64> {
        let child = self.start()?;
        self.hub.watched_by(world::WATCHES + WATCHES).await?;
        tokio::time::sleep(SETTLE).await;
        let resident = child.cost.resident_kib()?;
        self.leave(child).await?;
        Ok(resident)
    }

    /// From the start of the contestant until every pair is complete and says so.
    async fn converge(&self, report: &mut Report) -> Result<Child> {
        let (writes, hub_cpu) = (self.hub.writes().await?, self.hub.cost.cpu()?);
        let begun = Instant::now();
        let mut child = self.start()?;
        self.world.complete(self.plan.objects).await?;
        let took = begun.elapsed();
        let (cpu, hub_cpu) = (child.cost.cpu()?, self.hub.cost.cpu()?.saturating_sub(hub_cpu));
        let decisions = child.ask(crate::words::NOW)?.decisions as f64;
        // Those who make halves ready patch; a controller does not.
        let writes = self.hub.writes().await?.since(writes);
        let pairs = self.plan.objects as f64;
        report.insert("converge s", took.as_secs_f64());
        report.insert("converge per_second", decisions / took.as_secs_f64());
        report.insert("converge cpu_us", cpu.as_secs_f64() * 1e6 / decisions);
        report.insert("converge pair_cpu_us", cpu.as_secs_f64() * 1e6 / pairs);
        report.insert("converge hub_cpu_us", hub_cpu.as_secs_f64() * 1e6 / pairs);
        report.insert("converge decisions", decisions / pairs);
        report.insert("converge writes", writes.made as f64 / pairs);
        report.insert("converge refused", writes.refused as f64 / pairs);
        Ok(child)
    }

    /// The writes of some seconds in which nothing happens, and the watches are open.
    async fn rest(&self, child: &Child) -> Result<Writes> {
        tokio::time::sleep(SETTLE).await;
        let before = self.hub.writes().await?;
        tokio::time::sleep(REST).await;
        let writes = self.hub.writes().await?.since(before);
        child.cost.cpu()?;
        self.hub.watched_by(world::WATCHES + WATCHES).await?;
        Ok(writes)
    }

    fn memory(&self, child: &Child, idle_kib: f64, name: &'static str, report: &mut Report) -> Result<()> {
        // A pair and two halves.
        let objects = 3.0 * self.plan.objects as f64;
        report.insert(name, (child.cost.resident_kib()? - idle_kib) * 1024.0 / objects);
        Ok(())
    }

    /// From an edit until both halves carry its value.
    async fn edit(&self, report: &mut Report) -> Result<()> {
        ensure!(self.plan.edits > 0, "there is nothing to measure without edits");
        let mut took = Vec::with_capacity(self.plan.edits);
        for edit in 0..self.plan.edits {
            // In no order, and each another one as long as there are others.
            let number = edit * 7919 % self.plan.objects;
            let value = 2 + u32::try_from(edit)?;
            took.push(self.world.edit(number, value).await?);
        }
        took.sort_unstable();
        let at = |hundredths: usize| took[(took.len() * hundredths / 100).min(took.len() - 1)];
        report.insert("edit p50_ms", at(50).as_secs_f64() * 1000.0);
        report.insert("edit p99_ms", at(99).as_secs_f64() * 1000.0);
        Ok(())
    }

    /// A start on pairs that are complete: all are looked at, and nothing is written.
    async fn start_again(&self, report: &mut Report) -> Result<Child> {
        let before = self.hub.writes().await?;
        let begun = Instant::now();
        let mut child = self.start()?;
        let swept = child.ask(crate::words::ALL)?;
        let (took, cpu) = (begun.elapsed(), child.cost.cpu()?);
        ensure!(swept.sweep_decisions > 0, "not all pairs were looked at");
        self.rest(&child).await?;
        let writes = self.hub.writes().await?.since(before);
        let decisions = child.ask(crate::words::NOW)?.decisions as f64;
        report.insert("cold s", took.as_secs_f64());
        report.insert("cold cpu_s", cpu.as_secs_f64());
        report.insert("cold per_second", swept.sweep_decisions as f64 / swept.sweep.as_secs_f64());
        report.insert("cold decisions", decisions / self.plan.objects as f64);
        report.insert("cold writes", writes.all() as f64);
        Ok(child)
    }

    /// Ends a contestant, and waits until the hub knows.
    async fn leave(&self, child: Child) -> Result<()> {
        child.end()?;
        self.hub.watched_by(world::WATCHES).await
    }
}
