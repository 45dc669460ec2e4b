//! A run and what it found, ready to be told.

use bowline_explorer::{End, Judged, Report, Storage, Trace, Verdict};
use bowline_models::{Claim, Coverage, Faults, Value};

use super::coverage;
use super::finding::{Finding, What};
use super::request::How;
use crate::exit::Exit;
use crate::figures::{counted, grouped};
use crate::memory::Memory;

/// A run and what it found.
pub(crate) struct Outcome {
    /// The model's name.
    pub(crate) model: &'static str,
    /// Its size.
    pub(crate) size: Vec<(&'static str, Value)>,
    /// What went wrong, and how often it might.
    pub(crate) faults: Faults,
    /// Its properties, with what they mean.
    pub(crate) claims: Vec<Claim>,
    /// The properties that were named.
    pub(crate) asked: Option<Vec<String>>,
    /// How it ran.
    pub(crate) how: How,
    /// How large a state is.
    pub(crate) state_bytes: usize,
    /// Which faults have hit which effects, if the model has faults.
    pub(crate) coverage: Option<Coverage>,
    /// What was found.
    pub(crate) report: Report,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// Why a run is not complete.
pub(crate) struct Incomplete {
    /// In one word, for machines.
    pub(crate) reason: &'static str,
    /// For people: why, and what to do.
    pub(crate) advice: String,
}

impl Outcome {
    /// How the process ends.
    pub(crate) fn exit(&self) -> Exit {
        let bad = |judged: &Judged| matches!(judged.verdict, Verdict::Violated | Verdict::Unreached);
        if self.panic().is_some() || self.report.verdicts.iter().any(bad) {
            Exit::EndedBadly
        } else if self.report.end == End::Complete {
            Exit::Done
        } else {
            Exit::NotFinished
        }
    }

    /// Why the run is not complete, if it is not.
    pub(crate) fn incomplete(&self) -> Option<Incomplete> {
        let (reason, advice) = match &self.report.end {
            End::Complete => return None,
            End::MaxStates => {
                let budget = self.how.max_states.unwrap_or(self.report.distinct);
                let used = format!("the budget of {} is used up", counted(budget, "state"));
                ("max-states", format!("{used}; raise --max-states, or take a smaller --size"))
            }
            End::MaxBytes => {
                let used = match self.how.max_bytes {
                    Some(bytes) => format!("the budget of {} of memory is used up", Memory(bytes)),
                    None => "the memory is used up".into(),
                };
                let less = match (self.how.walks, self.how.storage) {
                    (Some(_), _) => "fewer --walks or --walk-steps",
                    // A fingerprint in the place of a state that is no larger saves nothing.
                    (None, Storage::Exact) if self.state_bytes > Storage::FINGERPRINT_BYTES => {
                        "--fingerprint or a smaller --size"
                    }
                    (None, _) => "a smaller --size",
                };
                ("max-memory", format!("{used}; raise --max-memory, or take {less}"))
            }
            End::OutOfNumbers => {
                let less = match self.how.walks {
                    Some(_) => "fewer --walks or --walk-steps",
                    None => "a smaller --size, or walk at random with --walks",
                };
                let advice = format!("there are more states or steps than can be numbered; take {less}");
                ("out-of-numbers", advice)
            }
            End::Stopped => ("stopped", "the run was stopped; let it run to the end".into()),
            End::Walked => {
                let advice = "random walks never see everything; leave out --walks to explore all states";
                ("walks", advice.into())
            }
            End::Panicked { .. } => ("panicked", "the model panicked; correct it and run again".into()),
        };
        Some(Incomplete { reason, advice })
    }

    /// The panic of the model, if it panicked.
    pub(crate) fn panic(&self) -> Option<Finding<'_>> {
        match &self.report.end {
            End::Panicked { message, trace } => Some(self.finding(What::Panic { message }, trace)),
            _ => None,
        }
    }

    /// The counterexamples, in the order of declaration.
    pub(crate) fn violations(&self) -> impl Iterator<Item = Finding<'_>> {
        self.found(Verdict::Violated)
    }

