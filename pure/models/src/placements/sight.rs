//! A town as somebody sees it who sees everything.

use bowline_placements::syncer::Held;
use bowline_placements::{FenceState, FenceWish, Grant, Placement, Said, Target, Thing, UseState, Volume};

use super::Town;
use super::names::{self, PLACEMENT, Part, TARGETS, VOLUMES, target_slot};
use super::site::{Link, Site};
use crate::harness::State;
use crate::tiny::Tiny;

/// A target, and what is in its cluster.
pub(super) struct Place {
    pub(super) name: u8,
    pub(super) target: Target<Tiny>,
    pub(super) site: Site,
}

impl Place {
    pub(super) fn all(s: &State) -> Vec<Place> {
        let truth = s.truth();
        let place = |name: u8| {
            let flat = truth[usize::from(target_slot(name))]?;
            let site = Site::of(s.nodes[usize::from(name) - 1]);
            Some(Place { name, target: names::target_of(name, flat), site })
        };
        (1..=TARGETS).filter_map(place).collect()
    }

    pub(super) fn is_up(&self) -> bool {
        self.site.link == Link::Up
    }

    /// Whether something can be placed there.
    fn is_available(&self) -> bool {
        self.is_up() && self.target.fence.state == FenceState::Open && !self.target.wish.drains
    }

    /// Whether it can neither be asked to give something up, nor is it taken away.
    fn is_lost(&self) -> bool {
        !self.is_up() && !self.target.fence.is_in_force()
    }
}

pub(super) struct Sight<'a> {
    town: &'a Town,
    pub(super) placement: Option<Placement<Tiny>>,
    pub(super) volumes: [Option<Volume<Tiny>>; VOLUMES as usize],
    pub(super) places: Vec<Place>,
}

