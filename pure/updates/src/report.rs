//! What people are told of how a stack stands.

use bowline_control::{Standing, Write};

use crate::decide::{Aim, Case, View, Wait};
use crate::object::Object;
use crate::snapshot::Snapshot;
use crate::state::{Mood, Names, Phase, Shown, Stack, Stage, Told, Update};
use crate::words;

/// The write that makes the objects show how it stands; `None` if they do.
pub(crate) fn report<N: Names>(
    case: Option<&Case<'_, N>>,
    s: &Snapshot<N>,
    standing: Standing<'_, Wait>,
) -> Option<Write<Object<N>>> {
    let Some(case) = case else { return lonely(s, standing) };
    let told = case.told(standing);
    if case.stack.told.as_ref() != Some(&told) {
        let before = case.stack.clone();
        let after = Stack { told: Some(told), ..before.clone() };
        return Some(Write::Status { before: Object::Stack(before), after: Object::Stack(after) });
    }
    case.retell(standing)
}

/// Updates without a stack say so, one after the other.
fn lonely<N: Names>(s: &Snapshot<N>, standing: Standing<'_, Wait>) -> Option<Write<Object<N>>> {
    let Standing::Waiting(Wait::ItsStack) = standing else { return None };
    let words: N::Text = "its stack is not there: make it, or submit with `bowline update submit`".into();
    let is_told = |update: &&Update<N>| {
        update.shown.as_ref().is_some_and(|shown| shown.stage.is_last() || shown.words == words)
    };
    let before = s.updates.iter().find(|update| !is_told(update))?;
    let shown = before.shown.clone();
    let new = Shown { number: None, stage: Stage::Submitted, tally: None, done: 0, words: "".into() };
    let after = Update { shown: Some(Shown { words, ..shown.unwrap_or(new) }), ..before.clone() };
    Some(Write::Status { before: Object::Update(before.clone()), after: Object::Update(after) })
}

impl<N: Names> Case<'_, N> {
    fn told(&self, standing: Standing<'_, Wait>) -> Told<N> {
        let drift = || match self.plan(Aim::LastGood) {
            View::Plan(_, plan) if !plan.is_done() => Some(plan),
            _ => None,
        };
        let (mood, words): (Mood, N::Text) = match standing {
            Standing::Failing(why) => (Mood::Failing, why.into()),
            Standing::Stalled(why) => (Mood::Stuck, why.into()),
            _ if matches!(self.stack.status.phase, Phase::Stalled(_)) => {
                let number = self.stack.status.phase.number();
                let request = number.and_then(|number| self.stack.request(number));
                let why = || "the last good version could not be put back".into();
                (Mood::Stuck, request.map_or_else(why, |request| request.why.clone()))
            }
            Standing::Converged | Standing::Waiting(Wait::NextLook | Wait::Quiet) => match drift() {
                Some(plan) => (Mood::Drifted, words::drifted(&plan)),
                None => (Mood::Well, "".into()),
            },
            Standing::Waiting(wait @ (Wait::Unpaused | Wait::ClusterUnpaused)) => {
                (Mood::Paused, awaited(wait))
            }
            Standing::Waiting(wait) => (Mood::Waiting, self.waits_for(*wait)),
        };
        Told { mood, words, observed: self.stack.generation }
    }

    fn waits_for(&self, wait: Wait) -> N::Text {
        let number = self.stack.status.phase.number().filter(|_| wait == Wait::Health);
        let unhealthy = number.and_then(|number| match self.plan(Aim::Version(number)) {
            View::Plan(look, plan) => words::unhealthy(look, &plan),
            _ => None,
        });
        unhealthy.unwrap_or_else(|| awaited(&wait))
    }

    /// The update that is worked on, or is next, says what it waits for.
    fn retell(&self, standing: Standing<'_, Wait>) -> Option<Write<Object<N>>> {
        let words: N::Text = match standing {
            Standing::Waiting(Wait::Quiet | Wait::NextLook) | Standing::Converged => return None,
            Standing::Waiting(wait) => self.waits_for(*wait),
            Standing::Failing(why) | Standing::Stalled(why) => why.into(),
        };
        let worked_on = self.stack.status.phase.number().and_then(|number| self.stack.request(number));
        let request = worked_on.or_else(|| self.stack.queued())?;
        let before = self.s.update_of(request)?;
        let shown = before.shown.as_ref().filter(|shown| {
            let may = !shown.stage.is_last() && shown.stage != Stage::PartialFailure;
            may && (shown.words != words || shown.done != self.done(request, shown.done))
        })?;
        let done = self.done(request, shown.done);
        let after = Update { shown: Some(Shown { words, done, ..shown.clone() }), ..before.clone() };
        Some(Write::Status { before: Object::Update(before.clone()), after: Object::Update(after) })
    }
}

fn awaited<Text: for<'a> From<&'a str>>(wait: &Wait) -> Text {
    Text::from(&format!("waits for {wait}"))
}
