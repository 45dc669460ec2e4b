//! Updates: all at once, at rest, one alone, and larger and larger ones.

use std::time::{Duration, Instant};

use anyhow::Result;
use bowline_bench_meter::{Cost, Counts, Latencies};
use futures::{StreamExt, TryStreamExt, stream};

use crate::crowd::Crowd;
use crate::fleet::{self, AT_ONCE, Fleet};
use crate::submit::Submission;
use crate::{Plan, Report, check, content, rest};

/// How long a process may rest before its memory is looked at.
const SETTLE: Duration = Duration::from_secs(2);
/// How often a stack of one size is submitted.
const OF_A_SIZE: usize = 3;

/// All of it, in turn.
pub(crate) async fn measure(plan: &Plan, fleet: &Fleet, up: &Cost) -> Result<Report> {
    fleet.make_teams(plan.stacks).await?;
    tokio::time::sleep(SETTLE).await;
    let idle_kib = up.resident_kib()?;
    let bench = Bench { plan, fleet, up, crowd: Crowd::watch(fleet.hub.clone()) };
    let mut report = Report::from([("idle mib".to_owned(), idle_kib / 1024.0)]);
    let begun = up.cpu()?;
    bench.all(&mut report).await?;
    fleet.left().await?;
    report.insert("left cpu_s".to_owned(), up.cpu()?.saturating_sub(begun).as_secs_f64());
    check::is_there(plan, fleet).await?;
    tokio::time::sleep(SETTLE).await;
    report.insert("rest kib".to_owned(), (up.resident_kib()? - idle_kib) / plan.stacks as f64);
    rest::measure(fleet, up, &mut report).await?;
    bench.alone(&mut report).await?;
    bench.sizes(&mut report).await?;
    Ok(report)
}

/// What a stack is called that has this number.
pub(crate) fn name(stack: usize) -> String {
    format!("s{stack}")
}

struct Bench<'a> {
    plan: &'a Plan,
    fleet: &'a Fleet,
    up: &'a Cost,
    crowd: Crowd,
}

impl Bench<'_> {
    /// From the first request of the first submission until a watch has shown that all have succeeded.
    async fn all(&self, report: &mut Report) -> Result<()> {
        let stacks = self.plan.stacks;
        let (hub, clusters) = (Counts::of(&self.fleet.hub).await?, self.fleet.counts().await?);
        let own = Cost::of(&[std::process::id()]);
        let (cpu, asking, begun) = (self.up.cpu()?, own.cpu()?, Instant::now());
        let all = stream::iter((0..stacks).map(|stack| {
            let submission = self.submission(name(stack), stack, self.plan.objects);
            submission.send(&self.fleet.hub)
        }));
        all.buffer_unordered(AT_ONCE).try_for_each(|_| std::future::ready(Ok(()))).await?;
        let submitted = begun.elapsed();
        self.crowd.succeeded(stacks).await?;
        let (took, used) = (begun.elapsed(), self.up.cpu()?.saturating_sub(cpu));
        let mut put = |name: &str, value: f64| {
            report.insert(name.to_owned(), value);
        };
        put("submit s", submitted.as_secs_f64());
        put("all s", took.as_secs_f64());
        put("all cpu_s", used.as_secs_f64());
        put("client cpu_s", own.cpu()?.saturating_sub(asking).as_secs_f64());
        put("peak mib", self.up.peak_kib()? / 1024.0);
        let hub = Counts::of(&self.fleet.hub).await?.since(hub);
        let clusters = self.fleet.counts().await?.since(clusters);
        let (stacks, objects) = (stacks as f64, (stacks * self.plan.objects) as f64);
        put("hub writes", hub.written as f64 / stacks);
        put("hub requests", (hub.asked + hub.reads) as f64 / stacks);
        put("hub refused", hub.refused as f64 / stacks);
        put("cluster writes", clusters.written as f64 / objects);
        put("cluster requests", (clusters.asked + clusters.reads) as f64 / objects);
        Ok(())
    }

    fn submission(&self, stack: String, number: usize, objects: usize) -> Submission {
        Submission {
            namespace: fleet::team(number % self.plan.stacks),
            cluster: fleet::name(self.fleet.cluster_of(number)),
            objects: content::objects(&stack, objects),
            stack,
        }
    }

    /// One at a time, from the first request of the submission until a watch has shown that it has succeeded.
    async fn alone(&self, report: &mut Report) -> Result<()> {
        let mut latencies = Latencies::default();
        for number in 0..self.plan.alone {
            let (took, _) = self.one(format!("alone-{number}"), number, self.plan.objects).await?;
            latencies.add(took);
        }
        report.insert("alone p50_ms".to_owned(), latencies.at(0.5));
        report.insert("alone p99_ms".to_owned(), latencies.at(0.99));
        Ok(())
    }

    /// One at a time, of each size.
    async fn sizes(&self, report: &mut Report) -> Result<()> {
        for size in &self.plan.sizes {
            let (mut took, mut used) = (Latencies::default(), Latencies::default());
            for number in 0..OF_A_SIZE {
                let (wall, cpu) = self.one(format!("of-{size}-{number}"), number, *size).await?;
                took.add(wall);
                used.add(cpu);
            }
            report.insert(format!("of {size} ms"), took.at(0.5));
            report.insert(format!("of {size} cpu_ms"), used.at(0.5));
        }
        Ok(())
    }

    /// How long an update took, and what it cost.
    async fn one(&self, stack: String, number: usize, objects: usize) -> Result<(Duration, Duration)> {
        let submission = self.submission(stack, number, objects);
        let (cpu, begun) = (self.up.cpu()?, Instant::now());
        let update = submission.send(&self.fleet.hub).await?;
        self.crowd.has_succeeded(&update).await?;
        Ok((begun.elapsed(), self.up.cpu()?.saturating_sub(cpu)))
    }
}
