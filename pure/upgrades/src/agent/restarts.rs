//! How soon software is started again that ends by itself, and when it is given up on for now.

use bowline_control::{Backoff, Millis};

use super::Software;
use crate::state::Names;

/// How long it is waited after a death: twice as long after each further one.
const BACKOFF: Backoff = Backoff { first: Millis(250), most: Millis(30_000) };
/// So many deaths in a row are more than are put up with.
const TOO_OFTEN: u32 = 4;
/// What has lived so long has not died in a row.
const STEADY: Millis = Millis(60_000);

/// The deaths of one version in a row, by the clock of the node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restarts<N: Names> {
    version: Option<N::Version>,
    deaths: u32,
    last: Option<Millis>,
    cannot_start: bool,
}

/// Software has ended, and nobody had told it to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Death {
    /// When it had been started.
    pub since: Millis,
    /// When.
    pub at: Millis,
    /// It could not even be started.
    pub at_start: bool,
}

impl<N: Names> Default for Restarts<N> {
    fn default() -> Restarts<N> {
        Restarts { version: None, deaths: 0, last: None, cannot_start: false }
    }
}

impl<N: Names> Restarts<N> {
    /// Sees what runs, or has run, and how that has ended if it did by itself. It may be seen as often as one likes.
    pub fn see(&mut self, version: &N::Version, death: Option<Death>) {
        if self.version.as_ref() != Some(version) {
            *self = Restarts { version: Some(version.clone()), ..Restarts::default() };
        }
        let Some(death) = death.filter(|death| self.last != Some(death.at)) else { return };
        let is_in_a_row = death.at.since(death.since) < STEADY;
        self.deaths = if is_in_a_row { self.deaths.saturating_add(1) } else { 1 };
        (self.last, self.cannot_start) = (Some(death.at), death.at_start);
    }

    /// When it is to be started again, if it has died.
    pub fn due(&self) -> Option<Millis> {
        Some(self.last?.plus(BACKOFF.rest(self.deaths, 0)))
    }

    /// Whether it died more often than is put up with, or cannot be started at all.
    pub fn has_failed(&self) -> bool {
        self.cannot_start || self.deaths >= TOO_OFTEN
    }

    /// What has died, as an agent knows it.
    pub fn died(&self, version: N::Version, how: N::Text, now: Millis) -> Software<N> {
        let is_due = self.due().is_none_or(|due| due <= now);
        Software::Died { version, is_due, has_failed: self.has_failed(), how }
    }
}
