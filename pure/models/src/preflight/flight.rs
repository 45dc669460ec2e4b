//! A plan is explored, and judged.

use bowline_explorer::{End, Judged, Options, Refused, Report, Storage, Verdict, Walks, check, walk};

use super::properties::{COMMITTED, NEEDS_A_PERSON, NOBODY_SERVES, QUORUM_LOST, WENT_BACK};
use super::{Preflight, WorstCase};

/// The most nodes of a group that is explored as a whole.
pub const EXACT: usize = 6;

/// How many states of a larger one are explored, before it is walked through.
const PART: u64 = 100_000;

/// What was found out about a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// What the explorer says: of everything; or, where that is too much, of a part, and of random walks.
    pub reports: Vec<Report>,
    /// How bad it may be for a moment.
    pub worst: WorstCase,
    /// What it comes to.
    pub outcome: Outcome,
}

/// What a preflight comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything was seen, and nothing is broken.
    Safe,
    /// There is a counterexample.
    Unsafe,
    /// Nothing broken was found, and not everything was seen.
    Incomplete,
}

impl Preflight {
    /// Explores the plan: all of it in a group of up to [`EXACT`] nodes. In a larger one what can be within the budget of the
    /// options, and walks.
    ///
    /// With `strict` it is a counterexample also if a partition has no quorum, or nobody serves, because so many nodes crash.
    ///
    /// # Errors
    /// As those of [`check`] and [`walk`].
    pub fn fly(&self, options: &Options<'_>, walks: Walks, strict: bool) -> Result<Flight, Refused> {
        let options = Options { storage: Storage::Fingerprint, ..*options };
        let reports = if self.nodes() <= EXACT {
            vec![check(self, &options)?]
        } else {
            // A walk has one thread, and no use for a budget of states.
            let alone = Options { threads: Options::default().threads, max_states: None, ..options };
            let part = Options {
                max_states: Some(options.max_states.map_or(PART, |most| most.min(PART))),
                ..options
            };
            vec![check(self, &part)?, walk(self, walks, &alone)?]
        };
        let outcome = outcome(&reports, self.nodes() <= EXACT, strict);
        Ok(Flight { reports, worst: self.worst_case(), outcome })
    }
}

fn outcome(reports: &[Report], exact: bool, strict: bool) -> Outcome {
    let is_complete = exact && reports.iter().all(|report| report.end == End::Complete);
    let judged = || reports.iter().flat_map(|report| &report.verdicts);
    if judged().any(|judged| breaks(judged, strict)) {
        return Outcome::Unsafe;
    }
    if is_complete && judged().all(|judged| judged.verdict != Verdict::Unknown) {
        Outcome::Safe
    } else {
        Outcome::Incomplete
    }
}

/// Whether what was found out about a claim is a counterexample to the plan.
fn breaks(judged: &Judged, strict: bool) -> bool {
    match judged.verdict {
        Verdict::Violated => true,
        // The plan leads nowhere.
        Verdict::Unreached => judged.name == COMMITTED,
        Verdict::Reached => strict && [QUORUM_LOST, NOBODY_SERVES].contains(&judged.name.as_str()),
        Verdict::Holds | Verdict::Unknown => false,
    }
}

impl Flight {
    /// What breaks the plan, the first of each kind.
    pub fn broken(&self, strict: bool) -> Vec<&Judged> {
        let mut broken: Vec<&Judged> = Vec::new();
        for judged in self.reports.iter().flat_map(|report| &report.verdicts) {
            if breaks(judged, strict) && broken.iter().all(|known| known.name != judged.name) {
                broken.push(judged);
            }
        }
        broken
    }

    /// How it may be that everybody has the new version.
    pub fn committed(&self) -> Option<&Judged> {
        self.reached(COMMITTED)
    }

    /// How it may end with the old version.
    pub fn went_back(&self) -> Option<&Judged> {
        self.reached(WENT_BACK)
    }

    /// How it may come to wait for a person.
    pub fn needs_a_person(&self) -> Option<&Judged> {
        self.reached(NEEDS_A_PERSON)
    }

    /// How a partition may be without a quorum, for whatever reason.
    pub fn quorum_lost(&self) -> Option<&Judged> {
        self.reached(QUORUM_LOST)
    }

    /// How it may be that nobody serves, for whatever reason.
    pub fn nobody_serves(&self) -> Option<&Judged> {
        self.reached(NOBODY_SERVES)
    }

    fn reached(&self, name: &str) -> Option<&Judged> {
        let mut judged = self.reports.iter().flat_map(|report| &report.verdicts);
        judged.find(|judged| judged.name == name && judged.verdict == Verdict::Reached)
    }
}
