//! Stacks that do nothing: the next version is started, what was done is looked at once more, and what others have changed
//! is found.

use bowline_control::{Decision, Millis};

use super::{Aim, Case, Step, View, Wait, What, until_told};
use crate::Rhythm;
use crate::plan::Plan;
use crate::snapshot::Look;
use crate::state::{Names, Number, Phase, Stack};

impl<N: Names> Case<'_, N> {
    pub(super) fn idle(&self) -> What {
        if self.stack.deleting {
            return self.part();
        }
        match self.startable() {
            Ok(Some(next)) => match self.reachable() {
                Ok(cluster) if cluster.upgrade => until_told(Wait::Upgrade),
                Ok(_) => Decision::Do(Step::Start(next)),
                Err(first) => first,
            },
            nothing => match self.surplus() {
                Some(update) => Decision::Do(Step::Discard(update)),
                None => self.look_after(nothing.err().unwrap_or(Wait::NextLook)),
            },
        }
    }

    /// The oldest update that has ended, if there are more than are wanted. That of the last good version stays, and so does what the
    /// stack knows more of than the update shows, or does not know yet.
    fn surplus(&self) -> Option<Number> {
        let Stack { status, wish, .. } = self.stack;
        let ended = self.s.updates.iter().filter(|update| {
            !update.deleting
                && !status.requests.iter().any(|known| known.is_of(update) && !known.stage.is_last())
        });
        let numbers = ended.filter_map(|update| {
            let shown = update.shown.as_ref().filter(|shown| shown.stage.is_last())?;
            shown.number.filter(|number| *number <= status.submitted)
        });
        let is_good = |number: &Number| status.good.as_ref().is_some_and(|good| good.number == *number);
        let numbers: Vec<_> = numbers.filter(|number| !is_good(number)).collect();
        let is_surplus = numbers.len() > usize::try_from(wish.history).unwrap_or(usize::MAX);
        numbers.into_iter().min().filter(|_| is_surplus)
    }

    /// What is on the cluster is looked at: once more after a version, and then again and again.
    fn look_after(&self, what: Wait) -> What {
        let status = &self.stack.status;
        let has_entered = self.entered().is_some();
        if !has_entered && status.good.is_none() && status.inventory.is_none() {
            return if what == Wait::NextLook { Decision::Converged } else { until_told(what) };
        }
        if let Err(first) = self.reachable() {
            return first;
        }
        match self.plan(Aim::LastGood) {
            View::Need(step) => Decision::Do(step),
            // There is nothing to compare with.
            View::Unusable if has_entered => Decision::Do(Step::Leave),
            View::Unusable => until_told(Wait::Person),
            View::Plan(look, plan) if has_entered => self.confirm(look, &plan),
            View::Plan(look, plan) => self.find_drift(look, &plan, what),
        }
    }

    /// What a worker sent that was lost may still arrive: who leaves the cluster has seen, later than that, that all is as it
    /// should be. Until then it is looked for what others have changed as often as ever.
    fn confirm(&self, look: &Look<N>, plan: &Plan<N>) -> What {
        let interval = self.stack.wish.interval;
        let until = self.once_more(look, self.rhythm.lease);
        let is_idle = self.stack.status.phase == Phase::Idle && !self.stack.deleting;
        let mends = is_idle && self.is_repaired(look, plan) && self.mend() == Decision::Do(Step::Mend);
        match until.map(|until| self.sooner(look, until.min(look.at.plus(interval)))) {
            Some(_) if mends => Decision::Do(Step::Mend),
            Some(until) if self.now.clock < until => Decision::Wait { what: Wait::Quiet, until: Some(until) },
            Some(_) => Decision::Do(Step::Look(Aim::LastGood)),
            // What could not be put back is left as it is by one who is deleted; and by one who may not be here any more.
            None if self.stack.status.phase != Phase::Idle || !look.allowed => Decision::Do(Step::Leave),
            None if !plan.is_done() => Decision::Do(Step::Mend),
            None => Decision::Do(self.trim(plan).unwrap_or(Step::Leave)),
        }
    }

    /// A stack that is deleted goes when it has left its cluster; as others do, not before it has seen that nothing arrives.
    pub(super) fn part(&self) -> What {
        if self.entered().is_none() {
            return match self.stack.held {
                false => Decision::Converged,
                true if self.s.memory.forgotten => Decision::Do(Step::LetGo),
                true => Decision::Do(Step::Forget),
            };
        }
        if let Err(first) = self.reachable() {
            return first;
        }
        match self.plan(Aim::LastGood) {
            View::Need(step) => Decision::Do(step),
            View::Unusable => Decision::Do(Step::Leave),
            View::Plan(look, plan) => self.confirm(look, &plan),
        }
    }

    /// When there is to be another look, unless this one came so long after the first.
    fn once_more(&self, look: &Look<N>, long: Millis) -> Option<Millis> {
        match look.whole {
            false => Some(self.now.clock),
            true if look.at >= look.since.plus(long) => None,
            true => Some(look.since.plus(long)),
        }
    }

    /// Who tells that something is not well is to know soon that it is; the longer that takes, the less often it is looked for.
    fn sooner(&self, look: &Look<N>, next: Millis) -> Millis {
        let Rhythm { poll, lease, .. } = *self.rhythm;
        let waited = Millis(look.at.0.saturating_sub(look.since.0));
        match look.unhealthy() {
            Some(_) => next.min(look.at.plus(waited.max(poll).min(lease))),
            None => next,
        }
    }

    /// What is not wanted any more is taken off the inventory.
    fn trim(&self, plan: &Plan<N>) -> Option<Step> {
        let aim = Aim::LastGood;
        let wanted = self.s.content(self.stack.digest(aim))?.ok()?;
        let trimmed = plan.trimmed(&wanted);
        if trimmed == plan.inventory {
            return None;
        }
        let is_stored = self.s.memory.stored.as_ref().is_some_and(|(_, stored)| **stored == trimmed);
        Some(if is_stored { Step::Record(aim) } else { Step::Store(aim) })
    }

    /// What others have changed is told, or put right; what could not be put right is tried again at the next look.
    fn find_drift(&self, look: &Look<N>, plan: &Plan<N>, what: Wait) -> What {
        let interval = self.stack.wish.interval;
        let next = self.sooner(look, look.at.plus(interval));
        if self.now.clock >= next || !look.whole {
            return Decision::Do(Step::Look(Aim::LastGood));
        }
        if self.is_repaired(look, plan) {
            return self.mend();
        }
        Decision::Wait { what, until: Some(next) }
    }

    /// Whether what others have changed is to be put right, by this look.
    fn is_repaired(&self, look: &Look<N>, plan: &Plan<N>) -> bool {
        let Stack { wish, .. } = self.stack;
        let may = wish.repairs && look.allowed && self.startable().is_ok() && !wish.paused;
        may && !plan.is_done() && self.once_more(look, wish.interval).is_none()
    }

    fn mend(&self) -> What {
        match &self.s.cluster {
            Some(cluster) if cluster.upgrade => until_told(Wait::Upgrade),
            Some(cluster) if cluster.paused => until_told(Wait::ClusterUnpaused),
            _ => Decision::Do(Step::Mend),
        }
    }
}
