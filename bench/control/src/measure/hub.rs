//! What the hub counts.

use std::time::Duration;

use anyhow::{Context, Result};
use bowline_bench_meter::Cost;
use kube::Client;

/// How long the hub may take to notice that somebody has come or gone.
const LIMIT: Duration = Duration::from_secs(30);

/// The hub.
pub(super) struct Hub {
    pub(super) client: Client,
    pub(super) cost: Cost,
}

/// Requests that would write, and what was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Writes {
    /// Those that create and replace, as controllers do.
    pub(super) made: u64,
    /// Of these, those that were refused.
    pub(super) refused: u64,
    /// Those that patch and delete, as all others do.
    others: u64,
    /// The version of the last change.
    version: u64,
}

impl Writes {
    fn read(metrics: &str) -> Result<Writes> {
        let mut writes = Writes::default();
        for line in metrics.lines() {
            let Some((series, value)) = line.split_once(' ') else { continue };
            let count = || value.parse::<u64>().with_context(|| format!("not a count: {line}"));
            if series == "bowline_hub_resource_version" {
                writes.version = count()?;
            } else if let Some(labels) = series.strip_prefix("bowline_hub_requests_total{") {
                let has = |label: &str| labels.contains(label);
                if has("method=\"POST\"") || has("method=\"PUT\"") {
                    writes.made += count()?;
                    writes.refused += if has("code=\"2") { 0 } else { count()? };
                } else if has("method=\"PATCH\"") || has("method=\"DELETE\"") {
                    writes.others += count()?;
                }
            }
        }
        Ok(writes)
    }

    /// What has come since.
    pub(super) fn since(self, before: Writes) -> Writes {
        Writes {
            made: self.made.saturating_sub(before.made),
            refused: self.refused.saturating_sub(before.refused),
            others: self.others.saturating_sub(before.others),
            version: self.version.saturating_sub(before.version),
        }
    }

    /// Everything that is a write: requests, even refused ones, and changes that nobody has asked for.
    pub(super) fn all(self) -> u64 {
        (self.made + self.others).max(self.version)
    }
}

impl Hub {
    /// The writes so far.
    pub(super) async fn writes(&self) -> Result<Writes> {
        Writes::read(&self.metrics().await?)
    }

    /// Waits until so many watches are open.
    pub(super) async fn watched_by(&self, watches: u64) -> Result<()> {
        let waited = tokio::time::timeout(LIMIT, async {
            while self.watchers().await? != watches {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            anyhow::Ok(())
        });
        waited.await.with_context(|| format!("there were never {watches} watches"))?
    }

    async fn watchers(&self) -> Result<u64> {
        let metrics = self.metrics().await?;
        let line = metrics.lines().find_map(|line| line.strip_prefix("bowline_hub_watchers "));
        Ok(line.context("the hub counts watches")?.parse()?)
    }

    async fn metrics(&self) -> Result<String> {
        let request = http::Request::get("/metrics").body(Vec::new())?;
        Ok(self.client.request_text(request).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_requests_and_changes_without_a_request_are_writes() -> Result<()> {
        let metrics = |put: u64, conflicts: u64, version: u64| {
            Writes::read(&format!(
                "# TYPE bowline_hub_requests counter\n\
                 bowline_hub_requests_total{{method=\"GET\",code=\"200\"}} 900\n\
                 bowline_hub_requests_total{{method=\"PUT\",code=\"200\"}} {put}\n\
                 bowline_hub_requests_total{{method=\"PUT\",code=\"409\"}} {conflicts}\n\
                 bowline_hub_requests_total{{method=\"PATCH\",code=\"200\"}} 7\n\
                 bowline_hub_resource_version {version}\n"
            ))
        };
        let before = metrics(10, 1, 30)?;
        assert_eq!(metrics(10, 1, 30)?.since(before).all(), 0);
        assert_eq!(metrics(10, 1, 31)?.since(before).all(), 1, "a change that nobody asked for");
        let after = metrics(13, 2, 33)?.since(before);
        assert_eq!((after.made, after.refused, after.all()), (4, 1, 4));
        Ok(())
    }
}
