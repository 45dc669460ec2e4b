//! What is stopped and given up.

use std::collections::BTreeSet;

use super::{Act, Held, Here, Known, Local, Stage, View};
use crate::grant::{Epoch, Said, Thing, ThingOf, UseState};
use crate::state::Names;

/// In which epoch a volume begins that a controller of the cluster has made.
pub(super) const FIRST: Epoch = Epoch(1);

/// What becomes of something that is here.
enum Fate {
    /// It stays.
    Stays,
    /// It stays, and the hub has confirmed it.
    IsConfirmed(Held),
    /// It is given up.
    Goes,
    /// Its data is deleted.
    IsDeleted,
}

impl<N: Names> Known<N> {
    /// The next thing to do for what is not to be here any more, or is confirmed.
    pub(super) fn down(&self, view: &View<N>, busy: &BTreeSet<N::Namespace>) -> Option<Act<N>> {
        let free = || self.here.iter().filter(|(name, _)| !busy.contains(*name));
        let mut held = free().flat_map(|(name, here)| here.held_as(name));
        let confirmed = held.find_map(|(thing, held)| match fate(view, &thing, held) {
            Fate::IsConfirmed(held) => Some(Act::Confirm(thing, held)),
            _ => None,
        });
        confirmed.or_else(|| free().find_map(|(name, here)| self.leave(view, name, here)))
    }

    fn leave(&self, view: &View<N>, name: &N::Namespace, here: &Here<N>) -> Option<Act<N>> {
        if !here.ours {
            return None;
        }
        let goes = |thing: &ThingOf<N>, held| matches!(fate(view, thing, held), Fate::Goes | Fate::IsDeleted);
        let namespace_goes = here.held.is_none_or(|held| goes(&Thing::Namespace(name.clone()), held));
        let volumes = || here.volumes.iter();
        let some_volume_goes = volumes()
            .any(|(volume, local)| local.held.is_some_and(|held| goes(&Thing::Volume(volume.clone()), held)));
        if !namespace_goes && !some_volume_goes {
            return None;
        }
        if here.runs {
            return Some(Act::Stop(name.clone()));
        }
        let act = volumes().find_map(|(volume, local)| match local.held {
            Some(held) => match fate(view, &Thing::Volume(volume.clone()), held) {
                Fate::Goes => give_up(view, volume, local),
                Fate::IsDeleted => self.delete(volume, local, held),
                Fate::Stays | Fate::IsConfirmed(_) => None,
            },
            // What nobody knows of is made known before its namespace goes: else it would go with it.
            None => match local.stage {
                Stage::Asked => Some(Act::Unclaim(volume.clone())),
                _ => here.held.and_then(|held| adopt(volume, local, Held { epoch: FIRST, ..held })),
            },
        });
        act.or_else(|| (namespace_goes && here.volumes.is_empty()).then(|| Act::Clear(name.clone())))
    }

    fn delete(&self, volume: &N::Volume, local: &Local, held: Held) -> Option<Act<N>> {
        let thing = Thing::Volume(volume.clone());
        match local.stage {
            Stage::Asked | Stage::Idle | Stage::Bound | Stage::Leaving => Some(Act::Destroy(volume.clone())),
            Stage::Destroyed if self.has_given_up(&thing, held) => Some(Act::Remove(volume.clone())),
            Stage::Destroyed => Some(Act::GiveUp(thing, held.epoch)),
        }
    }

    fn has_given_up(&self, thing: &ThingOf<N>, held: Held) -> bool {
        self.given.get(thing).is_some_and(|given| *given >= held.epoch)
    }

