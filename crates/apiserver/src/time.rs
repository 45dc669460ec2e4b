//! Moments, as the API writes them.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The beginning of the year 0, in seconds: what is before cannot be written with four digits.
const YEAR_0: i64 = -62_167_219_200;

fn timestamp(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>().ok().filter(|timestamp| timestamp.as_second() >= YEAR_0)
}

/// A moment, to the second: `2026-11-16T02:11:58Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Moment(i64);

impl Moment {
    /// Now.
    pub(crate) fn now() -> Moment {
        Moment(Timestamp::now().as_second())
    }

    /// The moment so many seconds after the beginning of 1970.
    pub(crate) fn at_unix_s(seconds: i64) -> Moment {
        Moment(seconds)
    }

    /// How many seconds it is after the beginning of 1970.
    pub(crate) fn unix_s(self) -> i64 {
        self.0
    }

    /// The moment that a text names.
    pub(crate) fn parse(text: &str) -> Option<Moment> {
        timestamp(text).map(|timestamp| Moment(timestamp.as_second()))
    }

    /// So many seconds later.
    #[must_use]
    pub(crate) fn plus_s(self, seconds: u64) -> Moment {
        Moment(self.0.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX)))
    }

    /// How many seconds it is after `earlier`; negative if it is before.
    pub(crate) fn since_s(self, earlier: Moment) -> i64 {
        self.0 - earlier.0
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_second(self.0) {
            Ok(timestamp) => timestamp.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").fmt(f),
            Err(_) => f.write_str("9999-12-31T23:59:59Z"),
        }
    }
}

/// A moment, to the microsecond: `2026-11-16T02:11:58.000000Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Micros(i64);

impl Micros {
    /// Now.
    pub(crate) fn now() -> Micros {
        Micros(Timestamp::now().as_microsecond())
    }

    /// The moment so many seconds and nanoseconds after 1970.
    pub(crate) fn from_s(seconds: i64, nanos: i64) -> Micros {
        Micros(seconds.saturating_mul(1_000_000).saturating_add(nanos / 1_000))
    }

    /// Whole seconds after 1970.
    pub(crate) fn unix_s(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The moment that a text names.
    pub(crate) fn parse(text: &str) -> Option<Micros> {
        timestamp(text).map(|timestamp| Micros(timestamp.as_microsecond()))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(timestamp) => timestamp.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S%.6fZ").fmt(f),
            Err(_) => f.write_str("9999-12-31T23:59:59.999999Z"),
        }
    }
}
