//! What a server costs: processor time and memory of its processes.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Ticks of the processor clock a second, as Linux counts for user space.
const TICKS: f64 = 100.0;

/// The processes of a server.
pub(crate) struct Cost(Vec<u32>);

impl Cost {
    pub(crate) fn of(pids: &[u32]) -> Cost {
        Cost(pids.to_vec())
    }

    /// The processor time that they have used.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let mut ticks = 0;
        for pid in &self.0 {
            let stat =
                fs::read_to_string(format!("/proc/{pid}/stat")).context("a process of the server is gone")?;
            let rest = stat.rsplit_once(')').context("a process has a name")?.1;
            let mut fields = rest.split_whitespace().skip(11);
            for _ in 0..2 {
                ticks += fields.next().context("a process has times")?.parse::<u32>()?;
            }
        }
        Ok(Duration::from_secs_f64(f64::from(ticks) / TICKS))
    }

    /// The memory that they hold.
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        let mut kib = 0;
        for pid in &self.0 {
            let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("VmRSS:"))
                .context("a process has memory")?;
            kib += line.trim().trim_end_matches("kB").trim().parse::<u32>()?;
        }
        Ok(f64::from(kib) / 1024.0)
    }
}
