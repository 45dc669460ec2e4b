//! What is brought up: volumes first, and the workloads that use them after.

use std::collections::BTreeSet;

use super::down::{FIRST, adopt};
use super::{Act, Held, Here, Known, Stage, View};
use crate::grant::{Thing, ThingOf, Use, UseState};
use crate::state::{Names, Volume};
use crate::target::FenceState;

impl<N: Names> Known<N> {
    pub(super) fn up(&self, view: &View<N>, busy: &BTreeSet<N::Namespace>) -> Option<Act<N>> {
        let mut free = view.volumes.values().filter(|volume| !busy.contains(&volume.namespace));
        let volumes = free.find_map(|volume| self.attach(view, volume));
        let mut here = self.here.iter().filter(|(name, _)| !busy.contains(*name));
        let adopted = || here.find_map(|(name, here)| self.adopt_one(view, name, here));
        let mut spaces = view.placements.keys().filter(|name| !busy.contains(*name));
        let started = || spaces.find_map(|namespace| self.start(view, namespace));
        volumes.or_else(adopted).or_else(started)
    }

    /// Whether a thing may be taken, or used on: it is granted, in the fence epoch that is accepted, and was not given up since.
    pub(super) fn may_use(&self, view: &View<N>, thing: &ThingOf<N>) -> Option<Use> {
        let fence = view.target.fence;
        let is_open = matches!(fence.state, FenceState::Open | FenceState::Requested);
        let grant = view.grant(thing).filter(|grant| grant.recovering.is_none())?;
        let its = *grant.users.get(&view.target.name)?;
        let was_given_up = self.given.get(thing).is_some_and(|given| *given >= its.epoch);
        let is_current = is_open && its.fence == fence.epoch && its.fence == self.accepted;
        (is_current && !was_given_up).then_some(its)
    }

    /// Brings a volume up; or, if it was granted to be deleted, makes it here for that.
    fn attach(&self, view: &View<N>, volume: &Volume<N>) -> Option<Act<N>> {
        let name = volume.name.clone();
        let its = self.may_use(view, &Thing::Volume(name.clone()))?;
        let held = Held { epoch: its.epoch, fence: its.fence };
        if self.here.get(&volume.namespace).is_some_and(|here| !here.ours) {
            return None;
        }
        let local = self.here.get(&volume.namespace).and_then(|here| here.volumes.get(&name));
        let is_described = volume.described.is_some();
        match (local, its.state) {
            (None, UseState::Granted | UseState::Deleting) if is_described => Some(Act::Make(name, held)),
            (None, UseState::Granted) => Some(Act::Claim(name, held)),
            (Some(local), UseState::Granted) => match local.stage {
                Stage::Idle => Some(Act::Claim(name, held)),
                Stage::Bound if !local.retained => Some(Act::Retain(name)),
                Stage::Bound if !is_described => Some(Act::Describe(name)),
                // It is made when the workloads ask for it, and described then.
                Stage::Asked => None,
                Stage::Bound | Stage::Leaving | Stage::Destroyed => None,
            },
            _ => None,
        }
    }

    fn adopt_one(&self, view: &View<N>, name: &N::Namespace, here: &Here<N>) -> Option<Act<N>> {
        let space = here.held.filter(|_| here.ours)?;
        let is_its =
            self.may_use(view, &Thing::Namespace(name.clone())).is_some_and(|its| its.epoch == space.epoch);
        here.volumes.iter().find_map(|(volume, local)| match local.held {
            None => adopt(volume, local, Held { epoch: FIRST, ..space }),
            // A hub that was restored has forgotten it; whose its namespace is, is known again.
            Some(held) if is_its && !view.volumes.contains_key(volume) => {
                adopt(volume, local, Held { epoch: held.epoch, ..space })
            }
            Some(_) => None,
        })
    }

    fn start(&self, view: &View<N>, name: &N::Namespace) -> Option<Act<N>> {
        let its = self.may_use(view, &Thing::Namespace(name.clone()))?;
        let here = self.here.get(name);
        let is_foreign = here.is_some_and(|here| !here.ours);
        let is_up = here.is_some_and(|here| here.runs);
        if its.state != UseState::Granted || is_up || is_foreign {
            return None;
        }
        let is_bound = |volume: &Volume<N>| {
            let its = self.may_use(view, &Thing::Volume(volume.name.clone()));
            let local = here.and_then(|here| here.volumes.get(&volume.name));
            local.zip(its).is_some_and(|(local, its)| {
                matches!(local.stage, Stage::Bound | Stage::Asked)
                    && its.state == UseState::Granted
                    && local.held.is_some_and(|held| held.epoch == its.epoch)
            })
        };
        let mut volumes =
            view.volumes.values().filter(|volume| volume.namespace == *name && !volume.destroyed);
        let held = Held { epoch: its.epoch, fence: its.fence };
        volumes.all(is_bound).then(|| Act::Start(name.clone(), held))
    }
}
