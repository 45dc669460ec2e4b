//! What people are told of how a stack stands.

use bowline_control::{Standing, Write};

use crate::decide::{Aim, Case, View, Wait};
use crate::object::Object;
use crate::snapshot::Snapshot;
use crate::state::{Mood, Names, Number, Phase, Shown, Stack, Stage, Told, Update};
use crate::words;

/// The write that makes the objects show how it stands; `None` if they do.
pub(crate) fn report<N: Names>(
    case: Option<&Case<'_, N>>,
    s: &Snapshot<N>,
    standing: Standing<'_, Wait>,
) -> Option<Write<Object<N>>> {
    let Some(case) = case else { return lonely(s, standing) };
    let behind = case.behind(standing);
    let standing = behind.as_ref().map_or(standing, Standing::Waiting);
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
    /// Who looks once more at what was done may have a version that waits for something else.
    fn behind(&self, standing: Standing<'_, Wait>) -> Option<Wait> {
        match standing {
            Standing::Waiting(Wait::Quiet) => self.startable().err(),
            _ => None,
        }
    }

    fn told(&self, standing: Standing<'_, Wait>) -> Told<N> {
        let (mood, words): (Mood, N::Text) = match standing {
            Standing::Stalled(why) => (Mood::Stuck, self.going(why)),
            Standing::Failing(why) if self.stack.deleting => (Mood::Going, self.going(why)),
            Standing::Failing(why) => (Mood::Failing, why.into()),
            Standing::Converged if self.stack.deleting => (Mood::Going, self.going(HELD)),
            Standing::Waiting(wait) if self.stack.deleting => {
                (Mood::Going, self.going(self.waits_for(*wait).as_ref()))
            }
            _ if matches!(self.stack.status.phase, Phase::Stalled(_)) => (Mood::Stuck, self.stuck()),
            Standing::Converged if self.s.cluster.is_none() => (Mood::Waiting, awaited(&Wait::ItsCluster)),
            Standing::Converged | Standing::Waiting(Wait::NextLook | Wait::Quiet) => self.at_rest(),
            Standing::Waiting(wait @ (Wait::Unpaused | Wait::ClusterUnpaused)) => {
                (Mood::Paused, awaited(wait))
            }
            Standing::Waiting(wait) => (Mood::Waiting, self.waits_for(*wait)),
        };
        Told { mood, words, observed: self.stack.generation }
    }

    /// What is said of a stack, also when it is being deleted: nothing else is to be done for that one.
    pub(crate) fn going(&self, words: &str) -> N::Text {
        match self.stack.deleting {
            true => N::Text::from(&format!("it is being deleted: {words}")),
            false => words.into(),
        }
    }

    /// How it stands with what is on the cluster. Of a version that is there nothing has to be said.
    fn at_rest(&self) -> (Mood, N::Text) {
        let (well, said): (Mood, N::Text) = match self.stack.status.good {
            Some(_) => (Mood::Well, "".into()),
            None if self.stack.status.submitted == Number(0) => {
                (Mood::Well, "no version was submitted yet".into())
            }
            None => (Mood::Empty, words::nothing_yet(self.newest())),
        };
        let View::Plan(look, plan) = self.plan(Aim::LastGood) else { return (well, said) };
        match look.unhealthy() {
            // Who has nothing there is not looked at again, and would say it for ever.
            _ if !look.allowed && self.is_there() => (Mood::Stuck, words::BARRED.into()),
            _ if !plan.is_done() => (Mood::Drifted, words::drifted(look, &plan)),
            Some(why) => (Mood::Unhealthy, why),
            None => (well, words::spared(&plan).unwrap_or(said)),
        }
    }

    /// Whether anything of it may be on the cluster.
    fn is_there(&self) -> bool {
        self.stack.status.good.is_some() || self.stack.status.inventory.is_some()
    }

    /// What the newest version shows, if its update is still there.
    fn newest(&self) -> Option<&Shown<N>> {
        let shown = self.s.updates.iter().filter_map(|update| update.shown.as_ref());
        shown.max_by_key(|shown| shown.number)
    }

    /// Why the last good version is not in its place.
    fn stuck(&self) -> N::Text {
        let number = self.stack.status.phase.number();
        if let Some(request) = number.and_then(|number| self.stack.request(number)) {
            return request.why.clone();
        }
        let by_plan = match self.plan(Aim::LastGood) {
            View::Plan(look, _) if !look.allowed => return words::BARRED.into(),
            View::Plan(look, plan) => plan.refusal().cloned().or_else(|| words::awaited(look, &plan)),
            _ => None,
        };
        let why = by_plan.as_ref().map_or("the cluster does not take it", |why| why.as_ref());
        N::Text::from(&format!("the last good version could not be put back: {why}"))
    }

    fn waits_for(&self, wait: Wait) -> N::Text {
        let aim = match wait {
            Wait::ClusterReady => return self.unready(),
            Wait::Quiet if self.stack.deleting => return self.last_look(),
            Wait::Health => self.stack.status.phase.number(),
            Wait::Trial => {
                self.stack.queued().map(|queued| queued.number).or(self.stack.status.phase.number())
            }
            _ => None,
        };
        let first = aim.and_then(|number| match self.plan(Aim::Version(number)) {
            View::Plan(look, plan) => words::awaited(look, &plan),
            _ => None,
        });
        first.unwrap_or_else(|| awaited(&wait))
    }

    /// What a stack waits for that is deleted, and would be let go.
    fn last_look(&self) -> N::Text {
        let seconds = self.rhythm.lease.0 / 1_000;
        N::Text::from(&format!(
            "waits, for up to {seconds} s, for writes that may still arrive on its cluster, and looks at it a last time then; its \
             objects stay there"
        ))
    }

    /// Why nothing can be asked of the cluster, and what to do where that never ends.
    fn unready(&self) -> N::Text {
        let why = self.s.cluster.as_ref().map_or("", |cluster| cluster.why.as_ref());
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        let way_out = match self.stack.deleting {
            true => "; if it is gone for good, `bowline cluster remove --force` lets the stack go",
            false => "",
        };
        N::Text::from(&format!("waits for {}{why}{way_out}", Wait::ClusterReady))
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

/// What a stack waits for that we have let go.
const HELD: &str = "waits for whoever else holds it by a finalizer";

fn awaited<Text: for<'a> From<&'a str>>(wait: &Wait) -> Text {
    Text::from(&format!("waits for {wait}"))
}
