//! The way of a namespace to where it is to be: everything is given up elsewhere, volumes are granted there, and then the
//! namespace itself.

use super::choice::{Choice, against};
use super::{Case, Next, Refusal, Step, Wait};
use crate::grant::{Grant, Said, Thing, ThingOf, UseState};
use crate::state::{Names, Volume};
use crate::target::FenceState;

impl<N: Names> Case<'_, N> {
    pub(super) fn course(&self) -> Next<N> {
        let (target, note) = match self.choice() {
            Choice::At(target, note) => (target, note),
            Choice::Nowhere(wait) => return Err(Some(wait)),
            Choice::After(step) => return Ok(step),
        };
        if self.placement.desired.as_ref() != Some(&target) {
            return Ok(Step::Desire(target));
        }
        // A syncer gives a namespace up after all of its volumes: who has begun to goes on, also where it is wanted again.
        let its = |user: &N::Target| self.placement.grant.users.get(user);
        let is_leaving = |user: &N::Target| its(user).is_some_and(|its| its.state != UseState::Granted);
        if let Some(step) = self.release(|user| *user != target || is_leaving(user)) {
            return Ok(step);
        }
        for volume in self.s.volumes.values().filter(|volume| !volume.destroyed) {
            if !volume.grant.is_granted_to(&target) {
                return self.grant_volume(volume, &target);
            }
        }
        let grant = &self.placement.grant;
        if !grant.is_granted_to(&target) {
            let thing = Thing::Namespace(self.placement.name.clone());
            return match grant.holder() {
                Some(user) => Err(Some(self.given_up(thing, user))),
                None => self.may_grant(&target).map(|()| Step::Grant(thing, target)),
            };
        }
        let is_ready = grant.users.get(&target).is_some_and(|its| its.said == Some(Said::Ready));
        Err(note.or_else(|| (!is_ready).then_some(Wait::Ready(target))))
    }

    /// Takes the first thing from a user that is not to have it.
    pub(super) fn release(&self, leaves: impl Fn(&N::Target) -> bool) -> Option<Step<N>> {
        self.s.things().find_map(|(thing, grant)| {
            let granted = grant.users.iter().filter(|(_, its)| its.state == UseState::Granted);
            let mut leaving = granted.map(|(user, _)| user).filter(|user| leaves(user));
            leaving.next().map(|user| Step::Release(thing, user.clone()))
        })
    }

    fn grant_volume(&self, volume: &Volume<N>, target: &N::Target) -> Next<N> {
        let thing = Thing::Volume(volume.name.clone());
        if let Some(user) = blocks(&volume.grant, volume.shared, target) {
            return Err(Some(self.given_up(thing, user)));
        }
        if volume.only.as_ref().is_some_and(|only| only != target) {
            let tied = Refusal::Tied(volume.name.clone());
            return Err(Some(Wait::Unavailable(target.clone(), tied)));
        }
        if volume.is_unknown() {
            return Err(Some(Wait::Described(volume.name.clone())));
        }
        self.may_grant(target).map(|()| Step::Grant(thing, target.clone()))
    }

    /// Whether something can be granted to a target. What comes there all the same, because its fence was seen too late, is void.
    pub(super) fn may_grant(&self, target: &N::Target) -> Result<(), Option<Wait<N>>> {
        let refusal = match self.s.targets.get(target) {
            None => Some(Refusal::Unknown),
            Some(target) if target.fence.state != FenceState::Open || target.deleting => against(target),
            Some(_) => None,
        };
        refusal.map_or(Ok(()), |refusal| Err(Some(Wait::Unavailable(target.clone(), refusal))))
    }

    /// What is waited for until somebody has given something up.
    pub(super) fn given_up(&self, thing: ThingOf<N>, user: &N::Target) -> Wait<N> {
        match self.s.targets.get(user) {
            Some(target) if target.fence.state == FenceState::Requested => Wait::Fence(user.clone()),
            Some(target) if target.lapsed.is_some() => Wait::Contact(thing, user.clone()),
            _ => Wait::Released(thing, user.clone()),
        }
    }
}

/// Who has to give something up before it can be granted to a target.
fn blocks<'a, N: Names>(grant: &'a Grant<N>, shared: bool, target: &N::Target) -> Option<&'a N::Target> {
    grant.users.keys().find(|user| !shared || *user == target)
}
