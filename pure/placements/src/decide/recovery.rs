//! What a restore of the hub has left open.

use std::collections::BTreeMap;

use super::{Case, Step, Wait};
use crate::grant::{Epoch, Grant, Recovery, Thing, ThingOf, Use, UseState};
use crate::snapshot::Survey;
use crate::state::Names;
use crate::target::{FenceState, Target};

impl<N: Names> Case<'_, N> {
    /// Who uses what is found out first: until then nothing is granted or released.
    pub(super) fn recovery(&self) -> Option<Result<Step<N>, Wait<N>>> {
        self.s.things().find_map(|(thing, grant)| match &grant.recovering {
            _ if grant.knows_of() < self.restored() && !self.is_being_adopted(&thing) => {
                Some(Ok(self.open(thing)))
            }
            Some(recovery) => {
                let silent = recovery.awaits.iter().find(|name| !self.has_reported(name, recovery));
                Some(silent.map_or(Ok(Step::Adopt(thing)), |silent| Err(Wait::Report(silent.clone()))))
            }
            None => None,
        })
    }

    /// Whether a syncer has made a grant for what is in its cluster, and is about to say so: nobody else is granted it.
    fn is_being_adopted(&self, thing: &ThingOf<N>) -> bool {
        let Thing::Volume(name) = thing else { return false };
        self.s.volumes.get(name).is_some_and(|volume| volume.is_unknown() && volume.grant == Grant::default())
    }

    /// The last restore that some target knows of.
    fn restored(&self) -> u64 {
        self.s.targets.values().map(|target| target.restore).max().unwrap_or(0)
    }

    /// All targets are asked: so all have to be known, as they are after that restore.
    fn open(&self, thing: ThingOf<N>) -> Step<N> {
        let survey = self.s.memory.survey.as_ref();
        let is_fresh = |survey: &Survey<N>| {
            let mut known = survey.candidates.iter().map(|candidate| candidate.target.restore);
            self.now.clock < survey.at.plus(self.rhythm.survey) && known.any(|known| known >= self.restored())
        };
        if survey.is_some_and(is_fresh) { Step::Recover(thing) } else { Step::Survey }
    }

    /// Leaves open who uses something.
    pub(crate) fn recover(&self, grant: &mut Grant<N>) {
        let all = self.s.memory.survey.iter().flat_map(|survey| &survey.candidates);
        let awaits = all.map(|candidate| candidate.target.name.clone()).collect();
        let above = self.rhythm.jump.above(grant.epoch, self.now.wall);
        grant.recover(Recovery { restore: self.restored(), awaits }, above);
    }

    /// Whether a target has said what it uses, or cannot use anything. One that is not known any more cannot be asked; one that was not
    /// asked yet has said nothing, and what is known of its fence is of before.
    fn has_reported(&self, target: &N::Target, recovery: &Recovery<N>) -> bool {
        self.s.targets.get(target).is_none_or(|target| {
            let said = target.report.as_ref().map_or(0, |report| report.restore);
            let is_fenced = target.fence.state == FenceState::Fenced;
            target.restore >= recovery.restore && (said >= recovery.restore || is_fenced)
        })
    }

    /// The grant of a thing, after all who may use it have said so: who uses it in the greatest epoch keeps it.
    pub(crate) fn adopted(&self, thing: &ThingOf<N>, grant: &Grant<N>, shared: bool) -> Grant<N> {
        let awaits = grant.recovering.iter().flat_map(|recovery| &recovery.awaits);
        let said: Vec<_> = awaits
            .filter_map(|name| self.s.targets.get(name))
            .filter_map(|target| Some((target, *target.report.as_ref()?.uses.get(thing)?)))
            .collect();
        let most = said.iter().map(|(_, epoch)| *epoch).max().unwrap_or_default();
        let is_kept = |(target, epoch): &&(&Target<N>, Epoch)| {
            target.fence.state != FenceState::Fenced && (shared || *epoch == most)
        };
        // What is to be given up, or deleted, in the very epoch in which it is used stays so.
        let leaves = |target: &Target<N>, epoch| {
            let its = grant.users.get(&target.name).filter(|its| its.epoch == epoch);
            its.filter(|its| its.state != UseState::Granted).copied()
        };
        let its = |(target, epoch): &(&Target<N>, Epoch)| {
            let fence = target.fence.epoch;
            let kept = Use { epoch: *epoch, fence, state: UseState::Granted, said: None };
            (target.name.clone(), leaves(target, *epoch).map_or(kept, |its| Use { fence, ..its }))
        };
        let users: BTreeMap<_, _> = said.iter().filter(is_kept).map(its).collect();
        Grant { epoch: grant.epoch.max(most), users, recovering: None, restore: grant.knows_of() }
    }
}
