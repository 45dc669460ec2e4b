//! Epochs, tenures and generations, counted anew: nobody calculates with them, and what is equal or greater stays so. And what nobody
//! can come back to is forgotten.

use bowline_placements::{Grant, Object};

use super::deeds::RESTORES;
use super::names::{self, PLACEMENT, TARGETS, VOLUMES, target_slot};
use super::seen::Seen;
use super::site::Site;
use crate::harness::{NODES, State};
use crate::tiny::Tiny;

/// The numbers that are known of one thing.
#[derive(Default, Clone, Copy)]
struct Numbers(u64);

impl Numbers {
    fn see(&mut self, number: u64) {
        assert!(number < 64, "numbers are small in normal form");
        self.0 |= 1 << number;
    }

    /// How many smaller ones are known; 0 is the first, or none, and stays.
    fn rank(self, number: u64) -> u64 {
        let smaller = self.0 & ((1 << number) - 1) & !1;
        if number == 0 { 0 } else { u64::from(smaller.count_ones()) + 1 }
    }
}

/// What numbers are of.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// Grants of a thing, by its place.
    Epoch(u8),
    /// Fences of a target.
    Fence(u8),
    /// Tenures of a target's syncer.
    Tenure(u8),
    /// What is wanted of the placement.
    Generation,
}

/// How many kinds of numbers there are.
const ALL: usize = 2 + VOLUMES as usize + 2 * TARGETS as usize;

impl Of {
    fn place(self) -> usize {
        match self {
            Of::Generation => 0,
            Of::Epoch(slot) => 1 + usize::from(slot),
            Of::Fence(target) => 1 + usize::from(VOLUMES + target),
            Of::Tenure(target) => 1 + usize::from(VOLUMES + TARGETS + target),
        }
    }
}

pub(super) fn normal(s: &mut State) {
    forget(s);
    let mut known = [Numbers::default(); ALL];
    // What is in the backup has the first number of everything.
    if s.people[usize::from(RESTORES)] > 0 {
        known.iter_mut().for_each(|numbers| numbers.see(1));
    }
    each(s, &mut |of, number| known[of.place()].see(*number));
    each(s, &mut |of, number| *number = known[of.place()].rank(*number));
}

/// What nobody can come back to: what was read in another tenure, that somebody came back who has said so, and that something
/// was given up which nobody has on record.
fn forget(s: &mut State) {
    let truth = s.truth();
    for me in 1..=TARGETS {
        let Some(flat) = truth[usize::from(target_slot(me))] else { continue };
        let target = names::target_of(me, flat);
        let mut site = Site::of(s.nodes[usize::from(me) - 1]);
        let has_said = target.report.is_some_and(|report| report.tenure == u64::from(site.tenure));
        site.was_lapsed &= !has_said && target.wish.enforces;
        if s.people[usize::from(RESTORES)] == 0 {
            for slot in 0..=VOLUMES {
                let given = &mut site.given[usize::from(slot)];
                if *given > 0 && !is_on_record(s, me, slot, *given) {
                    *given = 0;
                }
            }
        }
        s.nodes[usize::from(me) - 1] = site.bits();
        if let Some(place) = view_of(s, me)
            && Seen::of(s.nodes[place], false).tenure != site.tenure
        {
            s.nodes[place] = Seen::nothing(false).bits();
        }
    }
}

/// Where it stands what a syncer has read, if it does not see everything as it is.
fn view_of(s: &State, me: u8) -> Option<usize> {
    let place = usize::from(me) + 1;
    (place < NODES && s.nodes[place] & 3 == 2).then_some(place)
}

/// Whether anybody knows of a grant to a target, in an epoch up to this one.
fn is_on_record(s: &State, me: u8, slot: u8, given: u8) -> bool {
    let mut found = false;
    let mut copy = *s;
    copy.each_flat(|place, flat| {
        if place == slot && !found {
            let object = names::object(place, *flat);
            let its = object.grant().and_then(|(_, grant)| grant.users.get(&me).copied());
            found = its.is_some_and(|its| its.epoch.0 <= u64::from(given));
        }
    });
    let seen = view_of(s, me).map(|place| Seen::of(s.nodes[place], false));
    let mine = seen.and_then(|seen| seen.parts[usize::from(slot)]).and_then(|share| share.mine);
    found || mine.is_some_and(|mine| mine.epoch.0 <= u64::from(given))
}

