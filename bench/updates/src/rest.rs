//! At rest nothing is written, but for the lease of who leads.

use std::time::Duration;

use anyhow::{Context, Result};
use bowline_bench_meter::Cost;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};

use crate::Report;
use crate::counts::Counts;
use crate::fleet::{Fleet, LIMIT};

/// For how long writes are looked for.
const REST: Duration = Duration::from_secs(5);

/// The writes of some seconds in which nothing happens, on the hub and on all clusters, and their processor time.
pub(crate) async fn measure(fleet: &Fleet, up: &Cost, report: &mut Report) -> Result<()> {
    let leases: Api<Lease> = Api::all(fleet.hub.clone());
    let mut leases = watcher(leases, watcher::Config::default()).applied_objects().boxed();
    // The one that is there is shown before any that is written from now on.
    let mut renewals = vec![shown(&mut leases).await?];
    let clusters = fleet.counts().await?;
    let (from, cpu) = (Counts::of(&fleet.hub).await?.written, up.cpu()?);
    tokio::time::sleep(REST).await;
    let (to, used) = (Counts::of(&fleet.hub).await?.written, up.cpu()?.saturating_sub(cpu));
    let clusters = fleet.counts().await?.since(clusters);
    // What is shown later has shown all before.
    while renewals.last().is_none_or(|version| *version <= to) {
        let next = tokio::time::timeout(LIMIT, shown(&mut leases)).await;
        renewals.push(next.context("nobody renews a lease")??);
    }
    let written = besides(&renewals, from, to) + clusters.written;
    report.insert("rest writes".to_owned(), written as f64);
    report.insert("rest cpu_ms".to_owned(), used.as_secs_f64() * 1e3 / REST.as_secs_f64());
    Ok(())
}

/// The version of the next lease that a watch shows.
async fn shown(leases: &mut (impl futures::Stream<Item = watcher::Result<Lease>> + Unpin)) -> Result<u64> {
    let lease = leases.try_next().await?.context("the watch has ended")?;
    Ok(lease.resource_version().unwrap_or_default().parse()?)
}

/// How many versions there are after `from`, up to `to`, that are no lease's.
fn besides(renewals: &[u64], from: u64, to: u64) -> u64 {
    let renewed = renewals.iter().filter(|version| (from + 1..=to).contains(*version)).count();
    (to - from) - renewed as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_that_is_no_lease_s_is_a_write() {
        assert_eq!(besides(&[10, 11, 12], 10, 11), 0);
        assert_eq!(besides(&[10, 12, 15], 10, 12), 1);
        assert_eq!(besides(&[10, 15], 10, 12), 2);
    }
}
