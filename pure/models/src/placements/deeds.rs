//! What syncers do, what becomes of their links, how fences are decided, and what people want.

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Write};
use bowline_placements::syncer::{Act, Idle, Local, Stage};
use bowline_placements::{
    FenceMemory, FenceReply, FenceSnapshot, FenceStep, FenceWish, Look, Object, Pulse, Said, Target,
};

use super::Town;
use super::names::{self, OPEN, PLACEMENT, Part, SHUT, TARGETS, target_slot, thing_slot};
use super::restore::RECOVER;
use super::seen::Seen;
use super::shape::{FENCES, Next};
use super::site::{Link, Site};
use crate::harness::{Deed, Edit, Flat, Objects, State, Who};
use crate::tiny::{Tiny, Words};

pub(super) const MOVES: u8 = 0;
pub(super) const DELETES: u8 = 1;
pub(super) const CUTS: u8 = 2;
pub(super) const FENCINGS: u8 = 3;
pub(super) const RESTORES: u8 = 4;

/// What each of the syncers does to what is not its own target, by name.
const SAYS: [&str; 3] = ["FirstSays", "SecondSays", "ThirdSays"];
const DESCRIBES: [&str; 3] = ["FirstDescribes", "SecondDescribes", "ThirdDescribes"];
/// And what it notices, if it sees every object by itself.
const NOTICES: [&str; 4] = ["NoticePlacement", "NoticeVolume1", "NoticeVolume2", "NoticeTarget"];

/// Whenever a fence is decided, a lease has lapsed for long enough, if it has.
const NOW: Moment = Moment {
    clock: Millis(1 << 30),
    wall: Millis(1 << 30),
    epoch: bowline_control::lease::Epoch(1),
    handed: false,
};

/// What a syncer goes by: what is in its cluster, what it has read, and what it could read.
pub(super) struct Syncer {
    pub(super) me: u8,
    pub(super) site: Site,
    pub(super) seen: Seen,
    pub(super) now: Seen,
    pub(super) target: Target<Tiny>,
}

impl Town {
    pub(super) fn syncer(&self, objects: &Objects, s: &State, me: u8) -> Syncer {
        let Some(flat) = objects[usize::from(target_slot(me))] else {
            unreachable!("nobody deletes targets")
        };
        let site = Site::of(s.nodes[usize::from(me) - 1]);
        let now = Seen::now(objects, me, site.tenure);
        let seen = match self.view_place(me) {
            Some(place) => Seen::of(s.nodes[place], self.enforces).with_words(&now),
            None if site.link == Link::Up => now.clone(),
            None => Seen::nothing(self.enforces),
        };
        Syncer { me, site, seen, now, target: names::target_of(me, flat) }
    }

    /// What a syncer does next.
    pub(super) fn next_act(&self, syncer: &Syncer) -> Next {
        self.act_at(syncer, &syncer.site)
    }

    fn act_at(&self, syncer: &Syncer, site: &Site) -> Next {
        (self.shape.act)(&site.known(syncer.me, &syncer.seen, syncer.target.report.clone()))
    }

    /// What a syncer or its nodes do in its cluster; not what it tells the hub.
    fn local(&self, syncer: &Syncer, site: &Site) -> Option<(Site, &'static str)> {
        match self.act_at(syncer, site) {
            Ok(act) => Some((site.after(&act)?, act_name(&act))),
            Err(Idle::Detached(_)) => Some((site.detached()?, "Detach")),
            Err(_) => None,
        }
    }

    /// A cluster whose syncer has done all that it can do there. Nobody sees what is in between, unless steps are apart; but that a
    /// volume is made, or deleted, is seen.
    fn settled(&self, syncer: &Syncer, site: &Site) -> Option<(Site, &'static str)> {
        let (mut after, about) = self.local(syncer, site)?;
        if self.stepwise {
            return Some((after, about));
        }
        let mut before = site.clone();
        while !is_watched(&before, &after)
            && let Some((next, _)) = self.local(syncer, &after)
        {
            before = std::mem::replace(&mut after, next);
        }
        Some((after, "Act"))
    }

