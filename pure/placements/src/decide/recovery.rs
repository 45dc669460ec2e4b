//! What a restore of the hub has left open.

use std::collections::BTreeMap;

use super::{Case, Step, Wait};
use crate::grant::{Epoch, Grant, Recovery, Thing, ThingOf, Use, UseState};
use crate::state::Names;
use crate::target::{FenceState, Target};

impl<N: Names> Case<'_, N> {
    /// Who uses what is found out first: until then nothing is granted or released.
    pub(super) fn recovery(&self) -> Option<Result<Step<N>, Wait<N>>> {
        let (thing, recovery) =
            self.s.things().find_map(|(thing, grant)| Some((thing, grant.recovering.as_ref()?)))?;
        let silent = recovery.awaits.iter().find(|target| !self.has_reported(target, recovery));
        Some(match silent {
            Some(target) => Err(Wait::Report(target.clone())),
            None => Ok(Step::Adopt(thing)),
        })
    }

    /// Whether a target has said what it uses, or cannot use anything. One that is not known any more cannot be asked.
    fn has_reported(&self, target: &N::Target, recovery: &Recovery<N>) -> bool {
        self.s.targets.get(target).is_none_or(|target| {
            let said = target.report.as_ref().map_or(0, |report| report.restore);
            said >= recovery.restore || target.fence.state == FenceState::Fenced
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
        let its = |(target, epoch): &(&Target<N>, Epoch)| {
            let its = Use { epoch: *epoch, fence: target.fence.epoch, state: UseState::Granted, said: None };
            (target.name.clone(), its)
        };
        let users: BTreeMap<_, _> = said.iter().filter(is_kept).map(its).collect();
        Grant { epoch: grant.epoch.max(most), users, recovering: None }
    }

    /// Whether several targets may use a thing at once.
    pub(crate) fn is_shared(&self, thing: &ThingOf<N>) -> bool {
        match thing {
            Thing::Namespace(_) => false,
            Thing::Volume(volume) => self.s.volumes.get(volume).is_some_and(|volume| volume.shared),
        }
    }
}
