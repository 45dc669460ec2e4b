//! What a process costs: processor time and memory.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Ticks of the processor clock a second, as Linux counts for user space.
const TICKS: f64 = 100.0;

/// A process.
pub(super) struct Cost(u32);

impl Cost {
    pub(super) fn of(pid: u32) -> Cost {
        Cost(pid)
    }

    /// The processor time that it has used.
    pub(super) fn cpu(&self) -> Result<Duration> {
        let stat = self.read("stat")?;
        let rest = stat.rsplit_once(')').context("a process has a name")?.1;
        let times = rest.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
        let ticks: u32 = times.sum::<Result<_, _>>().context("a process has times")?;
        Ok(Duration::from_secs_f64(f64::from(ticks) / TICKS))
    }

    /// The memory that it holds.
    pub(super) fn resident_kib(&self) -> Result<f64> {
        let status = self.read("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.context("a process has memory")?;
        Ok(f64::from(line.trim().trim_end_matches("kB").trim().parse::<u32>()?))
    }

    fn read(&self, file: &str) -> Result<String> {
        fs::read_to_string(format!("/proc/{}/{file}", self.0)).context("a process is gone")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_what_it_costs_itself() -> Result<()> {
        let own = Cost::of(std::process::id());
        assert!(own.resident_kib()? > 0.0);
        own.cpu()?;
        assert!(Cost::of(u32::MAX).cpu().is_err());
        Ok(())
    }
}
