//! At rest nothing is written, but for the lease of who leads.

use std::time::Duration;

use anyhow::Result;
use bowline_bench_meter::{Cost, Counts, Renewals};

use crate::Report;
use crate::fleet::Fleet;

/// For how long writes are looked for.
const REST: Duration = Duration::from_secs(5);

/// The writes of some seconds in which nothing happens, on the hub and on all clusters, and their processor time.
pub(crate) async fn measure(fleet: &Fleet, up: &Cost, report: &mut Report) -> Result<()> {
    let renewals = Renewals::watch(&fleet.hub).await?;
    let clusters = fleet.counts().await?;
    let (from, cpu) = (Counts::of(&fleet.hub).await?.written, up.cpu()?);
    tokio::time::sleep(REST).await;
    let (to, used) = (Counts::of(&fleet.hub).await?.written, up.cpu()?.saturating_sub(cpu));
    let clusters = fleet.counts().await?.since(clusters);
    let written = renewals.besides(from, to).await? + clusters.written;
    report.insert("rest writes".to_owned(), written as f64);
    report.insert("rest cpu_ms".to_owned(), used.as_secs_f64() * 1e3 / REST.as_secs_f64());
    Ok(())
}