    pub(super) fn by_syncer(&self, objects: &Objects, s: &State, me: u8, out: &mut Vec<Deed>) {
        let syncer = self.syncer(objects, s, me);
        let mut may = |who, what, about| out.push(Deed { who, what, slot: target_slot(me), about });
        let becomes = |after: Site| Edit::Node(me - 1, after.bits());
        if let Some((after, about)) = self.settled(&syncer, &syncer.site) {
            may(Who::Runner, becomes(after), about);
        }
        if syncer.site.link == Link::Up
            && let Some(place) = self.view_place(me)
        {
            let reads = |seen: Seen| Edit::Node(place as u8, seen.bits());
            match self.next_act(&syncer) {
                Ok(Act::Read) => may(Who::Runner, reads(syncer.now.clone()), "Read"),
                _ => self.notices(&syncer, &mut |seen, about| may(Who::Runner, reads(seen), about)),
            }
        }
        self.of_link(&syncer, &mut |who, after, about| may(who, becomes(after), about));
        if syncer.site.link == Link::Up {
            self.tells(objects, &syncer, out);
        }
    }

    /// A syncer is shown what it has not read yet: everything at once, or each object by itself.
    fn notices(&self, syncer: &Syncer, may: &mut dyn FnMut(Seen, &'static str)) {
        let Syncer { seen, now, .. } = syncer;
        let slots = 0..=now.parts.len() as u8;
        let stale: Vec<_> = slots.filter(|slot| !seen.is_current(now, *slot)).collect();
        if !self.apart && !stale.is_empty() {
            may(now.clone(), "Notice");
        }
        for slot in stale.into_iter().filter(|_| self.apart) {
            let mut after = seen.clone();
            match after.parts.get_mut(usize::from(slot)) {
                Some(part) => *part = now.parts[usize::from(slot)],
                None => (after.fence, after.restore) = (now.fence, now.restore),
            }
            may(after, NOTICES[usize::from(slot)]);
        }
    }

    /// What a syncer tells the hub. Each is a write that rests on what it has read.
    fn tells(&self, objects: &Objects, syncer: &Syncer, out: &mut Vec<Deed>) {
        let me = syncer.me;
        let mut may = |slot, flat, about| {
            if syncer.seen.is_current(&syncer.now, slot) {
                out.push(Deed { who: Who::Runner, what: Edit::Replace(flat), slot, about });
            }
        };
        match self.next_act(syncer) {
            Ok(Act::Report(report)) => {
                let after = Target { report: Some(report), ..syncer.target.clone() };
                may(target_slot(me), names::flat_target(&after), "Report");
            }
            Ok(Act::Say(thing, said)) => {
                if let Some(flat) = said_of(objects, &thing, me, said) {
                    may(thing_slot(&thing), flat, SAYS[usize::from(me) - 1]);
                }
            }
            Ok(Act::Describe(name)) => {
                if let Some(flat) = objects[usize::from(name)] {
                    let mut after = names::volume_of(name, flat);
                    after.described = Some(Words);
                    may(name, names::flat_volume(&after), DESCRIBES[usize::from(me) - 1]);
                }
            }
            _ => {}
        }
    }

    /// What becomes of the way of a syncer to the hub.
    fn of_link(&self, syncer: &Syncer, may: &mut dyn FnMut(Who, Site, &'static str)) {
        let Syncer { site, .. } = syncer;
        let with = |link| Site { link, ..site.clone() };
        let person = Who::Person(CUTS);
        match site.link {
            Link::Up => {
                may(person, with(Link::Cut), "CutOff");
                may(person, Site { tenure: site.tenure + 1, ..site.clone() }, "Restart");
            }
            Link::Cut => {
                may(Who::Runner, with(Link::Alone), "LeaseEnds");
                may(person, with(Link::Up), "ComeBack");
            }
            Link::Alone | Link::Lapsed => {
                let was_lapsed = site.was_lapsed || site.link == Link::Lapsed;
                let back = Site { link: Link::Up, tenure: site.tenure + 1, was_lapsed, ..site.clone() };
                may(person, back, "ComeBack");
                // Clocks differ by less than it takes to stop.
                if site.link == Link::Alone && self.next_act(syncer).is_err() {
                    may(Who::Runner, with(Link::Lapsed), "Lapse");
                }
            }
        }
    }

    /// What the hub decides about the fence of a target, by how its lease stands; or stood, if it came back and has not said so.
    pub(super) fn by_fences(&self, objects: &Objects, s: &State, me: u8, out: &mut Vec<Deed>) {
        let Syncer { site, target, .. } = self.syncer(objects, s, me);
        let has_lapsed = site.link == Link::Lapsed;
        let pulse = if has_lapsed { Pulse::Lapsed } else { Pulse::Live };
        let mut may = |step: Option<(FenceStep, Flat)>, is_late: bool| {
            let Some((step, flat)) = step else { return };
            let about = step_name(step, is_late);
            out.push(Deed { who: Who::Runner, what: Edit::Replace(flat), slot: target_slot(me), about });
        };
        let restore = restores(objects);
        may(self.fence_step(&target, pulse, restore), false);
        let is_unknown = target.report.as_ref().is_none_or(|report| report.tenure != u64::from(site.tenure));
        if site.was_lapsed && is_unknown && !has_lapsed && target.lapsed.is_some() {
            let step = self.fence_step(&target, Pulse::Lapsed, restore);
            may(step.filter(|(step, _)| matches!(step, FenceStep::Request | FenceStep::Fence(_))), true);
        }
    }

    fn fence_step(&self, target: &Target<Tiny>, pulse: Pulse, restore: u64) -> Option<(FenceStep, Flat)> {
        let look = Some(Look { at: NOW.clock, version: target.version, pulse, restore });
        let mut memory = FenceMemory { look, driver: None, driven: NOW.clock };
        // The driver does what it is asked for, and what it was asked for is recorded then.
        for _ in 0..2 {
            let snapshot = FenceSnapshot { target: Some(target.clone()), is_used: true, memory };
            let Decision::Do(step) = (self.shape.fence)(&snapshot, NOW) else { return None };
            match FENCES.effect(&snapshot, &step, NOW) {
                Effect::Write(Write::Status { after: Object::Target(after), .. }) => {
                    return Some((step, names::flat_target(&after)));
                }
                Effect::Call(bowline_placements::FenceCall::Drive { fences, epoch, .. }) => {
                    let reply = FenceReply::Driven(fences, epoch, Ok(fences));
                    FENCES.learn(&mut memory, &step, reply, NOW).ok()?;
                }
                _ => return None,
            }
        }
        None
    }

    /// What people want.
    pub(super) fn by_people(&self, objects: &Objects, s: &State, out: &mut Vec<Deed>) {
        let mut may = |who, what, slot, about| out.push(Deed { who, what, slot, about });
        for me in 1..=self.targets {
            let Some(flat) = objects[usize::from(target_slot(me))] else { continue };
            let target = names::target_of(me, flat);
            let with = |edit: fn(&mut Target<Tiny>)| {
                let mut after = target.clone();
                edit(&mut after);
                Edit::Replace(names::flat_target(&after))
            };
            let slot = target_slot(me);
            let wish = target.wish.fence;
            let fencings: [(FenceWish, Edit, &'static str); 3] = [
                (FenceWish::Open, with(|target| target.wish.fence = FenceWish::Open), "Unwant"),
                (FenceWish::Fenced, with(|target| target.wish.fence = FenceWish::Fenced), "WantFence"),
                (FenceWish::Confirmed, with(|target| target.wish.fence = FenceWish::Confirmed), "Confirm"),
            ];
            for (_, edit, about) in fencings.into_iter().filter(|(other, ..)| *other != wish) {
                may(Who::Person(FENCINGS), edit, slot, about);
            }
            if self.chosen {
                may(Who::Person(MOVES), with(|target| target.wish.drains ^= true), slot, "Drain");
            }
        }
        if self.restores {
            may(Who::Person(RESTORES), Edit::Outside(0, s.outside[0]), PLACEMENT, super::restore::RESTORE);
        }
        let Some(flat) = objects[usize::from(PLACEMENT)] else { return };
        let placement = names::placement_of(flat);
        if placement.doomed && !placement.deleting {
            may(Who::Runner, Edit::Delete, PLACEMENT, "Delete");
        }
        if placement.deleting || placement.doomed {
            return;
        }
        let mut doomed = placement.clone();
        doomed.doomed = true;
        may(Who::Person(DELETES), Edit::Replace(names::flat_placement(&doomed)), PLACEMENT, "Doom");
        may(Who::Person(DELETES), Edit::Delete, PLACEMENT, "Withdraw");
        let others = (1..=self.targets).filter(|target| Some(*target) != placement.wish.pinned);
        for target in others.filter(|_| !self.chosen) {
            let mut after = placement.clone();
            (after.wish.pinned, after.wish.now_to) = (Some(target), None);
            let edit = Edit::Replace(names::flat_placement(&after));
            may(Who::Person(MOVES), edit, PLACEMENT, MOVES_TO[usize::from(target) - 1]);
            if self.window {
                after.wish.now_to = Some(target);
                let edit = Edit::Replace(names::flat_placement(&after));
                may(Who::Person(MOVES), edit, PLACEMENT, MOVES_NOW_TO[usize::from(target) - 1]);
            }
        }
        if let Some(window) = placement.wish.window {
            let (becomes, who, about) = match window {
                OPEN => (SHUT, Who::Person(MOVES), "Shuts"),
                _ => (OPEN, Who::Runner, "Opens"),
            };
            let mut after = placement.clone();
            after.wish.window = Some(becomes);
            may(who, Edit::Replace(names::flat_placement(&after)), PLACEMENT, about);
        }
    }
}

/// The last restore that any target knows of.
fn restores(objects: &Objects) -> u64 {
    let targets =
        (1..=TARGETS).filter_map(|me| Some(names::target_of(me, objects[usize::from(target_slot(me))]?)));
    targets.map(|target| target.restore).max().unwrap_or(0)
}

const MOVES_TO: [&str; 3] = ["MoveToFirst", "MoveToSecond", "MoveToThird"];
const MOVES_NOW_TO: [&str; 3] = ["MoveNowToFirst", "MoveNowToSecond", "MoveNowToThird"];

/// Whether a volume was made in a step, or its data deleted.
fn is_watched(before: &Site, after: &Site) -> bool {
    before.volumes.iter().zip(&after.volumes).any(|(before, after)| {
        let is_made = before.is_none() && after.is_some_and(|local| !local.retained);
        let is_gone = |local: &Option<Local>| local.is_some_and(|local| local.stage == Stage::Destroyed);
        is_made || !is_gone(before) && is_gone(after)
    })
}

/// A thing's object after a syncer has said something of it.
fn said_of(objects: &Objects, thing: &Part, me: u8, said: Said) -> Option<Flat> {
    let slot = thing_slot(thing);
    let mut object = names::object(slot, objects[usize::from(slot)]?);
    let grant = match &mut object {
        Object::Placement(placement) => &mut placement.grant,
        Object::Volume(volume) => &mut volume.grant,
        _ => return None,
    };
    grant.users.get_mut(&me)?.said = Some(said);
    Some(names::flat(&object))
}

fn act_name(act: &Act<Tiny>) -> &'static str {
    match act {
        Act::Read => "Read",
        Act::Accept(_) => "Accept",
        Act::Report(_) => "Report",
        Act::Confirm(..) => "Confirmed",
        Act::Stop(_) => "Stop",
        Act::Retain(_) => "Retain",
        Act::Describe(_) => "Describe",
        Act::Unclaim(_) => "Unclaim",
        Act::Remove(_) => "Remove",
        Act::Destroy(_) => "Destroy",
        Act::Clear(_) => "Clear",
        Act::GiveUp(..) => "GiveUp",
        Act::Say(..) => "Say",
        Act::Make(..) => "Make",
        Act::Claim(..) => "Claim",
        Act::Start(..) => "Start",
        Act::Adopt(..) => "Adopt",
    }
}

/// By a look that is late, it is another action than by one of now.
fn step_name(step: FenceStep, is_late: bool) -> &'static str {
    match step {
        FenceStep::Recover(_) => RECOVER,
        FenceStep::Lose => "Lose",
        FenceStep::Return => "Return",
        FenceStep::Request if is_late => "RequestLate",
        FenceStep::Request => "Request",
        FenceStep::Fence(_) if is_late => "FenceLate",
        FenceStep::Fence(_) => "Fence",
        FenceStep::Unfence => "Unfence",
        FenceStep::Open => "Open",
        FenceStep::Hold | FenceStep::LetGo | FenceStep::Look | FenceStep::Drive(_) => "Other",
    }
}
