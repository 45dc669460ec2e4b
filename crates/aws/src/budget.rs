//! How many calls a second AWS bears: a bucket of tokens that halves its rate when AWS says that it is too much, and
//! gains it back bit by bit. It knows no clock: time is an argument.

/// A moment on a clock that only goes forward.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Millis(pub u64);

/// How much is borne.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Calls a second, as long as AWS does not complain.
    pub ceiling: u32,
    /// Calls a second, however much AWS complains.
    pub floor: u32,
    /// Calls a second that are gained back each second.
    pub growth: u32,
    /// Calls that may leave at once after a rest.
    pub burst: u32,
    /// Calls that may be under way at once.
    pub in_flight: u32,
}

impl Default for Limits {
    /// AWS publishes no rate for IAM. The ceiling is what 20 calls at once can do at 40 ms each; what an account really
    /// bears is found within a few refusals.
    fn default() -> Limits {
        Limits { ceiling: 500, floor: 1, growth: 5, burst: 20, in_flight: 20 }
    }
}

impl Limits {
    /// The usual ones, with so many calls under way at once, and so many a second as long as AWS does not complain.
    pub fn of(at_once: u32, per_second: u32) -> Limits {
        // All that may be under way may leave together: calls that were answered together make others wait for nothing else.
        Limits { ceiling: per_second, burst: at_once, in_flight: at_once, ..Limits::default() }
    }
}

/// The bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    limits: Limits,
    /// Thousandths of calls a second: what is gained in a millisecond is then a whole number.
    rate: u64,
    /// In millionths of calls, so that a millisecond adds `rate` of them.
    tokens: u64,
    /// When `rate` and `tokens` were what they are.
    at: Millis,
    /// When the rate was halved last.
    slowed: Option<Millis>,
}

/// A call's worth of tokens.
const CALL: u64 = 1_000_000;

impl Budget {
    /// A full one, at its highest rate.
    pub fn new(limits: Limits, now: Millis) -> Budget {
        // Less than one call a second, or room for none, would be a wait without end.
        let floor = limits.floor.max(1);
        let limits =
            Limits { floor, ceiling: limits.ceiling.max(floor), burst: limits.burst.max(1), ..limits };
        Budget {
            limits,
            rate: u64::from(limits.ceiling) * 1000,
            tokens: u64::from(limits.burst) * CALL,
            at: now,
            slowed: None,
        }
    }

    /// Lets a call leave now, or says after how many milliseconds it is worth asking again.
    ///
    /// # Errors
    /// The wait, which is never zero.
    pub fn take(&mut self, now: Millis) -> Result<(), u64> {
        self.advance(now);
        match self.tokens.checked_sub(CALL) {
            Some(left) => {
                self.tokens = left;
                Ok(())
            }
            None => Err((CALL - self.tokens).div_ceil(self.rate).max(1)),
        }
    }

    /// AWS has refused a call, which left then, as one too many.
    ///
    /// What left before the rate was last halved says nothing about the rate since: a burst that is refused as a whole
    /// halves it once.
    pub fn throttled(&mut self, left: Millis, now: Millis) {
        self.advance(now);
        if self.slowed.is_some_and(|slowed| left <= slowed) {
            return;
        }
        self.rate = (self.rate / 2).max(u64::from(self.limits.floor) * 1000);
        self.tokens = 0;
        self.slowed = Some(now);
    }

    /// Calls a second, at this moment.
    pub fn rate(&self) -> u64 {
        self.rate / 1000
    }

    fn advance(&mut self, now: Millis) {
        let passed = now.0.saturating_sub(self.at.0);
        let gained = passed.saturating_mul(self.rate);
        self.tokens = self.tokens.saturating_add(gained).min(u64::from(self.limits.burst) * CALL);
        let grown = passed.saturating_mul(u64::from(self.limits.growth));
        self.rate = self.rate.saturating_add(grown).min(u64::from(self.limits.ceiling) * 1000);
        self.at = self.at.max(now);
    }
}

#[cfg(test)]
mod tests;