    /// The ways to properties that were reached and named by the user.
    pub(crate) fn asked_witnesses(&self) -> impl Iterator<Item = Finding<'_>> {
        self.found(Verdict::Reached).filter(|finding| self.is_asked(finding.name()))
    }

    /// Whether the user named this property.
    pub(crate) fn is_asked(&self, name: &str) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.iter().any(|asked| asked == name))
    }

    /// The trace that `--trace` writes.
    pub(crate) fn first_finding(&self) -> Option<Finding<'_>> {
        self.violations().next().or_else(|| self.panic()).or_else(|| self.asked_witnesses().next())
    }

    /// What a property means, in a line; empty if nobody said.
    pub(crate) fn about(&self, property: &str) -> &str {
        self.claims.iter().find(|claim| claim.name == property).map_or("", |claim| &claim.about)
    }

    /// The model, its size, and what went wrong.
    pub(crate) fn place(&self) -> String {
        place(self.model, &self.size, &self.faults)
    }

    /// The command that runs it again.
    pub(crate) fn command(&self) -> String {
        let faults = match self.faults.iter().next() {
            Some(_) => format!(" --faults {}", self.faults),
            None => String::new(),
        };
        format!("bowline check {} --size {}{faults}", self.model, size_text(&self.size))
    }

    /// Which of the faults that might happen have hit which effects; `None` if none might.
    pub(crate) fn hits(&self) -> Option<Coverage> {
        let hits = self.coverage.as_ref().map(|all| coverage::of_kinds(all, &self.faults))?;
        (!hits.hits.is_empty()).then_some(hits)
    }

    /// The collision probability in words; `None` if states were kept as they are.
    pub(crate) fn collision(&self) -> Option<String> {
        let probability = self.report.collision_probability;
        (probability > 0.0).then(|| format!("collision probability at most {probability:.1e}"))
    }

    /// The random walks in words, with the seed that repeats them.
    pub(crate) fn walks(&self) -> Option<String> {
        self.how.walks.map(|walks| {
            let (count, steps) = (counted(walks.count, "random walk"), grouped(walks.steps.into()));
            format!("{count} of at most {steps} steps; to repeat them: --seed {}", walks.seed)
        })
    }

    fn found(&self, verdict: Verdict) -> impl Iterator<Item = Finding<'_>> {
        let judged = self.report.verdicts.iter().filter(move |judged| judged.verdict == verdict);
        judged.filter_map(|judged| {
            let what = What::Property { judged, about: self.about(&judged.name) };
            judged.trace.as_ref().map(|trace| self.finding(what, trace))
        })
    }

    fn finding<'a>(&'a self, what: What<'a>, trace: &'a Trace) -> Finding<'a> {
        Finding { model: self.model, size: &self.size, faults: &self.faults, what, trace }
    }
}