impl Sight<'_> {
    pub(super) fn of<'a>(town: &'a Town, s: &State) -> Sight<'a> {
        let truth = s.truth();
        Sight {
            town,
            placement: truth[usize::from(PLACEMENT)].map(names::placement_of),
            volumes: std::array::from_fn(|at| truth[at + 1].map(|flat| names::volume_of(at as u8 + 1, flat))),
            places: Place::all(s),
        }
    }

    /// Everything that can be granted, and who has it.
    pub(super) fn things(&self) -> impl Iterator<Item = (Part, Option<&Grant<Tiny>>)> {
        let space = self.placement.as_ref().map(|placement| &placement.grant);
        let volumes = (1..)
            .zip(&self.volumes)
            .map(|(name, volume)| (Thing::Volume(name), volume.as_ref().map(|volume| &volume.grant)));
        std::iter::once((names::SPACE, space)).chain(volumes)
    }

    /// Who can use a volume. Of those that it enforces epochs against, only who has the greatest.
    pub(super) fn users(&self, volume: u8) -> impl Iterator<Item = &Place> {
        let epoch = move |place: &Place| {
            let held = place.site.local(volume).filter(|_| place.site.uses(volume))?.held?;
            Some(held.epoch)
        };
        let most = self.places.iter().filter_map(epoch).max();
        self.places.iter().filter(move |place| {
            let is_refused = self.town.enforces && epoch(place) != most;
            place.site.uses(volume) && !place.site.blocked && !is_refused
        })
    }

    /// Whether a cluster may stop what runs there.
    pub(super) fn may_stop(&self, place: &Place) -> bool {
        let is_over = |(thing, held): &(Part, Held)| {
            let grant = self.things().find(|(other, _)| other == thing).and_then(|(_, grant)| grant);
            let is_granted = grant
                .and_then(|grant| grant.users.get(&place.name))
                .is_some_and(|its| its.epoch == held.epoch && its.state == UseState::Granted);
            grant.is_some() && !is_granted
        };
        let fence = place.target.fence;
        let held = place.site.held();
        held.iter().any(is_over)
            || held.iter().any(|(_, held)| held.fence < fence.epoch)
            || self.town.enforces && !place.site.has_lease()
    }

    /// Where the namespace is wanted: where people want it, or where it is to be.
    fn wanted(&self) -> Option<u8> {
        let placement = self.placement.as_ref()?;
        if self.town.chosen { placement.desired } else { placement.wish.pinned }
    }

    /// Whether the namespace is where it is wanted, with all of its volumes, and nowhere else.
    pub(super) fn is_done(&self) -> bool {
        let (Some(placement), Some(wanted)) = (&self.placement, self.wanted()) else { return false };
        let is_ready = |grant: &Grant<Tiny>| {
            grant
                .users
                .get(&wanted)
                .is_some_and(|its| its.state == UseState::Granted && its.said == Some(Said::Ready))
        };
        let volumes = self.volumes.iter().flatten().filter(|volume| !volume.destroyed);
        let is_here = |place: &Place| {
            let uses = |name: u8| place.site.uses(name) == (place.name == wanted);
            let volumes = self.volumes.iter().flatten().filter(|volume| !volume.destroyed);
            place.site.runs() == (place.name == wanted) && volumes.map(|volume| volume.name).all(uses)
        };
        !placement.deleting
            && is_ready(&placement.grant)
            && volumes.map(|volume| &volume.grant).all(is_ready)
            // Who is fenced, or not heard of, may have what it had.
            && self.places.iter().all(|place| !place.is_up() && place.name != wanted || is_here(place))
    }

    /// Who has something, or may have.
    fn concerned(&self) -> impl Iterator<Item = &Place> {
        let is_its = |place: &&Place| {
            self.things().filter_map(|(_, grant)| grant).any(|grant| {
                let mut awaits = grant.recovering.iter().flat_map(|recovery| &recovery.awaits);
                grant.users.contains_key(&place.name) || awaits.any(|target| *target == place.name)
            })
        };
        self.places.iter().filter(is_its)
    }

    /// Whether a namespace cannot come to where it is wanted.
    pub(super) fn is_excused(&self) -> bool {
        let Some(placement) = &self.placement else { return true };
        let is_unknown = self.volumes.iter().flatten().any(Volume::is_unknown);
        let wanted = self.places.iter().find(|place| Some(place.name) == self.wanted());
        let nowhere = if self.town.chosen {
            !self.places.iter().any(Place::is_available)
        } else {
            wanted.is_none_or(|place| !place.is_available())
        };
        placement.deleting
            || placement.doomed
            || is_unknown
            || nowhere
            || wanted.is_some_and(|place| !place.is_up())
            || self.concerned().any(Place::is_lost)
    }

    /// Whether a namespace that is deleted cannot go.
    pub(super) fn end_is_excused(&self) -> bool {
        let is_unknown = self.volumes.iter().flatten().any(Volume::is_unknown);
        is_unknown || self.concerned().any(Place::is_lost) || !self.places.iter().any(Place::is_available)
    }

    pub(super) fn recovering(&self) -> Option<Part> {
        let mut all =
            self.things().filter(|(_, grant)| grant.is_some_and(|grant| grant.recovering.is_some()));
        all.next().map(|(thing, _)| thing)
    }

    /// Whether somebody is to give something up who is not heard of, as the hub knows.
    pub(super) fn waits_for_contact(&self) -> bool {
        let Some(placement) = self.placement.as_ref().filter(|placement| !placement.deleting) else {
            return false;
        };
        self.places.iter().any(|place| {
            let mut users = self.things().filter_map(|(_, grant)| grant?.users.get(&place.name));
            place.target.lapsed.is_some()
                && placement.desired != Some(place.name)
                && !place.target.fence.is_in_force()
                && users.next().is_some()
        })
    }

    /// Whether a target has nothing but what it is granted, and no fence that nobody wants.
    pub(super) fn is_clean(&self, place: &Place) -> bool {
        let is_granted = |(thing, held): &(Part, Held)| {
            let grant = self.things().find(|(other, _)| other == thing).and_then(|(_, grant)| grant);
            grant.is_some_and(|grant| {
                let its = grant.users.get(&place.name);
                grant.recovering.is_some() || its.is_some_and(|its| its.epoch == held.epoch)
            })
        };
        let site = &place.site;
        let is_open = place.target.fence.state == FenceState::Open;
        let is_empty = site.space.is_none() || !site.held().is_empty();
        site.held().iter().all(is_granted)
            && is_empty
            && (is_open || place.target.wish.fence != FenceWish::Open)
    }
}

/// Whether the namespace is in the first cluster.
pub(crate) fn is_on_first(s: &State) -> bool {
    Site::of(s.nodes[0]).space.is_some()
}

/// Whether the namespace is nowhere, because the target that people want has a fence.
pub(crate) fn waits_for_a_fence(s: &State) -> bool {
    let Some(placement) = s.truth()[usize::from(PLACEMENT)].map(names::placement_of) else { return false };
    let wanted = Place::all(s).into_iter().find(|place| Some(place.name) == placement.wish.pinned);
    let is_kept_off = wanted.is_some_and(|place| place.target.fence.state != FenceState::Open);
    is_kept_off && placement.grant.users.is_empty()
}

/// Whether the namespace is ready where people want it.
pub(crate) fn has_arrived(s: &State) -> bool {
    let Some(placement) = s.truth()[usize::from(PLACEMENT)].map(names::placement_of) else { return false };
    let its = placement.wish.pinned.and_then(|wanted| placement.grant.users.get(&wanted).copied());
    its.is_some_and(|its| its.said == Some(Said::Ready))
}
