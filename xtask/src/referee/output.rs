//! What TLC printed, understood. This is TLC 2.15: what is not recognised is an error, never a guess.

use anyhow::{Context, Result, bail, ensure};

/// What a run of TLC found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What it says.
    pub(crate) finding: Finding,
    /// What it counted; a violation by an initial state ends TLC before it counts.
    pub(crate) counts: Option<Counts>,
    /// States on the longest of the shortest paths, if it explored everything and found no error.
    pub(crate) depth: Option<u32>,
    /// How many states its trace has.
    pub(crate) trace: Option<usize>,
}

/// What TLC says of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Everything holds.
    NoError,
    /// A state violates an invariant.
    Invariant,
    /// A step violates an action property.
    Action,
    /// A state has no successor.
    Deadlock,
    /// A behaviour violates a temporal property.
    Temporal,
}

/// TLC's last line of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Initial states and successors, those already seen included.
    pub(crate) generated: u64,
    /// Distinct states.
    pub(crate) distinct: u64,
    /// States found and not expanded.
    pub(crate) left: u64,
}

impl Finding {
    fn of_line(line: &str) -> Option<Finding> {
        let violated = |kind: &str| {
            let rest = line.strip_prefix("Error: ").and_then(|rest| rest.strip_prefix(kind));
            rest.is_some_and(|rest| {
                rest.ends_with(" is violated.") || rest.ends_with(" is violated by the initial state:")
            })
        };
        match line {
            "Model checking completed. No error has been found." => Some(Finding::NoError),
            "Error: Deadlock reached." => Some(Finding::Deadlock),
            "Error: Temporal properties were violated." => Some(Finding::Temporal),
            _ if violated("Invariant ") => Some(Finding::Invariant),
            _ if violated("Action property ") => Some(Finding::Action),
            _ => None,
        }
    }

    fn exit_code(self) -> i32 {
        match self {
            Finding::NoError => 0,
            Finding::Deadlock => 11,
            Finding::Invariant => 12,
            Finding::Action | Finding::Temporal => 13,
        }
    }
}

/// What introduces the trace that follows a finding.
const TRACE_FOLLOWS: [&str; 2] = [
    "Error: The behavior up to this point is:",
    "Error: The following behavior constitutes a counter-example:",
];

/// Reads what TLC printed, and the code with which it exited.
pub(crate) fn parse(text: &str, exit_code: Option<i32>) -> Result<Outcome> {
    let mut findings = Vec::new();
    let mut counts = None;
    let mut depth = None;
    let mut trace = None;
    for line in text.lines() {
        if let Some(finding) = Finding::of_line(line) {
            findings.push(finding);
            if line.ends_with("by the initial state:") {
                trace = Some(1);
            }
        } else if line.starts_with("Error:") && !TRACE_FOLLOWS.contains(&line) {
            bail!("TLC says: {line}");
        } else if let Some(number) = state_number(line) {
            trace = Some(number);
        } else if let Some(found) = counts_of(line) {
            counts = Some(found);
        } else if let Some(rest) = line.strip_prefix("The depth of the complete state graph search is ") {
            depth = Some(rest.trim_end_matches('.').parse().with_context(|| format!("no depth: {line}"))?);
        }
    }
    let [finding] = findings[..] else { bail!("TLC gives {} verdicts, not one", findings.len()) };
    let expected = finding.exit_code();
    ensure!(exit_code == Some(expected), "TLC says {finding:?} and exits with {exit_code:?}, not {expected}");
    let complete = finding == Finding::NoError;
    Ok(Outcome { finding, counts, depth: depth.filter(|_| complete), trace })
}

/// The number of `State 3: <A line 6, …>`; "Stuttering" is the last state again.
fn state_number(line: &str) -> Option<usize> {
    let (number, rest) = line.strip_prefix("State ")?.split_once(": ")?;
    if rest == "Stuttering" { None } else { number.parse().ok() }
}

/// The numbers of `5 states generated, 4 distinct states found, 0 states left on queue.`
fn counts_of(line: &str) -> Option<Counts> {
    let rest = line.strip_suffix(" states left on queue.")?;
    let (generated, rest) = rest.split_once(" states generated, ")?;
    let (distinct, left) = rest.split_once(" distinct states found, ")?;
    // Numbers of a "Progress(…)" line have separators and rates; that line is not the last word.
    Some(Counts {
        generated: generated.parse().ok()?,
        distinct: distinct.parse().ok()?,
        left: left.parse().ok()?,
    })
}
