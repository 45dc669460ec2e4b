//! The faults: what goes wrong, and how often.

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fault {
    /// The process ends, and starts again. What it had sent is applied, or not.
    Crash,
    /// Somebody else writes to an object: who has read it before is refused.
    Conflict,
    /// A request does not arrive, and is not answered.
    LostRequest,
    /// A request is applied, at once or later, and not answered.
    LostReply,
    /// A watch has a gap, and everything is listed: what happened in between is seen as one.
    Relist,
    /// A leader is paused while its requests are on their way, and another one goes on.
    TwoLeaders,
    /// Somebody changes or deletes what is not theirs.
    Drift,
    /// A clock jumps: what should happen later happens now.
    Clock,
    /// What is outside fails, does half of it, or does not show yet what was done.
    Provider,
}

/// How many kinds there are.
pub(crate) const FAULTS: usize = 9;

impl Fault {
    pub(crate) const ALL: [Fault; FAULTS] = [
        Fault::Crash,
        Fault::Conflict,
        Fault::LostRequest,
        Fault::LostReply,
        Fault::Relist,
        Fault::TwoLeaders,
        Fault::Drift,
        Fault::Clock,
        Fault::Provider,
    ];

    /// As in `--faults`.
    pub(crate) const NAMES: [&'static str; FAULTS] = [
        "crash",
        "conflict",
        "lost-request",
        "lost-reply",
        "relist",
        "two-leaders",
        "drift",
        "clock",
        "provider",
    ];

    /// Those of a system without an outside.
    pub(crate) const NAMES_WITHIN: &'static [&'static str] = Self::NAMES.split_at(FAULTS - 1).0;
}

/// How often each may still happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Budgets(pub(crate) [u8; FAULTS]);

impl Budgets {
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.0[fault as usize] > 0
    }

    pub(crate) fn take(&mut self, fault: Fault) {
        self.0[fault as usize] -= 1;
    }
}
