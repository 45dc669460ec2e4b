//! What has happened, and what members are told.

use std::collections::BTreeMap;

use super::{Case, Step};
use crate::effect::Pulse;
use crate::member::{Condition, Desired, Duty, Member};
use crate::state::{Mastery, Names, OnCrash, Phase, Seat, SeatState, Status};

/// A device, and who is its master.
pub(super) type Device<'a, N> = (&'a <N as Names>::Device, &'a Mastery<N>);

impl<N: Names> Case<'_, N> {
    /// What has happened and is not recorded yet.
    pub(super) fn facts(&self) -> Option<Step<N>> {
        let status = &self.group.status;
        if status.serving.is_none() && self.first_version().is_some() {
            return Some(Step::Found);
        }
        if self.is_to_be_pardoned() {
            return Some(Step::Pardon);
        }
        if let Some(step) = self.dismissal() {
            return Some(step);
        }
        let is_gone = |(member, seat): &(&N::Member, &Seat<N>)| {
            self.s.members.get(*member).is_none_or(|known| known.uid != seat.uid)
        };
        if let Some((member, _)) = status.seats.iter().find(is_gone) {
            return Some(Step::Drop(member.clone()));
        }
        if let Some(step) = status.seats.iter().find_map(|(member, seat)| self.happened(member, seat)) {
            return Some(step);
        }
        let mut strangers = self.s.members.values().filter(|member| !status.seats.contains_key(&member.name));
        let stranger =
            strangers.find(|member| !member.deleting && self.pulse(&member.name) == Pulse::Live)?;
        status.serving.is_some().then(|| Step::Enroll(stranger.name.clone()))
    }

    /// Whether the spec has changed since a version was rolled back. That a command is given is no such change: what failed
    /// goes on having failed when it is answered.
    fn is_to_be_pardoned(&self) -> bool {
        let failed = self.group.status.failed.as_ref();
        failed.is_some_and(|(_, generation)| *generation != self.group.generation) && self.pending().is_none()
    }

    /// What has happened to a member.
    fn happened(&self, member: &N::Member, seat: &Seat<N>) -> Option<Step<N>> {
        let report = self.s.members.get(member)?.report.as_ref();
        let has_failed = || {
            report.is_some_and(|report| {
                report.condition == Condition::Failed && report.version.as_ref() == Some(&seat.version)
            })
        };
        match (seat.state, self.pulse(member)) {
            (SeatState::Present | SeatState::Crashed, Pulse::Lapsed) => Some(Step::Lose(member.clone())),
            (SeatState::Lost, Pulse::Live) => Some(Step::Return(member.clone())),
            (SeatState::Present, _) if has_failed() => Some(Step::Crash(member.clone())),
            (SeatState::Crashed, Pulse::Live) if self.runs(member, seat) => {
                Some(Step::Recover(member.clone()))
            }
            _ => None,
        }
    }

    fn runs(&self, member: &N::Member, seat: &Seat<N>) -> bool {
        let report = self.s.members.get(member).and_then(|known| known.report.as_ref());
        report.is_some_and(|report| {
            report.condition == Condition::Running && report.version.as_ref() == Some(&seat.version)
        })
    }

    /// The version to begin with.
    pub(crate) fn first_version(&self) -> Option<&N::Version> {
        let wish = &self.group.wish;
        match &wish.version {
            Some(version) => wish.versions.iter().find(|known| *known == version),
            None => wish.versions.first(),
        }
    }

    /// A member that goes, and has nothing to do with the group any more.
    pub(super) fn dismissal(&self) -> Option<Step<N>> {
        let goes = |member: &&Member<N>| (member.deleting || self.group.deleting) && member.held;
        let mut going = self.s.members.values().filter(goes);
        going.find(|member| self.has_stopped(member)).map(|member| Step::Dismiss(member.name.clone()))
    }

    /// Whether a member was told to stop and has; or its lease had lapsed after it was told.
    fn has_stopped(&self, member: &Member<N>) -> bool {
        let is_told =
            member.desired.version.is_none() && member.desired.devices.iter().all(|duty| duty.leaves);
        let says_so = member.report.as_ref().is_some_and(|report| {
            report.observed == member.generation
                && report.condition == Condition::Stopped
                && report.devices.is_empty()
        });
        is_told && (says_so || self.lapsed_since_told(&member.name))
    }

    /// The first of these who was not told what it is to do.
    pub(super) fn telling(&self, of_these: impl Fn(&Member<N>, &[Device<'_, N>]) -> bool) -> Option<Step<N>> {
        let all = self.mastered();
        let is_untold = |member: &&Member<N>| {
            let its = all.get(&member.name).map_or(&[][..], Vec::as_slice);
            of_these(member, its)
                && self.desired_with(member, its).is_some_and(|desired| {
                    desired != member.desired || !member.held && !member.deleting && !self.group.deleting
                })
        };
        self.s.members.values().find(is_untold).map(|member| Step::Tell(member.name.clone()))
    }

    /// What each member is recorded as the master of: looked for member by member, that would take as long as there are members
    /// and devices, one times the other.
    fn mastered(&self) -> BTreeMap<&N::Member, Vec<Device<'_, N>>> {
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (device, mastery) in &self.group.status.devices {
            if let Some(master) = &mastery.master {
                all.entry(master).or_default().push((device, mastery));
            }
        }
        all
    }

    /// What a member is to do, by what is recorded; `None` if it has no place in the group.
    pub(crate) fn desired(&self, member: &Member<N>) -> Option<Desired<N>> {
        let its = self.mastered().remove(&member.name).unwrap_or_default();
        self.desired_with(member, &its)
    }

    /// The same, of a member that is the master of these.
    fn desired_with(&self, member: &Member<N>, its: &[Device<'_, N>]) -> Option<Desired<N>> {
        let status = &self.group.status;
        let seat = status.seats.get(&member.name);
        let goes = self.group.deleting || member.deleting;
        let Some(seat) = seat.filter(|seat| seat.uid == member.uid) else {
            // Who goes before it had a place has nothing to do.
            return (goes && member.held).then(Desired::default);
        };
        let duty = |(device, mastery): &Device<'_, N>| Duty {
            device: (*device).clone(),
            epoch: mastery.epoch,
            leaves: mastery.leaves || goes,
        };
        let devices: Vec<_> = its.iter().map(duty).collect();
        let hand = status.hand.as_ref().filter(|hand| hand.member == member.name);
        Some(Desired {
            version: (!goes).then(|| seat.version.clone()),
            drains: hand.is_some_and(|hand| !hand.moves) && !goes,
            fenced: status.phase != Phase::Inactive || !devices.is_empty(),
            devices,
            partitions: status.lists.get(&seat.version).cloned().unwrap_or_default(),
        })
    }

    /// A member has a place: in the version that it runs, if that is one of those that may be; else in the one that is to be.
    pub(crate) fn enrolled(&self, member: &Member<N>) -> Status<N> {
        let mut after = self.group.status.clone();
        let Some(version) = self.version_of(&after, member) else { return after };
        let seat = Seat { uid: member.uid.clone(), version: version.clone(), state: SeatState::Present };
        after.seats.insert(member.name.clone(), seat);
        if after.phase == Phase::Inactive {
            let wish = &self.group.wish.partitions;
            let lists = after.lists.entry(version).or_default();
            lists.resize(wish.count as usize, Vec::new());
            for list in lists.iter_mut().filter(|list| list.len() < wish.size as usize) {
                if !list.contains(&member.name) {
                    list.push(member.name.clone());
                }
            }
        }
        after
    }

    fn version_of(&self, status: &Status<N>, member: &Member<N>) -> Option<N::Version> {
        let runs = member.report.as_ref().and_then(|report| report.version.as_ref());
        let serving = status.serving.clone();
        let Some(pair) = &status.pair else { return serving };
        let is_one = |version: &&N::Version| **version == pair.old || **version == pair.new;
        let instead = if status.phase == Phase::Upgraded { &pair.new } else { &pair.old };
        Some(runs.filter(is_one).unwrap_or(instead).clone())
    }

    /// A member is back.
    pub(crate) fn returned(&self, member: &Member<N>) -> Status<N> {
        let mut after = self.group.status.clone();
        let version = self.version_of(&after, member);
        if let (Some(seat), Some(version)) = (after.seats.get_mut(&member.name), version) {
            (seat.version, seat.state) = (version, SeatState::Present);
        }
        after
    }

    /// A member is lost, or its software cannot be kept alive: what follows from that, in one write.
    pub(crate) fn struck(&self, member: &N::Member, state: SeatState) -> Status<N> {
        let mut after = self.group.status.clone();
        let Some(seat) = after.seats.get_mut(member) else { return after };
        seat.state = state;
        let version = seat.version.clone();
        after.hand = after.hand.filter(|hand| hand.member != *member);
        self.devices_leave(&mut after, member);
        let Some(pair) = after.pair.clone() else { return after };
        let counts = match self.group.wish.on_crash {
            OnCrash::NewVersion => version == pair.new,
            OnCrash::Any => true,
            OnCrash::Never => false,
        };
        if counts && !after.forwarded && matches!(after.phase, Phase::Initialized | Phase::Upgraded) {
            self.go_back(&mut after, &pair);
        }
        let nobody_serves = after.serving.as_ref().is_some_and(|serving| !self.works(&after, serving));
        if nobody_serves { self.failed_over(&after).unwrap_or(after) } else { after }
    }

    /// The other version serves, if anybody works there.
    fn failed_over(&self, status: &Status<N>) -> Option<Status<N>> {
        let other = status.pair.as_ref()?.other(status.serving.as_ref()?).clone();
        if !self.works(status, &other) {
            return None;
        }
        let phase = match status.phase {
            Phase::Initialized => Phase::Upgraded,
            Phase::Upgraded | Phase::RolledBack => Phase::RolledBack,
            Phase::Inactive => Phase::Inactive,
        };
        let goes_back = status.phase == Phase::Upgraded;
        let failed = status.pair.as_ref().filter(|_| goes_back).map(|pair| self.failure(pair));
        let failed = failed.or_else(|| status.failed.clone());
        Some(Status { phase, serving: Some(other), since: self.now.wall, failed, ..status.clone() })
    }

    /// The other version serves, if everybody of the one that served was struck: nobody of the other one may have worked when
    /// that was recorded.
    pub(crate) fn fail_over(&self) -> Option<Status<N>> {
        let status = &self.group.status;
        let serving = status.serving.as_ref()?;
        let mut at = status.seats.values().filter(|seat| seat.version == *serving).peekable();
        at.peek()?;
        if at.all(|seat| seat.state != SeatState::Present) { self.failed_over(status) } else { None }
    }
}