    /// What is to be said of what was given up, and of what is up.
    pub(super) fn say(&self, view: &View<N>, busy: &BTreeSet<N::Namespace>) -> Option<Act<N>> {
        let is_busy = |thing: &ThingOf<N>| view.space_of(thing).is_some_and(|name| busy.contains(name));
        view.uses().filter(|(thing, _)| !is_busy(thing)).find_map(|(thing, its)| {
            let held = self.held_of(&thing);
            let asked = Held { epoch: its.epoch, fence: its.fence };
            match its.state {
                UseState::Granted => {
                    let is_ready = its.said != Some(Said::Ready)
                        && held.is_some_and(|held| held.epoch == its.epoch)
                        && self.is_up(view, &thing);
                    is_ready.then_some(Act::Say(thing, Said::Ready))
                }
                _ if held.is_some() => None,
                UseState::Releasing if !self.has_given_up(&thing, asked) => {
                    Some(Act::GiveUp(thing, its.epoch))
                }
                UseState::Releasing => {
                    (its.said != Some(Said::Released)).then_some(Act::Say(thing, Said::Released))
                }
                UseState::Deleting if !self.has_given_up(&thing, asked) => None,
                UseState::Deleting => {
                    (its.said != Some(Said::Deleted)).then_some(Act::Say(thing, Said::Deleted))
                }
            }
        })
    }

    fn is_up(&self, view: &View<N>, thing: &ThingOf<N>) -> bool {
        match thing {
            Thing::Namespace(name) => self
                .here
                .get(name)
                .is_some_and(|here| here.runs && here.volumes.values().all(|local| local.held.is_some())),
            Thing::Volume(volume) => {
                let local = self.here.values().find_map(|here| here.volumes.get(volume));
                let is_described = view.volumes.get(volume).is_some_and(|known| known.described.is_some());
                let is_safe = local.is_some_and(|local| local.stage == Stage::Bound && local.retained);
                is_safe && is_described
            }
        }
    }
}

/// What becomes of something that is here. It goes only by something that was seen, and that is later than it.
fn fate<N: Names>(view: &View<N>, thing: &ThingOf<N>, held: Held) -> Fate {
    let fence = view.target.fence;
    if fence.is_in_force() && fence.epoch > held.fence {
        return Fate::Goes;
    }
    let Some(grant) = view.grant(thing).filter(|grant| grant.recovering.is_none()) else {
        return Fate::Stays;
    };
    match view.use_of(thing).filter(|its| its.epoch == held.epoch) {
        Some(its) if its.fence > held.fence => Fate::IsConfirmed(Held { fence: its.fence, ..held }),
        Some(its) => match its.state {
            UseState::Granted => Fate::Stays,
            UseState::Releasing => Fate::Goes,
            UseState::Deleting => Fate::IsDeleted,
        },
        None if grant.epoch > held.epoch => Fate::Goes,
        None => Fate::Stays,
    }
}

/// A volume is given up: its data stays, and the hub knows what it is.
fn give_up<N: Names>(view: &View<N>, volume: &N::Volume, local: &Local) -> Option<Act<N>> {
    let is_described = view.volumes.get(volume).is_none_or(|known| known.described.is_some());
    match local.stage {
        Stage::Bound if !local.retained => Some(Act::Retain(volume.clone())),
        Stage::Bound if !is_described => Some(Act::Describe(volume.clone())),
        // Nothing was ever written to what is not there yet.
        Stage::Bound | Stage::Asked => Some(Act::Unclaim(volume.clone())),
        Stage::Leaving => None,
        Stage::Idle | Stage::Destroyed => Some(Act::Remove(volume.clone())),
    }
}

/// A volume of which the hub knows nothing gets a grant, in this epoch, by the fence epoch of its namespace.
pub(super) fn adopt<N: Names>(volume: &N::Volume, local: &Local, held: Held) -> Option<Act<N>> {
    match local.stage {
        // There is nothing to be adopted, yet or any more.
        Stage::Asked | Stage::Leaving | Stage::Destroyed => None,
        _ if local.retained => Some(Act::Adopt(volume.clone(), held)),
        _ => Some(Act::Retain(volume.clone())),
    }
}
