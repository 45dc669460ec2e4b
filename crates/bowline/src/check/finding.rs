//! A trace together with what it shows.

use bowline_explorer::{Judged, Kind, Trace, Verdict};
use bowline_models::{Faults, Value};

use super::outcome::place;
use crate::figures::counted;

/// A trace of a model together with what it shows.
pub(crate) struct Finding<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// Its size.
    pub(crate) size: &'a [(&'static str, Value)],
    /// What goes wrong.
    pub(crate) faults: &'a Faults,
    /// What the trace shows.
    pub(crate) what: What<'a>,
    /// The trace.
    pub(crate) trace: &'a Trace,
}

/// What a trace shows.
pub(crate) enum What<'a> {
    /// Why a property is violated, or how it is reached.
    Property {
        /// The property and its verdict.
        judged: &'a Judged,
        /// What it means, in a line.
        about: &'a str,
    },
    /// How the model came to panic.
    Panic {
        /// What the panic said.
        message: &'a str,
    },
}

impl Finding<'_> {
    /// The property, or the model itself.
    pub(crate) fn name(&self) -> &str {
        match self.what {
            What::Property { judged, .. } => &judged.name,
            What::Panic { .. } => "the model",
        }
    }

    /// What became of it: `is violated`.
    pub(crate) fn fate(&self) -> String {
        match self.what {
            What::Property { judged, .. } => format!("is {}", judged.verdict.as_str()),
            What::Panic { .. } => "panicked".into(),
        }
    }

    /// What the property means, or what the panic said.
    pub(crate) fn about(&self) -> &str {
        match self.what {
            What::Property { about, .. } => about,
            What::Panic { message } => message,
        }
    }

    /// Whether it is bad news.
    pub(crate) fn is_bad(&self) -> bool {
        !matches!(self.what, What::Property { judged, .. } if judged.verdict == Verdict::Reached)
    }

    /// The model, its size, and what goes wrong.
    pub(crate) fn place(&self) -> String {
        place(self.model, self.size, self.faults)
    }

    /// How many states the trace has.
    pub(crate) fn length(&self) -> String {
        counted(self.trace.steps.len() as u64, "state")
    }

    /// How the trace ends, where its last state does not say it.
    pub(crate) fn ending(&self) -> Option<&'static str> {
        match self.what {
            What::Property { judged, .. } if judged.kind == Kind::Deadlock => {
                Some("no action is possible here")
            }
            What::Panic { .. } => Some("here the model panicked"),
            What::Property { .. } => None,
        }
    }

    /// How the trace goes on for ever, if it does.
    pub(crate) fn for_ever(&self) -> Option<String> {
        self.trace.cycle.as_ref().map(|cycle| match &cycle.action {
            Some(action) => format!("back to state {} by {action}", cycle.loops_to),
            None => "nothing happens any more (stutters for ever)".into(),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::LazyLock;

    use bowline_explorer::{Cycle, Field, Step};

    use super::*;

    fn step(action: Option<&str>, values: [&str; 3]) -> Step {
        let names = ["door[a]", "door[b]", "log"];
        let state = names.iter().zip(values).map(|(name, value)| Field::new(*name, value)).collect();
        Step { action: action.map(Into::into), state }
    }

    /// Three states.
    pub(crate) fn path() -> Trace {
        let steps = vec![
            step(None, ["shut", "shut", "<<>>"]),
            step(Some("Open(a)"), ["open", "shut", "<<>>"]),
            step(Some("Note<\"&\">"), ["open", "shut", "<<\"a\">>"]),
        ];
        Trace { steps, cycle: None }
    }

    /// The same three states; by the action back to the second, or for ever in the third.
    pub(crate) fn lasso(action: Option<&str>) -> Trace {
        let loops_to = if action.is_some() { 2 } else { 3 };
        Trace { cycle: Some(Cycle { loops_to, action: action.map(Into::into) }), ..path() }
    }

    pub(crate) fn judged(name: &str, kind: Kind, verdict: Verdict, trace: Option<Trace>) -> Judged {
        Judged { name: name.into(), kind, verdict, trace }
    }

    /// A finding about a door.
    pub(crate) fn finding<'a>(judged: &'a Judged, trace: &'a Trace) -> Finding<'a> {
        let what = What::Property { judged, about: "Doors are shut." };
        static NONE: LazyLock<Faults> = LazyLock::new(Faults::default);
        Finding { model: "seed/door", size: &[("doors", Value::Number(2))], faults: &NONE, what, trace }
    }

    #[test]
    fn says_what_it_shows_and_where() {
        let (trace, lasso) = (path(), lasso(None));
        let violated = judged("Shut", Kind::Deadlock, Verdict::Violated, None);
        let found = finding(&violated, &trace);
        assert_eq!((found.name(), found.fate().as_str()), ("Shut", "is violated"));
        assert_eq!(found.place(), "seed/door doors=2");
        assert_eq!(found.length(), "3 states");
        assert_eq!(found.ending(), Some("no action is possible here"));
        assert!(found.is_bad());
        assert_eq!(
            finding(&violated, &lasso).for_ever().unwrap(),
            "nothing happens any more (stutters for ever)"
        );
        let what = What::Panic { message: "index out of bounds" };
        let panic = Finding { what, ..finding(&violated, &trace) };
        assert_eq!((panic.name(), panic.fate().as_str()), ("the model", "panicked"));
    }
}
