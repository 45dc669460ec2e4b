//! Stacks that do nothing: the next version is started, what was done is looked at once more, and what others have changed
//! is found.

use bowline_control::Decision;

use super::{Aim, Case, Step, View, Wait, What, until_told};
use crate::plan::Plan;
use crate::snapshot::Look;
use crate::state::Names;

impl<N: Names> Case<'_, N> {
    pub(super) fn idle(&self) -> What {
        if self.stack.deleting {
            return self.let_go();
        }
        match self.startable() {
            Ok(Some(next)) => match self.on_cluster() {
                Ok(_) => Decision::Do(Step::Start(next)),
                Err(first) => first,
            },
            Ok(None) => self.look_after(Wait::NextLook),
            Err(why) => self.look_after(why),
        }
    }

    /// What is on the cluster is looked at: once more after a version, and then again and again.
    fn look_after(&self, what: Wait) -> What {
        let status = &self.stack.status;
        if !self.is_entered() && status.good.is_none() && status.inventory.is_none() {
            return if what == Wait::NextLook { Decision::Converged } else { until_told(what) };
        }
        match &self.s.cluster {
            None => return until_told(Wait::ItsCluster),
            Some(cluster) if !cluster.ready => return until_told(Wait::ClusterReady),
            Some(_) => {}
        }
        match self.plan(Aim::LastGood) {
            View::Need(step) => Decision::Do(step),
            // There is nothing to compare with.
            View::Unusable if self.is_entered() => Decision::Do(Step::Leave),
            View::Unusable => until_told(Wait::Person),
            View::Plan(look, plan) if self.is_entered() => self.confirm(look, &plan),
            View::Plan(look, plan) => self.find_drift(look, &plan, what),
        }
    }

    /// What a worker sent that was lost may still arrive: who leaves the cluster has seen, later than that, that all is as it
    /// should be.
    fn confirm(&self, look: &Look<N>, plan: &Plan<N>) -> What {
        let aim = Aim::LastGood;
        if !plan.is_done() {
            let can = self.s.memory.tries <= self.rhythm.tries && !plan.next(self.rhythm.batch).is_empty();
            let step = if can { self.keep(aim, plan).unwrap_or(Step::Write(aim)) } else { Step::Leave };
            return Decision::Do(step);
        }
        if look.whole && look.at >= look.since.plus(self.rhythm.lease) {
            return Decision::Do(self.trim().unwrap_or(Step::Leave));
        }
        let next = look.at.plus(self.rhythm.lease);
        if self.now.clock >= next || !look.whole {
            return Decision::Do(Step::Look(aim));
        }
        Decision::Wait { what: Wait::Quiet, until: Some(next) }
    }

    /// What is not wanted any more is taken off the inventory.
    fn trim(&self) -> Option<Step> {
        let aim = Aim::LastGood;
        let wanted = self.s.content(self.stack.digest(aim))?.ok()?;
        let inventory = self.s.inventory(self.stack)?;
        let trimmed = inventory.trimmed(&wanted);
        if trimmed == *inventory {
            return None;
        }
        let is_stored = self.s.memory.stored.as_ref().is_some_and(|(_, stored)| **stored == trimmed);
        Some(if is_stored { Step::Record(aim) } else { Step::Store(aim) })
    }

    fn find_drift(&self, look: &Look<N>, plan: &Plan<N>, what: Wait) -> What {
        let next = look.at.plus(self.stack.wish.interval);
        if self.now.clock >= next || !look.whole {
            return Decision::Do(Step::Look(Aim::LastGood));
        }
        let memory = &self.s.memory;
        let may = self.stack.wish.repairs && !self.stack.wish.paused && memory.tries == 0;
        if may && !plan.next(self.rhythm.batch).is_empty() {
            return match self.on_cluster() {
                Err(first) => first,
                Ok(_) => until_told(what),
            };
        }
        Decision::Wait { what, until: Some(next) }
    }
}
