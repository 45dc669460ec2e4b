//! Software that is nothing but the time that it takes.

use std::time::{Duration, Instant};

use bowline_upgrades::agent::{Health, Software};
use bowline_upgrades::plain::Plain;

/// Of the time of a restart, this part is the stop's.
const OF_STOP: u32 = 4;

/// What would be a process.
pub(crate) struct Simulated {
    pub(crate) stands: Software<Plain>,
    restart: Duration,
    /// When it stands otherwise.
    due: Option<Instant>,
}

impl Simulated {
    /// None that runs, of a kind that takes so long to stop and to start.
    pub(crate) fn new(restart: Duration) -> Simulated {
        Simulated { stands: Software::Absent, restart, due: None }
    }

    pub(crate) fn start(&mut self, version: String) {
        self.stands = Software::Runs { version, health: Health::Unknown };
        self.due = Some(Instant::now() + self.restart - self.restart / OF_STOP);
    }

    pub(crate) fn stop(&mut self) {
        let Software::Runs { version, .. } = &self.stands else { return };
        self.stands = Software::Ends { version: version.clone() };
        self.due = Some(Instant::now() + self.restart / OF_STOP);
    }

    pub(crate) fn kill(&mut self) {
        (self.stands, self.due) = (Software::Absent, None);
    }

    /// When it is to be looked at again.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What the time has brought.
    pub(crate) fn look(&mut self) {
        if self.due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        self.due = None;
        match &self.stands {
            Software::Runs { version, .. } => {
                self.stands = Software::Runs { version: version.clone(), health: Health::Good };
            }
            Software::Ends { .. } => self.stands = Software::Absent,
            Software::Absent | Software::Died { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_and_ends_in_its_time() {
        let mut software = Simulated::new(Duration::ZERO);
        software.start("v1".into());
        assert!(matches!(software.stands, Software::Runs { health: Health::Unknown, .. }));
        software.look();
        assert!(matches!(software.stands, Software::Runs { health: Health::Good, .. }));
        software.stop();
        assert!(matches!(software.stands, Software::Ends { .. }));
        software.look();
        assert_eq!(software.stands, Software::Absent);
        let mut slow = Simulated::new(Duration::from_secs(3_600));
        slow.start("v1".into());
        slow.look();
        assert!(
            matches!(slow.stands, Software::Runs { health: Health::Unknown, .. }) && slow.due().is_some()
        );
    }
}
