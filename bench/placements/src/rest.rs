//! At rest nothing is written, neither on the hub nor in a cluster, but for leases.

use std::time::Duration;

use anyhow::Result;
use bowline_bench_meter::{Counts, Renewals};

use crate::fleet::Fleet;
use crate::{Processes, Report};

/// How long whoever has written may have something left to write.
const SETTLE: Duration = Duration::from_secs(5);
/// For how long writes are looked for.
const REST: Duration = Duration::from_secs(10);

/// The writes of some seconds in which nothing happens.
pub(crate) async fn measure(fleet: &Fleet, processes: &Processes, report: &mut Report) -> Result<()> {
    tokio::time::sleep(SETTLE).await;
    let renewals = Renewals::watch(&fleet.hub).await?;
    let clusters = fleet.counts().await?;
    let from = Counts::of(&fleet.hub).await?.written;
    let cpu = (processes.hub.cpu()?, processes.syncers.cpu()?);
    tokio::time::sleep(REST).await;
    let to = Counts::of(&fleet.hub).await?.written;
    let used = (processes.hub.cpu()?, processes.syncers.cpu()?);
    let clusters = fleet.counts().await?.since(clusters);
    let written = renewals.besides(from, to).await?;
    let a_second = |before: Duration, after: Duration| {
        after.saturating_sub(before).as_secs_f64() * 1e3 / REST.as_secs_f64()
    };
    let values = [
        ("rest hub_writes", written as f64),
        ("rest cluster_writes", clusters.written as f64),
        ("rest hub cpu_ms", a_second(cpu.0, used.0)),
        ("rest syncers cpu_ms", a_second(cpu.1, used.1)),
        ("hub mib", processes.hub.resident_kib()? / 1024.0),
        ("syncers mib", processes.syncers.resident_kib()? / 1024.0),
    ];
    report.extend(values.map(|(name, value)| (name.to_owned(), value)));
    Ok(())
}
