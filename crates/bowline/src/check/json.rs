//! The document of `check MODEL -o json`: a contract with scripts. Keys that the contract does not
//! name come last, and only where they say something.

use bowline_explorer::{End, Judged, Storage};
use bowline_models::{Coverage, Faults, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::coverage;
use super::outcome::Outcome;

/// The result of a run.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    model: &'a str,
    size: SizeKeys<'a>,
    faults: Budgets<'a>,
    complete: bool,
    distinct: u64,
    generated: u64,
    depth: u32,
    seconds: f64,
    peak_bytes: u64,
    threads: usize,
    collision_probability: f64,
    properties: Vec<Property<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    walks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    walk_steps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    walks_done: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    panic: Option<Panic<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Hits>,
}

/// A property and its verdict.
#[derive(Serialize)]
pub(crate) struct Property<'a> {
    name: &'a str,
    kind: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_to: Option<usize>,
}

#[derive(Serialize)]
struct Panic<'a> {
    message: &'a str,
    length: usize,
}

/// Budgets of faults by kind, in the order of declaration; `{}` if nothing goes wrong.
pub(crate) struct Budgets<'a>(pub(crate) &'a Faults);

impl Serialize for Budgets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

/// Which of the faults that might happen have hit which effects.
struct Hits(Coverage);

impl Serialize for Hits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        coverage::Document::new(&self.0).serialize(serializer)
    }
}

/// A size: numbers and switches by key, in the order of declaration.
pub(crate) struct SizeKeys<'a>(pub(crate) &'a [(&'static str, Value)]);

impl Serialize for SizeKeys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            match value {
                Value::Number(number) => map.serialize_entry(key, number)?,
                Value::Flag(flag) => map.serialize_entry(key, flag)?,
            }
        }
        map.end()
    }
}

impl<'a> Property<'a> {
    pub(crate) fn new(judged: &'a Judged) -> Self {
        let cycle = judged.trace.as_ref().and_then(|trace| trace.cycle.as_ref());
        Property {
            name: &judged.name,
            kind: judged.kind.as_str(),
            verdict: judged.verdict.as_str(),
            length: judged.trace.as_ref().map(|trace| trace.steps.len()),
            loops_to: cycle.map(|cycle| cycle.loops_to),
        }
    }
}

impl<'a> Document<'a> {
    /// The document of a run.
    pub(crate) fn new(outcome: &'a Outcome) -> Self {
        let Outcome { report, how, .. } = outcome;
        let incomplete = outcome.incomplete().map(|incomplete| incomplete.reason);
        Document {
            model: outcome.model,
            size: SizeKeys(&outcome.size),
            faults: Budgets(&outcome.faults),
            complete: incomplete.is_none(),
            distinct: report.distinct,
            generated: report.generated,
            depth: report.depth,
            seconds: rounded(outcome.seconds),
            peak_bytes: report.peak_bytes,
            threads: how.threads.get(),
            collision_probability: report.collision_probability,
            properties: report.verdicts.iter().map(Property::new).collect(),
            incomplete,
            storage: (how.storage == Storage::Fingerprint).then_some("fingerprint"),
            symmetry: how.symmetry.then_some(true),
            walks: how.walks.map(|walks| walks.count),
            walk_steps: how.walks.map(|walks| walks.steps),
            seed: how.walks.map(|walks| walks.seed),
            walks_done: report.walked.map(|walked| walked.walks),
            panic: match &report.end {
                End::Panicked { message, trace } => Some(Panic { message, length: trace.steps.len() }),
                _ => None,
            },
            coverage: outcome.hits().map(Hits),
        }
    }
}

/// Microseconds are as fine as the clock is worth.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{Kind, Verdict, Walked, Walks};

    use super::super::finding::tests::{judged, lasso, path};
    use super::super::outcome::tests::outcome;
    use super::*;

    fn json(outcome: &Outcome) -> String {
        serde_json::to_string(&Document::new(outcome)).unwrap()
    }

    #[test]
    fn a_complete_run_has_the_keys_of_the_contract_in_their_order() {
        let run = outcome(
            End::Complete,
            vec![
                judged("Types", Kind::Always, Verdict::Holds, None),
                judged("Ends", Kind::EventuallyAlways, Verdict::Violated, Some(lasso(Some("Shut")))),
                judged("Opens", Kind::Sometimes, Verdict::Reached, Some(path())),
            ],
        );
        assert_eq!(
            json(&run),
            r#"{"model":"seed/door","size":{"doors":2,"fair":true},"faults":{},"#.to_string()
                + r#""complete":true,"distinct":1024,"generated":2982,"depth":16,"#
                + r#""seconds":0.0125,"peak_bytes":1234567,"threads":1,"collision_probability":0.0,"#
                + r#""properties":[{"name":"Types","kind":"always","verdict":"holds"},"#
                + r#"{"name":"Ends","kind":"eventually_always","verdict":"violated","length":3,"loops_to":2},"#
                + r#"{"name":"Opens","kind":"sometimes","verdict":"reached","length":3}]}"#
        );
    }

    #[test]
    fn what_the_contract_does_not_name_comes_last() {
        let mut run = outcome(End::Walked, vec![]);
        run.how.walks = Some(Walks { count: 10, steps: 100, seed: 7 });
        run.report.walked = Some(Walked { walks: 9, steps: 900 });
        let walks = r#""incomplete":"walks","walks":10,"walk_steps":100,"seed":7,"walks_done":9}"#;
        assert!(json(&run).ends_with(&format!(r#""properties":[],{walks}"#)), "{}", json(&run));
        let run = outcome(End::Panicked { message: "no".into(), trace: path() }, vec![]);
        assert!(
            json(&run).ends_with(r#""incomplete":"panicked","panic":{"message":"no","length":3}}"#),
            "{}",
            json(&run)
        );
    }
}
