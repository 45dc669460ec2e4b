//! Versions on their way to the cluster, and back.

use bowline_control::Decision;

use super::{Aim, Case, Fault, Step, View, Wait, What, until_told};
use crate::plan::{Act, Health, Plan};
use crate::snapshot::Look;
use crate::state::{Names, Number};

impl<N: Names> Case<'_, N> {
    /// A version is planned, and nothing was changed for it yet: it begins, or ends as failed.
    pub(super) fn begin(&self, number: Number) -> What {
        let fail = |why| Decision::Do(Step::Fail(number, why));
        if let Some(why) = self.shut() {
            return fail(why);
        }
        if let Err(first) = self.on_cluster() {
            return first;
        }
        let aim = Aim::Version(number);
        let (look, plan) = match self.plan(aim) {
            View::Need(step) => return Decision::Do(step),
            View::Unusable => return fail(Fault::BadContent),
            View::Plan(look, plan) => (look, plan),
        };
        // What was seen may be long ago: keeping what is going to be touched is tried again and again.
        let is_old = self.now.clock >= look.at.plus(self.rhythm.lease);
        if !look.whole || is_old || self.is_outdated(look) {
            return Decision::Do(Step::Look(aim));
        }
        if !look.allowed {
            return fail(Fault::NotAllowed);
        }
        match self.against(number, &plan) {
            Some(why @ Fault::Untried) => {
                return self.again(aim, look, Wait::Trial).unwrap_or_else(|| fail(why));
            }
            Some(why) => return fail(why),
            None => {}
        }
        match self.keep(aim, &plan) {
            // Recording is part of beginning.
            Some(Step::Store(_)) => Decision::Do(Step::Store(aim)),
            _ => Decision::Do(Step::Begin(number)),
        }
    }

    /// What speaks against beginning with a version that has this plan.
    pub(crate) fn against(&self, number: Number, plan: &Plan<N>) -> Option<Fault> {
        let asked = self.stack.request(number).and_then(|request| request.plan.as_ref());
        if plan.refusal().is_some() {
            Some(Fault::Refused)
        } else if plan.deletions() > self.stack.wish.deletions as usize {
            Some(Fault::Deletions)
        } else if !plan.untried.is_empty() {
            Some(Fault::Untried)
        } else if asked.is_some_and(|asked| *asked != plan.digest()) {
            Some(Fault::OtherPlan)
        } else {
            None
        }
    }

    /// A version is being applied, or becomes healthy.
    pub(super) fn apply(&self, number: Number) -> What {
        let back = |why| Decision::Do(Step::BackOut(why));
        if self.s.cluster.is_none() {
            return back(Fault::NoCluster);
        }
        if let Err(first) = self.on_cluster() {
            return first;
        }
        if !self.s.memory.refused.is_empty() {
            return back(Fault::Refused);
        }
        let aim = Aim::Version(number);
        let (look, plan) = match self.plan(aim) {
            View::Need(step) => return Decision::Do(step),
            View::Unusable => return back(Fault::BadContent),
            View::Plan(look, plan) => (look, plan),
        };
        if !look.allowed {
            return back(Fault::NotAllowed);
        }
        if plan.refusal().is_some() {
            return back(Fault::Refused);
        }
        if self.s.memory.tries > self.rhythm.tries && !plan.is_done() {
            return back(Fault::Tries);
        }
        match self.write(aim, look, &plan) {
            Some(step) => Decision::Do(step),
            None => self.await_health(aim, look, &plan),
        }
    }

    /// What is to be written, or looked at, before everything is known to be as it should.
    fn write(&self, aim: Aim, look: &Look<N>, plan: &Plan<N>) -> Option<Step> {
        if let Some(step) = self.keep(aim, plan) {
            return Some(step);
        }
        let next = plan.next(self.rhythm.batch, &self.s.memory.refused);
        if next.is_empty() {
            return (!look.whole).then_some(Step::Look(aim));
        }
        // What others have in what is to go is seen by a look, and not by what was written since.
        let goes = next.iter().any(|deed| matches!(deed.act, Act::Delete(_)) && N::is_shared(&deed.place));
        let is_seen = look.whole || !goes;
        Some(if is_seen && !self.is_outdated(look) { Step::Write(aim) } else { Step::Look(aim) })
    }

    /// Whether something else is wanted of the cluster since: whoever could use it then may not any more, and many batches rest
    /// on one look.
    fn is_outdated(&self, look: &Look<N>) -> bool {
        self.s.cluster.as_ref().is_some_and(|cluster| look.generation < cluster.generation)
    }

    fn await_health(&self, aim: Aim, look: &Look<N>, plan: &Plan<N>) -> What {
        let wanted = self.s.content(self.stack.digest(aim)).and_then(Result::ok).unwrap_or_default();
        let of_wanted = look.sights.iter().filter(|(place, _)| wanted.0.contains_key(place));
        let healths = of_wanted.filter_map(|(_, sight)| sight.live.as_ref()).map(|live| &live.health);
        if healths.clone().any(|health| matches!(health, Health::Ill(_))) {
            return Decision::Do(Step::BackOut(Fault::Ill));
        }
        if plan.is_done() && healths.clone().all(|health| *health == Health::Well) {
            return Decision::Do(Step::Succeed);
        }
        self.again(aim, look, Wait::Health).unwrap_or(Decision::Do(Step::BackOut(Fault::Timeout)))
    }

    /// Another look soon; `None` if the time that a version has is over.
    fn again(&self, aim: Aim, look: &Look<N>, what: Wait) -> Option<What> {
        let next = look.at.plus(self.rhythm.poll);
        if self.now.clock >= next {
            return Some(Decision::Do(Step::Look(aim)));
        }
        let is_over = look.at >= look.since.plus(self.stack.wish.timeout);
        (!is_over).then_some(Decision::Wait { what, until: Some(next) })
    }

    /// The last good version is put back, or what was there before the first one.
    pub(super) fn put_back(&self) -> What {
        let stall = |why| Decision::Do(Step::Stall(why));
        if self.s.cluster.is_none() {
            return stall(Fault::NoCluster);
        }
        if let Err(first) = self.on_cluster() {
            return first;
        }
        let aim = Aim::LastGood;
        let (look, plan) = match self.plan(aim) {
            View::Need(step) => return Decision::Do(step),
            View::Unusable => return stall(Fault::BadContent),
            View::Plan(look, plan) => (look, plan),
        };
        if !look.allowed && !plan.is_done() {
            return stall(Fault::NotAllowed);
        }
        if self.s.memory.tries > self.rhythm.tries && !plan.is_done() {
            return stall(if self.s.memory.refused.is_empty() { Fault::Tries } else { Fault::Refused });
        }
        if let Some(step) = self.write(aim, look, &plan) {
            return Decision::Do(step);
        }
        if plan.is_done() {
            return Decision::Do(Step::Restored);
        }
        if plan.refusal().is_some() {
            return stall(Fault::Refused);
        }
        // What comes later comes soon, or never.
        self.again(aim, look, Wait::Health).unwrap_or_else(|| stall(Fault::Timeout))
    }

    /// The last good version could not be put back: it is tried again from time to time.
    pub(super) fn stalled(&self) -> What {
        if self.s.cluster.is_none() {
            return until_told(Wait::ItsCluster);
        }
        // Who has not left, and is not there, was on another cluster of this name: this one has not been tried yet.
        if self.entered().is_none() && self.reachable().is_ok() {
            return Decision::Do(Step::Mend);
        }
        if let Err(first) = self.on_cluster() {
            return first;
        }
        let aim = Aim::LastGood;
        let (look, plan) = match self.plan(aim) {
            View::Need(step) => return Decision::Do(step),
            View::Unusable => return until_told(Wait::Person),
            View::Plan(look, plan) => (look, plan),
        };
        let next = look.at.plus(self.stack.wish.interval);
        let is_time = look.at >= look.since.plus(self.stack.wish.interval);
        match self.write(aim, look, &plan) {
            None if plan.is_done() => Decision::Do(Step::Restored),
            Some(Step::Look(_)) => Decision::Do(Step::Look(aim)),
            // It is asked again whether it may be here.
            _ if !look.allowed && self.now.clock < next => {
                Decision::Wait { what: Wait::Person, until: Some(next) }
            }
            _ if !look.allowed => Decision::Do(Step::Look(aim)),
            // Who may be here again tries at once. Who has begun to write goes on, until something does not work.
            Some(step) if is_time || look.regained || !look.whole => Decision::Do(step),
            _ if self.now.clock >= next => Decision::Do(Step::Look(aim)),
            _ => Decision::Wait { what: Wait::Person, until: Some(next) },
        }
    }
}
