//! What is wanted of a run: said in the environment, because a test has no arguments.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long to go on with a target; without it, a fixed number of inputs.
const SECONDS: &str = "BOWLINE_FUZZ_SECONDS";
/// Which target; without it, all.
const TARGET: &str = "BOWLINE_FUZZ_TARGET";
/// Where to begin; without it, at a fixed one, and then at another each time.
const SEED: &str = "BOWLINE_FUZZ_SEED";
/// Only says which targets there are.
const LIST: &str = "BOWLINE_FUZZ_LIST";

/// What is wanted.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    pub(crate) time: Option<Duration>,
    pub(crate) only: Option<String>,
    pub(crate) seed: u64,
    pub(crate) list: bool,
}

impl Plan {
    /// What the environment says.
    pub(crate) fn read() -> Plan {
        let text = |name: &str| std::env::var(name).ok();
        let number = |name: &str| {
            text(name).map(|text| text.parse().unwrap_or_else(|_| panic!("{name} takes a whole number")))
        };
        // Any number does; it is printed.
        let random = SystemTime::now().duration_since(UNIX_EPOCH).map_or(7, |now| now.subsec_nanos());
        Plan {
            time: number(SECONDS).map(Duration::from_secs),
            only: text(TARGET),
            seed: number(SEED).unwrap_or(random.into()),
            list: text(LIST).is_some(),
        }
    }
}
