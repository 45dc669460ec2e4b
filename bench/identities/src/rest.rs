//! At rest AWS is looked at, and nothing is written: neither there nor on the hub, but for the lease of who leads.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bowline_bench_meter::{Counts, Renewals};

use crate::many::Many;

/// How long whoever has written may have something left to write.
const SETTLE: Duration = Duration::from_secs(2);
/// The calls of a look at what is there.
const LOOK: u64 = 6;
/// How long all may take to be looked at once more.
const LIMIT: Duration = Duration::from_secs(600);

impl Many<'_> {
    /// Until each identity has been looked at once more.
    pub(crate) async fn rest(&mut self) -> Result<()> {
        tokio::time::sleep(SETTLE).await;
        let renewals = Renewals::watch(&self.hub).await?;
        let (from, aws) = (Counts::of(&self.hub).await?.written, self.iam.counts().await?);
        let (cpu, begun) = (self.up.cpu()?, Instant::now());
        let all = self.plan.identities as u64 * LOOK;
        let after = loop {
            let after = self.iam.counts().await?;
            if after.calls >= aws.calls + all {
                break after;
            }
            ensure!(begun.elapsed() < LIMIT, "only {} of {all} calls look again", after.calls - aws.calls);
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        tokio::time::sleep(SETTLE).await;
        let (to, used) = (Counts::of(&self.hub).await?.written, self.up.cpu()?.saturating_sub(cpu));
        let written = renewals.besides(from, to).await?;
        let last = self.iam.counts().await?;
        self.put("rest hub_writes", written as f64);
        self.put("rest aws_writes", (last.writes - aws.writes) as f64);
        self.put("look calls", (after.calls - aws.calls) as f64 / self.plan.identities as f64);
        self.put("look cpu_ms", used.as_secs_f64() * 1e3 / self.plan.identities as f64);
        Ok(())
    }
}
