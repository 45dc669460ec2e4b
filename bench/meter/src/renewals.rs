//! Leases: who leads renews one, at rest too.

use std::time::Duration;

use anyhow::{Context, Result};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};

/// How long whoever leads may take to renew a lease.
const LIMIT: Duration = Duration::from_secs(60);

/// The renewals of leases on a hub, from now on.
pub struct Renewals {
    leases: BoxStream<'static, watcher::Result<Lease>>,
    versions: Vec<u64>,
}

impl Renewals {
    /// Watches. The one that is there is shown before any that is written from now on.
    ///
    /// # Errors
    /// If there is none.
    pub async fn watch(hub: &Client) -> Result<Renewals> {
        let leases: Api<Lease> = Api::all(hub.clone());
        let leases = watcher(leases, watcher::Config::default()).applied_objects().boxed();
        let mut this = Renewals { leases, versions: Vec::new() };
        this.next().await?;
        Ok(this)
    }

    /// How many versions there are after `from`, up to `to`, that are no lease's: what else was written.
    ///
    /// # Errors
    /// If nobody renews a lease any more.
    pub async fn besides(mut self, from: u64, to: u64) -> Result<u64> {
        // What is shown later has shown all before.
        while self.versions.last().is_none_or(|version| *version <= to) {
            self.next().await?;
        }
        Ok(besides(&self.versions, from, to))
    }

    async fn next(&mut self) -> Result<()> {
        let next = tokio::time::timeout(LIMIT, self.leases.try_next()).await;
        let lease = next.context("nobody renews a lease")??.context("the watch has ended")?;
        self.versions.push(lease.resource_version().unwrap_or_default().parse()?);
        Ok(())
    }
}

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
