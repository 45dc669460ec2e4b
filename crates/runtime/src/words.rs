//! Decisions, effects and answers in words: for the log, spans and the journal.

use std::fmt;

use bowline_control::{Answer, Effect, Object, Refusal, Verdict, Write};

use crate::metrics::End;

/// What was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decided {
    /// The step, or one of a few words.
    pub(crate) decision: String,
    /// What it waits for, or why it does not work; a step has none.
    pub(crate) reason: Option<String>,
}

impl Decided {
    pub(crate) fn by<Step: fmt::Display, Wait: fmt::Display>(verdict: &Verdict<Step, Wait>) -> Decided {
        let (decision, reason) = match verdict {
            Verdict::Look => ("look what became of the last write".into(), None),
            Verdict::Do(step) => (step.to_string(), None),
            Verdict::Wait(what) => ("wait".into(), Some(what.to_string())),
            Verdict::Converged => ("converged".into(), None),
            Verdict::Failing(why) => ("failing".into(), Some(why.clone())),
            Verdict::Stalled(why) => ("stalled".into(), Some(why.clone())),
        };
        Decided { decision, reason }
    }
}

pub(crate) fn described<O: Object<Id: fmt::Display>, Call>(
    effect: &Effect<O, Call>,
    asked: impl Fn(&Call) -> String,
) -> String {
    match effect {
        Effect::Look(id) => format!("look at {id}"),
        Effect::Call(call) => asked(call),
        Effect::Write(write) => {
            let verb = match write {
                Write::Create(_) => "create",
                Write::Change { .. } => "change",
                Write::Status { .. } => "change the status of",
                Write::Delete(_) => "delete",
            };
            match write.before() {
                Some(before) => format!("{verb} {} at version {}", write.id(), before.version()),
                None => format!("{verb} {}", write.id()),
            }
        }
    }
}

/// What was answered, and how the decision ends by that. Whether a call has worked is for the loop to say.
pub(crate) fn outcome<O: Object, Reply>(
    answer: &Answer<O, Reply>,
    heard: impl Fn(&Reply) -> String,
) -> (String, End) {
    match answer {
        Answer::Is(object) => (format!("it is at version {}", object.version()), End::Requeue),
        Answer::Gone => ("it is not there".into(), End::Requeue),
        Answer::Refused(Refusal::Outdated) => ("refused: it was outdated".into(), End::Requeue),
        Answer::Refused(Refusal::Other(why)) => (format!("refused: {why}"), End::Error),
        Answer::Unknown(why) => (format!("no answer: {why}"), End::Error),
        Answer::Replied(reply) => (heard(reply), End::Requeue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_decided_and_why_are_two_things() {
        for (verdict, decision, reason) in [
            (Verdict::Do("make the left half"), "make the left half", None),
            (Verdict::Wait("its right half"), "wait", Some("its right half")),
            (Verdict::Converged, "converged", None),
            (Verdict::Failing("no room".into()), "failing", Some("no room")),
            (Verdict::Stalled("too many".into()), "stalled", Some("too many")),
        ] {
            let reason = reason.map(str::to_owned);
            assert_eq!(Decided::by(&verdict), Decided { decision: decision.into(), reason });
        }
    }
}
