//! What has happened to grants.

use super::{Case, Step};
use crate::grant::{Said, ThingOf, Use, UseState};
use crate::state::Names;

impl<N: Names> Case<'_, N> {
    /// What has happened and is not recorded yet.
    pub(super) fn facts(&self) -> Option<Step<N>> {
        let uses = self.s.things().flat_map(|(thing, grant)| {
            grant.users.iter().map(move |(target, its)| (thing.clone(), target, *its))
        });
        uses.into_iter().find_map(|(thing, target, its)| self.happened(thing, target, its))
    }

    fn happened(&self, thing: ThingOf<N>, target: &N::Target, its: Use) -> Option<Step<N>> {
        if self.is_void(target, its) {
            return Some(Step::FenceOff(thing, target.clone()));
        }
        let is_given_up = matches!(
            (its.state, its.said),
            (UseState::Releasing, Some(Said::Released)) | (UseState::Deleting, Some(Said::Deleted))
        );
        is_given_up.then(|| Step::Free(thing, target.clone()))
    }

    /// Whether a fence has been in force on a target since it was granted something. A target that is not seen says nothing.
    fn is_void(&self, target: &N::Target, its: Use) -> bool {
        self.s.targets.get(target).is_some_and(|target| target.fence.epoch > its.fence)
    }
}