pub(super) fn each(s: &mut State, visit: &mut dyn FnMut(Of, &mut u64)) {
    s.each_flat(|slot, flat| {
        let mut object = names::object(slot, *flat);
        each_in(slot, &mut object, visit);
        *flat = names::flat(&object);
    });
    for me in 1..=TARGETS {
        let place = usize::from(me) - 1;
        if s.nodes[place] & 3 == 1 {
            let mut site = Site::of(s.nodes[place]);
            each_at(me, &mut site, visit);
            s.nodes[place] = site.bits();
        }
        if let Some(place) = view_of(s, me) {
            let mut seen = Seen::of(s.nodes[place], false);
            each_seen(me, &mut seen, visit);
            s.nodes[place] = seen.bits();
        }
    }
}

fn each_at(me: u8, site: &mut Site, visit: &mut dyn FnMut(Of, &mut u64)) {
    narrow(&mut site.tenure, &mut |tenure| visit(Of::Tenure(me), tenure));
    narrow(&mut site.accepted, &mut |epoch| visit(Of::Fence(me), epoch));
    for (slot, given) in (0..).zip(&mut site.given) {
        narrow(given, &mut |epoch| visit(Of::Epoch(slot), epoch));
    }
    site.each_held(|slot, held| {
        visit(Of::Epoch(slot), &mut held.epoch.0);
        visit(Of::Fence(me), &mut held.fence.0);
    });
}

fn each_seen(me: u8, seen: &mut Seen, visit: &mut dyn FnMut(Of, &mut u64)) {
    narrow(&mut seen.tenure, &mut |tenure| visit(Of::Tenure(me), tenure));
    visit(Of::Fence(me), &mut seen.fence.1.0);
    for (slot, share) in (0..).zip(&mut seen.parts) {
        let Some(share) = share else { continue };
        visit(Of::Epoch(slot), &mut share.epoch.0);
        if let Some(mine) = &mut share.mine {
            visit(Of::Epoch(slot), &mut mine.epoch.0);
            visit(Of::Fence(me), &mut mine.fence.0);
        }
    }
}

fn narrow(small: &mut u8, visit: &mut dyn FnMut(&mut u64)) {
    let mut number = u64::from(*small);
    visit(&mut number);
    *small = number as u8;
}

fn each_in(slot: u8, object: &mut Object<Tiny>, visit: &mut dyn FnMut(Of, &mut u64)) {
    match object {
        Object::Placement(placement) => {
            visit(Of::Generation, &mut placement.generation);
            if let Some(told) = &mut placement.told {
                visit(Of::Generation, &mut told.observed);
            }
            each_of_grant(PLACEMENT, &mut placement.grant, visit);
        }
        Object::Volume(volume) => each_of_grant(slot, &mut volume.grant, visit),
        Object::Target(target) => {
            let me = target.name;
            visit(Of::Fence(me), &mut target.fence.epoch.0);
            if let Some(report) = &mut target.report {
                visit(Of::Fence(me), &mut report.fence.0);
                visit(Of::Tenure(me), &mut report.tenure);
                for (thing, epoch) in &mut report.uses {
                    visit(Of::Epoch(names::thing_slot(thing)), &mut epoch.0);
                }
            }
        }
        Object::Claim(_) => {}
    }
}

fn each_of_grant(slot: u8, grant: &mut Grant<Tiny>, visit: &mut dyn FnMut(Of, &mut u64)) {
    visit(Of::Epoch(slot), &mut grant.epoch.0);
    for (target, its) in &mut grant.users {
        visit(Of::Epoch(slot), &mut its.epoch.0);
        visit(Of::Fence(*target), &mut its.fence.0);
    }
}

/// The greatest number of each kind that anybody knows.
pub(super) fn greatest(s: &State) -> impl Fn(Of) -> u64 + use<> {
    let mut most = [0; ALL];
    let mut copy = *s;
    each(&mut copy, &mut |of, number| most[of.place()] = most[of.place()].max(*number));
    move |of| most[of.place()]
}
