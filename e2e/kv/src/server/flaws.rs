//! What can be wrong with a version, for tests of what Bowline does then.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};

/// What is wrong with a process. Nothing, by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flaws {
    /// It ends at once.
    pub crashes_at_start: bool,
    /// It takes so long before it listens.
    pub slow_start: Duration,
    /// It starts only while there is such a file.
    pub needs: Option<PathBuf>,
    /// It is never healthy.
    pub unhealthy: bool,
    /// It is no longer healthy after so long.
    pub sick_after: Option<Duration>,
    /// It does not end when it is told to.
    pub ignores_sigterm: bool,
    /// It takes so long to drain, and to end.
    pub slow_drain: Duration,
    /// It neither starts on nor serves what a newer version has written.
    pub refuses_newer: bool,
}

impl Flaws {
    /// What comes before everything else.
    pub(super) async fn start(&self) -> Result<()> {
        if self.crashes_at_start {
            bail!("it was asked to crash");
        }
        if let Some(needs) = self.needs.as_ref().filter(|needs| !needs.exists()) {
            bail!("there is no {}", needs.display());
        }
        tokio::time::sleep(self.slow_start).await;
        Ok(())
    }

    /// Why it says of itself that it cannot serve, at this age.
    pub(super) fn sickness(&self, age: Duration) -> Option<&'static str> {
        if self.unhealthy {
            return Some("it was never healthy");
        }
        self.sick_after.filter(|after| age >= *after).map(|_| "it got sick")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sickness_comes_when_it_is_said_to() {
        let healthy = Flaws::default();
        assert_eq!(healthy.sickness(Duration::MAX), None);
        let never = Flaws { unhealthy: true, ..Flaws::default() };
        assert!(never.sickness(Duration::ZERO).is_some());
        let later = Flaws { sick_after: Some(Duration::from_secs(2)), ..Flaws::default() };
        assert_eq!(later.sickness(Duration::from_millis(1_999)), None);
        assert!(later.sickness(Duration::from_secs(2)).is_some());
    }
}
