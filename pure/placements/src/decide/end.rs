//! The end of a placement. Data is deleted only if a person deletes the namespace, and only by who has it.

use super::choice::against;
use super::{Case, Next, Step, Wait};
use crate::grant::{Thing, UseState};
use crate::state::{Names, Volume};

impl<N: Names> Case<'_, N> {
    pub(super) fn end(&self) -> Next<N> {
        let namespace = Thing::Namespace(self.placement.name.clone());
        let runs = self.placement.grant.users.iter().find(|(_, its)| its.state == UseState::Granted);
        if let Some((user, _)) = runs {
            return Ok(Step::Release(namespace, user.clone()));
        }
        if self.placement.doomed {
            for volume in self.s.volumes.values() {
                if let Err(next) = self.destroy(volume) {
                    return next;
                }
            }
            return self.end_of_namespace();
        }
        // The volumes stay, for whoever places the namespace again.
        if let Some(step) = self.release(|_| true) {
            return Ok(step);
        }
        match self.s.things().find_map(|(thing, grant)| Some((thing, grant.holder()?))) {
            Some((thing, user)) => Err(Some(self.given_up(thing, user))),
            None => Ok(Step::LetGo),
        }
    }

    fn end_of_namespace(&self) -> Next<N> {
        if let Some(volume) = self.s.volumes.values().next() {
            let name = volume.name.clone();
            return Ok(if volume.deleting { Step::Dismiss(name) } else { Step::Discard(name) });
        }
        match self.placement.grant.holder() {
            Some(user) => Err(Some(self.given_up(Thing::Namespace(self.placement.name.clone()), user))),
            None => Ok(Step::LetGo),
        }
    }

    /// What is to be done until a volume's data is deleted.
    fn destroy(&self, volume: &Volume<N>) -> Result<(), Next<N>> {
        let thing = Thing::Volume(volume.name.clone());
        let mut users = volume.grant.users.iter();
        let last = users.next_back();
        if let Some((user, _)) = users.find(|(_, its)| its.state == UseState::Granted) {
            return Err(Ok(Step::Release(thing, user.clone())));
        }
        let is_over = volume.destroyed || volume.abandoned || !may_exist(volume);
        match last {
            // The last one deletes: nobody else has it any more.
            Some((user, its)) if its.state == UseState::Granted => Err(match volume.grant.holder() {
                Some(other) if other != user => Err(Some(self.given_up(thing, other))),
                _ if is_over => Ok(Step::Release(thing, user.clone())),
                _ => Ok(Step::Destroy(volume.name.clone(), user.clone())),
            }),
            Some((user, _)) => Err(Err(Some(self.given_up(thing, user)))),
            None if is_over => Ok(()),
            None => Err(self.grant_for_deletion(volume)),
        }
    }

    /// With nobody who has it, a target that reaches it is granted it for deletion only.
    fn grant_for_deletion(&self, volume: &Volume<N>) -> Next<N> {
        if volume.is_unknown() {
            return Err(Some(Wait::Described(volume.name.clone())));
        }
        let named = volume.only.iter().chain(&self.placement.desired).chain(&self.placement.wish.pinned);
        let mut known = named.filter_map(|name| self.s.targets.get(name));
        let reaches = |name: &N::Target| volume.only.as_ref().is_none_or(|only| only == name);
        if let Some(target) = known.find(|target| against(target).is_none() && reaches(&target.name)) {
            return Ok(Step::GrantForDeletion(volume.name.clone(), target.name.clone()));
        }
        let survey = self.s.memory.survey.as_ref();
        let Some(survey) = survey.filter(|survey| self.now.clock < survey.at.plus(self.rhythm.survey)) else {
            return Ok(Step::Survey);
        };
        let all = survey.candidates.iter().map(|candidate| &candidate.target);
        // What is named has been looked at.
        let mut others = all.filter(|target| self.placement.desired.as_ref() != Some(&target.name));
        match others.find(|target| against(target).is_none() && reaches(&target.name)) {
            Some(target) => Ok(Step::Desire(target.name.clone())),
            None => Err(Some(Wait::Reach(volume.name.clone()))),
        }
    }
}

/// Whether there may be data.
fn may_exist<N: Names>(volume: &Volume<N>) -> bool {
    volume.described.is_some() || volume.unknown || !volume.grant.users.is_empty()
}
