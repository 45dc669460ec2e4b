//! How long a lease lasts, and what is assumed of clocks and networks.

use std::fmt;

use crate::Millis;

/// So many of a thousand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PerMille(pub u16);

/// The settings of a candidate: see the [bound](super).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    term: Millis,
    renew: Millis,
    retry: Millis,
    drift: PerMille,
    margin: Millis,
}

/// Why settings cannot work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadSettings {
    /// The lease says its term in seconds.
    NotSeconds(Millis),
    /// The holder would be due to renew when it may not act any more.
    NoTimeToAct {
        /// How long it may act.
        acts_for: Millis,
        /// When it renews.
        renew: Millis,
    },
}

impl fmt::Display for BadSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSettings::NotSeconds(Millis(term)) => {
                write!(f, "a lease lasts whole seconds, at least one, not {term} ms")
            }
            BadSettings::NoTimeToAct { acts_for: Millis(acts_for), renew: Millis(renew) } => write!(
                f,
                "a holder that may act for {acts_for} ms cannot renew after {renew} ms: \
                 make the lease longer, or the margin, the drift or the time to renew smaller"
            ),
        }
    }
}

impl std::error::Error for BadSettings {}

impl Settings {
    /// Settings for leases of `term`: who holds one renews it after `renew`, and asks again `retry` after it was not
    /// answered; clocks may part by `drift`, and what is under way arrives at most `margin` after its deadline.
    ///
    /// # Errors
    /// Says why a holder could not act.
    pub fn new(
        term: Millis,
        renew: Millis,
        retry: Millis,
        drift: PerMille,
        margin: Millis,
    ) -> Result<Settings, BadSettings> {
        if term.0 == 0 || !term.0.is_multiple_of(1000) {
            return Err(BadSettings::NotSeconds(term));
        }
        let settings = Settings { term, renew, retry, drift, margin };
        let acts_for = settings.acts_for();
        if renew >= acts_for {
            return Err(BadSettings::NoTimeToAct { acts_for, renew });
        }
        Ok(settings)
    }

    /// Settings for leases of `term`, all else in proportion: renewed after a third, asked again after a tenth; clocks
    /// part by less than one in a hundred, and what is under way arrives within a tenth.
    ///
    /// # Errors
    /// That it is not in whole seconds.
    pub fn for_term(term: Millis) -> Result<Settings, BadSettings> {
        let part = |n| Millis(term.0 / n);
        Settings::new(term, part(3), part(10), PerMille(10), part(10))
    }

    /// After so long without a change anybody may take the lease.
    pub fn term(&self) -> Millis {
        self.term
    }

    /// The holder renews so long after it sent its last renewal.
    pub fn renew(&self) -> Millis {
        self.renew
    }

    /// After a request that was not answered the next one comes so much later.
    pub fn retry(&self) -> Millis {
        self.retry
    }

    /// What is under way arrives at most so long after its deadline.
    pub fn margin(&self) -> Millis {
        self.margin
    }

    /// The holder acts so long after it sent its last renewal, and no longer.
    pub fn acts_for(&self) -> Millis {
        // Rounded up: rounding must not make the holder act longer.
        let drift = u128::from(self.term.0) * u128::from(self.drift.0);
        let drift = u64::try_from(drift.div_ceil(1000)).unwrap_or(u64::MAX);
        Millis(self.term.0.saturating_sub(drift).saturating_sub(self.margin.0))
    }
}

impl Default for Settings {
    /// Leases of 15 s.
    fn default() -> Settings {
        Settings {
            term: Millis(15_000),
            renew: Millis(5_000),
            retry: Millis(1_500),
            drift: PerMille(10),
            margin: Millis(1_500),
        }
    }
}
