//! A trace as JSON: whole states, and what changed in each.

use bowline_explorer::{Field, Kind, Step, Trace, Verdict};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::delta::differing;
use super::finding::{Finding, What};
use super::json::{Budgets, SizeKeys};

/// The trace of a finding.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    model: &'a str,
    size: SizeKeys<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<Budgets<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    panic: Option<&'a str>,
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_to: Option<usize>,
    steps: Vec<State<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Cycle<'a>>,
}

/// A state: its number, the action that led to it (null for the initial one), what changed, all.
#[derive(Serialize)]
struct State<'a> {
    number: usize,
    action: Option<&'a str>,
    changed: Vec<Change<'a>>,
    state: Variables<'a>,
}

#[derive(Serialize)]
struct Change<'a> {
    name: &'a str,
    old: &'a str,
    new: &'a str,
}

/// How it goes on for ever; the action is null if nothing happens any more.
#[derive(Serialize)]
struct Cycle<'a> {
    loops_to: usize,
    action: Option<&'a str>,
    changed: Vec<Change<'a>>,
}

struct Variables<'a>(&'a [Field]);

impl Serialize for Variables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for Field { name, value } in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'a> Document<'a> {
    /// The document of a finding.
    pub(crate) fn new(finding: &'a Finding<'a>) -> Self {
        let trace = finding.trace;
        let (property, panic): (Option<(&str, Kind, Verdict)>, _) = match finding.what {
            What::Property { judged, .. } => (Some((&judged.name, judged.kind, judged.verdict)), None),
            What::Panic { message } => (None, Some(message)),
        };
        let state = |(index, step): (usize, &'a Step)| State {
            number: index + 1,
            action: step.action.as_deref(),
            changed: changed(state_at(trace, index), &step.state),
            state: Variables(&step.state),
        };
        Document {
            model: finding.model,
            size: SizeKeys(finding.size),
            faults: finding.faults.iter().next().map(|_| Budgets(finding.faults)),
            property: property.map(|(name, _, _)| name),
            kind: property.map(|(_, kind, _)| kind.as_str()),
            verdict: property.map_or("panicked", |(_, _, verdict)| verdict.as_str()),
            panic,
            length: trace.steps.len(),
            loops_to: trace.cycle.as_ref().map(|cycle| cycle.loops_to),
            steps: trace.steps.iter().enumerate().map(state).collect(),
            cycle: trace.cycle.as_ref().map(|cycle| Cycle {
                loops_to: cycle.loops_to,
                action: cycle.action.as_deref(),
                changed: changed(state_at(trace, trace.steps.len()), state_at(trace, cycle.loops_to)),
            }),
        }
    }
}

/// The state with this number, counted from 1; before the first there is nothing.
fn state_at(trace: &Trace, number: usize) -> &[Field] {
    let step = number.checked_sub(1).and_then(|index| trace.steps.get(index));
    step.map_or(&[], |step| &step.state)
}

fn changed<'a>(before: &'a [Field], after: &'a [Field]) -> Vec<Change<'a>> {
    let change =
        |(old, new): (&'a Field, &'a Field)| Change { name: &new.name, old: &old.value, new: &new.value };
    differing(before, after).map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::{finding, judged, lasso};
    use super::*;

    #[test]
    fn has_whole_states_and_what_changed_in_each() {
        let trace = lasso(Some("Forget"));
        let violated = judged("Shut", Kind::EventuallyAlways, Verdict::Violated, None);
        let json = serde_json::to_value(Document::new(&finding(&violated, &trace))).unwrap();
        let expected = serde_json::json!({
            "model": "seed/door", "size": {"doors": 2},
            "property": "Shut", "kind": "eventually_always", "verdict": "violated",
            "length": 3, "loops_to": 2,
            "steps": [
                {"number": 1, "action": null, "changed": [],
                 "state": {"door[a]": "shut", "door[b]": "shut", "log": "<<>>"}},
                {"number": 2, "action": "Open(a)",
                 "changed": [{"name": "door[a]", "old": "shut", "new": "open"}],
                 "state": {"door[a]": "open", "door[b]": "shut", "log": "<<>>"}},
                {"number": 3, "action": "Note<\"&\">",
                 "changed": [{"name": "log", "old": "<<>>", "new": "<<\"a\">>"}],
                 "state": {"door[a]": "open", "door[b]": "shut", "log": "<<\"a\">>"}},
            ],
            "cycle": {"loops_to": 2, "action": "Forget",
                      "changed": [{"name": "log", "old": "<<\"a\">>", "new": "<<>>"}]},
        });
        assert_eq!(json, expected);
    }
}
