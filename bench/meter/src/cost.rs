//! What processes cost: processor time and memory.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Ticks of the processor clock a second, as Linux counts for user space.
const TICKS: f64 = 100.0;

/// The processes of a contestant.
pub struct Cost(Vec<u32>);

impl Cost {
    /// Those of these numbers.
    pub fn of(pids: &[u32]) -> Cost {
        Cost(pids.to_vec())
    }

    /// The processor time that they have used.
    ///
    /// # Errors
    /// If one of them is gone.
    pub fn cpu(&self) -> Result<Duration> {
        let mut ticks = 0;
        for pid in &self.0 {
            let stat = read(*pid, "stat")?;
            let rest = stat.rsplit_once(')').context("a process has a name")?.1;
            let times = rest.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
            ticks += times.sum::<Result<u32, _>>().context("a process has times")?;
        }
        Ok(Duration::from_secs_f64(f64::from(ticks) / TICKS))
    }

    /// The memory that they hold.
    ///
    /// # Errors
    /// If one of them is gone.
    pub fn resident_kib(&self) -> Result<f64> {
        self.memory("VmRSS:")
    }

    /// The most memory that they have held, each at its own time.
    ///
    /// # Errors
    /// If one of them is gone.
    pub fn peak_kib(&self) -> Result<f64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, which: &str) -> Result<f64> {
        let mut kib = 0;
        for pid in &self.0 {
            let status = read(*pid, "status")?;
            let line = status.lines().find_map(|line| line.strip_prefix(which));
            let line = line.context("a process has memory")?;
            kib += line.trim().trim_end_matches("kB").trim().parse::<u32>()?;
        }
        Ok(f64::from(kib))
    }
}

fn read(pid: u32, file: &str) -> Result<String> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).context("a process is gone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_what_it_costs_itself() -> Result<()> {
        let own = Cost::of(&[std::process::id()]);
        assert!(own.resident_kib()? > 0.0 && own.peak_kib()? >= own.resident_kib()?);
        own.cpu()?;
        assert!(Cost::of(&[u32::MAX]).cpu().is_err());
        Ok(())
    }
}
