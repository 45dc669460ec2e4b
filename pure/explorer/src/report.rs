//! What a run found, in words and numbers that no longer know the model's types.

use crate::model::Field;
use crate::property::Kind;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Distinct states found.
    pub distinct: u64,
    /// Initial states and successors, those already seen included: TLC's "states generated".
    pub generated: u64,
    /// States on the longest of the shortest paths; an initial state has depth 1.
    pub depth: u32,
    /// Why the run ended.
    pub end: End,
    /// The most memory that states, tables, graph and walks filled at a time. Where liveness was judged, as
    /// much is added as judging such a graph can take at most: how much it took depends on its components.
    pub peak_bytes: u64,
    /// An upper bound for the chance that two states were taken for one.
    pub collision_probability: f64,
    /// One verdict a property, in the order in which the model declares them.
    pub verdicts: Vec<Judged>,
    /// How far random walks went; `None` if states were explored.
    pub walked: Option<Walked>,
}

/// How far random walks went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walked {
    /// Walks that were taken to their end.
    pub walks: u64,
    /// The steps of all walks.
    pub steps: u64,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Everything that can be reached was explored.
    Complete,
    /// The budget of states was used up.
    MaxStates,
    /// The budget of memory was used up.
    MaxBytes,
    /// There are more states or steps than numbers for them.
    OutOfNumbers,
    /// Somebody asked the run to stop.
    Stopped,
    /// A random walk never explores everything.
    Walked,
    /// The model panicked; the trace leads to the state in which it did.
    Panicked {
        /// What the panic said.
        message: String,
        /// The way there.
        trace: Trace,
    },
}

/// A property and what the run says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The property's name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// What the run says.
    pub verdict: Verdict,
    /// The counterexample of a violated property, the witness of one that was reached.
    pub trace: Option<Trace>,
}

/// What a run says of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds of everything that can be reached.
    Holds,
    /// There is a counterexample.
    Violated,
    /// A `sometimes` that was.
    Reached,
    /// A `sometimes` that never was.
    Unreached,
    /// The run is not complete and found nothing.
    Unknown,
}

impl Verdict {
    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Reached => "reached",
            Verdict::Unreached => "unreached",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A behaviour: a path from an initial state, and a cycle if it goes on for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The states, and how each was reached.
    pub steps: Vec<Step>,
    /// How it goes on for ever, if it does.
    pub cycle: Option<Cycle>,
}

/// A state of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The action that led here; `None` for the initial state.
    pub action: Option<String>,
    /// The state.
    pub state: Vec<Field>,
}

/// The way back from the last state of a lasso.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The number of the state to which it returns; the first of the trace is 1.
    pub loops_to: usize,
    /// The action that returns; `None` if nothing happens any more.
    pub action: Option<String>,
}