/// A model, its size, and what goes wrong in it.
pub(crate) fn place(model: &str, size: &[(&'static str, Value)], faults: &Faults) -> String {
    let mut place = format!("{model} {}", size_text(size)).trim_end().to_string();
    if faults.iter().next().is_some() {
        place.push_str(&format!(" with {faults}"));
    }
    place
}

/// A size as `--size` takes it.
pub(crate) fn size_text(size: &[(&'static str, Value)]) -> String {
    let keys: Vec<String> = size.iter().map(|(key, value)| format!("{key}={value}")).collect();
    keys.join(",")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::num::NonZeroUsize;

    use bowline_explorer::{Kind, Walks};

    use super::super::finding::tests::{judged, lasso, path};
    use super::*;

    /// A run of a small model that gave this report's end and verdicts.
    pub(crate) fn outcome(end: End, verdicts: Vec<Judged>) -> Outcome {
        let how = How {
            threads: NonZeroUsize::MIN,
            storage: Storage::Exact,
            symmetry: false,
            max_states: Some(1000),
            max_bytes: None,
            walks: None,
        };
        let claim = |judged: &Judged| Claim {
            name: judged.name.clone(),
            kind: judged.kind,
            about: format!("what {} means", judged.name),
        };
        Outcome {
            model: "seed/door",
            size: vec![("doors", Value::Number(2)), ("fair", Value::Flag(true))],
            faults: Faults::default(),
            coverage: None,
            claims: verdicts.iter().map(claim).collect(),
            asked: None,
            how,
            report: Report {
                distinct: 1024,
                generated: 2982,
                depth: 16,
                end,
                peak_bytes: 1_234_567,
                collision_probability: 0.0,
                verdicts,
                walked: None,
            },
            state_bytes: 24,
            seconds: 0.0125,
        }
    }

    #[test]
    fn the_exit_code_follows_the_worst_that_was_found() {
        let exit =
            |end: End, verdict: Verdict| outcome(end, vec![judged("P", Kind::Always, verdict, None)]).exit();
        assert_eq!(exit(End::Complete, Verdict::Holds), Exit::Done);
        assert_eq!(exit(End::Complete, Verdict::Reached), Exit::Done);
        assert_eq!(exit(End::Complete, Verdict::Violated), Exit::EndedBadly);
        assert_eq!(exit(End::Complete, Verdict::Unreached), Exit::EndedBadly);
        assert_eq!(exit(End::MaxStates, Verdict::Unknown), Exit::NotFinished);
        assert_eq!(exit(End::MaxBytes, Verdict::Unknown), Exit::NotFinished);
        assert_eq!(exit(End::OutOfNumbers, Verdict::Unknown), Exit::NotFinished);
        assert_eq!(exit(End::Stopped, Verdict::Unknown), Exit::NotFinished);
        assert_eq!(exit(End::Walked, Verdict::Reached), Exit::NotFinished);
        assert_eq!(exit(End::Stopped, Verdict::Violated), Exit::EndedBadly);
        let panicked = End::Panicked { message: "no".into(), trace: path() };
        assert_eq!(exit(panicked, Verdict::Unknown), Exit::EndedBadly);
    }

    #[test]
    fn the_trace_file_has_the_first_declared_violation_then_the_panic_then_a_named_witness() {
        let reached = judged("Open", Kind::Sometimes, Verdict::Reached, Some(path()));
        let violated = |name: &str, trace: Trace| judged(name, Kind::Always, Verdict::Violated, Some(trace));
        let first = |outcome: &Outcome| outcome.first_finding().map(|finding| finding.name().to_string());

        let two = vec![reached.clone(), violated("A", path()), violated("B", lasso(Some("Shut")))];
        assert_eq!(first(&outcome(End::Complete, two)), Some("A".into()));

        let panicked = End::Panicked { message: "no".into(), trace: path() };
        assert_eq!(first(&outcome(panicked, vec![reached.clone()])), Some("the model".into()));

        let mut run = outcome(End::Complete, vec![reached]);
        assert_eq!(first(&run), None);
        run.asked = Some(vec!["Open".into()]);
        assert_eq!(first(&run), Some("Open".into()));
    }

    #[test]
    fn a_run_that_is_not_complete_says_what_to_do() {
        let advice = |end| outcome(end, vec![]).incomplete().map(|incomplete| incomplete.advice);
        assert_eq!(advice(End::Complete), None);
        assert_eq!(
            advice(End::MaxStates).unwrap(),
            "the budget of 1,000 states is used up; raise --max-states, or take a smaller --size"
        );
        let out_of_memory = |change: fn(&mut Outcome)| {
            let mut run = outcome(End::MaxBytes, vec![]);
            run.how.max_bytes = Some(1 << 20);
            change(&mut run);
            run.incomplete().unwrap().advice
        };
        let begins = "the budget of 1.0 MiB of memory is used up; raise --max-memory, or take ";
        let takes = |change| out_of_memory(change).strip_prefix(begins).unwrap().to_string();
        assert_eq!(takes(|_| ()), "--fingerprint or a smaller --size");
        assert_eq!(takes(|run| run.state_bytes = 16), "a smaller --size", "a fingerprint saves nothing");
        assert_eq!(takes(|run| run.how.storage = Storage::Fingerprint), "a smaller --size");
        assert_eq!(
            takes(|run| run.how.walks = Some(Walks { count: 10, steps: 1000, seed: 7 })),
            "fewer --walks or --walk-steps"
        );
        assert_eq!(
            advice(End::OutOfNumbers).unwrap(),
            "there are more states or steps than can be numbered; \
             take a smaller --size, or walk at random with --walks"
        );
        let mut walked = outcome(End::Walked, vec![]);
        walked.how.walks = Some(Walks { count: 10, steps: 1000, seed: 7 });
        assert_eq!(
            walked.walks().unwrap(),
            "10 random walks of at most 1,000 steps; to repeat them: --seed 7"
        );
    }
}
