//! What a server counts: requests that would write, and what was written.

use anyhow::{Context, Result};
use kube::Client;

/// What one server has counted, or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Requests that only read.
    pub reads: u64,
    /// Requests that would write, dry runs among them.
    pub asked: u64,
    /// Of these, those that were refused.
    pub refused: u64,
    /// What was written: the version of the last change.
    pub written: u64,
}

impl Counts {
    /// So far.
    ///
    /// # Errors
    /// If the server does not say.
    pub async fn of(server: &Client) -> Result<Counts> {
        let request = http::Request::get("/metrics").body(Vec::new())?;
        Counts::read(&server.request_text(request).await?)
    }

    fn read(metrics: &str) -> Result<Counts> {
        let mut counts = Counts::default();
        for line in metrics.lines() {
            let Some((series, value)) = line.split_once(' ') else { continue };
            let count = || value.parse::<u64>().with_context(|| format!("not a count: {line}"));
            if series == "bowline_hub_resource_version" {
                counts.written = count()?;
            } else if let Some(labels) = series.strip_prefix("bowline_hub_requests_total{") {
                let has = |label: &str| labels.contains(label);
                if has("method=\"GET\"") {
                    counts.reads += count()?;
                } else {
                    counts.asked += count()?;
                    counts.refused += if has("code=\"2") { 0 } else { count()? };
                }
            }
        }
        Ok(counts)
    }

    /// Together with those of another server.
    #[must_use]
    pub fn and(self, other: Counts) -> Counts {
        self.with(other, |a, b| a + b)
    }

    /// What has come since.
    #[must_use]
    pub fn since(self, before: Counts) -> Counts {
        self.with(before, u64::saturating_sub)
    }

    fn with(self, other: Counts, of: impl Fn(u64, u64) -> u64) -> Counts {
        Counts {
            reads: of(self.reads, other.reads),
            asked: of(self.asked, other.asked),
            refused: of(self.refused, other.refused),
            written: of(self.written, other.written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart_by_what_they_would_do() -> Result<()> {
        let counts = Counts::read(
            "# TYPE bowline_hub_requests counter\n\
             bowline_hub_requests_total{method=\"GET\",code=\"200\"} 900\n\
             bowline_hub_requests_total{method=\"PUT\",code=\"200\"} 10\n\
             bowline_hub_requests_total{method=\"PUT\",code=\"409\"} 3\n\
             bowline_hub_requests_total{method=\"PATCH\",code=\"201\"} 7\n\
             bowline_hub_resource_version 31\n",
        )?;
        assert_eq!(counts, Counts { reads: 900, asked: 20, refused: 3, written: 31 });
        assert_eq!(counts.and(counts).since(counts), counts);
        Ok(())
    }
}
