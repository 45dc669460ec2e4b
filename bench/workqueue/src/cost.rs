//! What something costs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Each quantity by its name, with its unit at the end.
pub(crate) type Report = BTreeMap<&'static str, f64>;

/// What is being measured.
pub(crate) struct Meter {
    started: Instant,
    used: Duration,
}

impl Meter {
    /// Begins.
    pub(crate) fn begin() -> Result<Meter> {
        Ok(Meter { used: processor()?, started: Instant::now() })
    }

    /// What each of so many operations took since.
    pub(crate) fn per_operation(&self, operations: usize) -> Result<Report> {
        let wall = self.started.elapsed();
        let cpu = processor()? - self.used;
        let operations = operations as f64;
        Ok([
            ("per_second", operations / wall.as_secs_f64()),
            ("cpu_ns", cpu.as_secs_f64() * 1e9 / operations),
        ]
        .into())
    }
}

/// What all threads of this process have used.
fn processor() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).context("the kernel does not say what was used")?;
    let micros =
        |time: TimeVal| u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).map(Duration::from_micros);
    Ok(micros(usage.user_time())? + micros(usage.system_time())?)
}

/// Resident memory, in bytes.
pub(crate) fn resident() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("only Linux says it this way")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has memory")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? * 1024.0)
}
