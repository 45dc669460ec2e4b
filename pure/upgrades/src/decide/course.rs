//! How an upgrade goes on by itself, and what it waits for.

use std::collections::BTreeSet;

use super::{Case, Refusal, Step, Wait};
use crate::decide::moves::next_version;
use crate::member::Condition;
use crate::state::{Hand, Names, Phase, Status};

type Course<N> = Result<Step<N>, Wait<N>>;

impl<N: Names> Case<'_, N> {
    /// What is to be done, or is waited for, when everything is recorded, told and handed over, and nothing is commanded.
    pub(super) fn course(&self) -> Course<N> {
        let status = &self.group.status;
        if self.fail_over().is_some() {
            return Ok(Step::FailOver);
        }
        if let Some(hand) = &status.hand {
            return self.with_hand(hand);
        }
        if self.switch_back().is_some() {
            return Ok(Step::SwitchBack);
        }
        let waits = match status.phase {
            Phase::Inactive => self.inactive(),
            _ if !self.group.wish.automatic => Err(Wait::Person(status.phase)),
            Phase::Initialized => self.next_member().or_else(|against| match self.run() {
                Ok(_) => Ok(Step::Run),
                Err(refusal) => Err(Wait::Against(against.unwrap_or(refusal))),
            }),
            Phase::Upgraded => self.next_member().or_else(|against| self.ending(against)),
            Phase::RolledBack => self.next_member().or_else(|against| match self.reset() {
                Ok(_) => Ok(Step::Reset),
                Err(refusal) => Err(Wait::Against(against.unwrap_or(refusal))),
            }),
        };
        waits.or_else(|wait| self.unless_overdue(wait))
    }

    /// A member is in hand.
    fn with_hand(&self, hand: &Hand<N>) -> Course<N> {
        let status = &self.group.status;
        let member = &hand.member;
        if hand.moves {
            return match self.is_healthy(status, member) {
                true => Ok(Step::Join),
                false => self.unless_overdue(Wait::Healthy(member.clone(), hand.to.clone())),
            };
        }
        let its = |(_, mastery): &(&N::Device, &crate::Mastery<N>)| mastery.master.as_ref() == Some(member);
        let mut its = status.devices.iter().filter(its);
        if !its.all(|(device, mastery)| self.is_free(device, mastery)) {
            return self.unless_overdue(Wait::LetsGo(member.clone()));
        }
        let has_drained = self.s.members.get(member).is_some_and(|known| {
            known.report.as_ref().is_some_and(|report| {
                let is_idle = matches!(
                    report.condition,
                    Condition::Drained | Condition::Stopped | Condition::Failed | Condition::Restarting
                );
                report.observed == known.generation && known.desired.drains && is_idle
            })
        });
        if has_drained { Ok(Step::Move) } else { self.unless_overdue(Wait::Drains(member.clone())) }
    }

    /// Whether an upgrade is wanted by what people want; or what stands against it.
    pub(super) fn wanted(&self) -> Result<bool, Refusal<N>> {
        let (wish, status) = (&self.group.wish, &self.group.status);
        let (Some(wanted), Some(serving)) = (&wish.version, &status.serving) else { return Ok(false) };
        if !wish.automatic || wanted == serving || status.phase != Phase::Inactive {
            return Ok(false);
        }
        match next_version(self.group, serving) {
            None => return Err(Refusal::LastVersion(serving.clone())),
            Some(next) if next != wanted => return Err(Refusal::Skips(wanted.clone(), next.clone())),
            Some(_) => {}
        }
        match &status.failed {
            Some((failed, _)) if failed == wanted => Err(Refusal::HasFailed(failed.clone())),
            _ => Ok(true),
        }
    }

    fn inactive(&self) -> Course<N> {
        match self.wanted() {
            Ok(true) => {}
            Ok(false) => return Err(self.rest()),
            Err(refusal) => return Err(Wait::Against(refusal)),
        }
        let against = |refusal| Err(Wait::Against(refusal));
        if let Err(refusal) = self.may_initialize() {
            return against(refusal);
        }
        match (self.initialize(), self.cluster_is_busy()) {
            (Ok(_), _) => Ok(Step::Initialize),
            (Err(_), None) => Ok(Step::Enter),
            (Err(_), Some(refusal)) => against(refusal),
        }
    }

    /// What is waited for when nothing is going on.
    fn rest(&self) -> Wait<N> {
        let status = &self.group.status;
        if status.seats.is_empty() {
            return Wait::Members;
        }
        let without = |device: &&N::Device| {
            status.devices.get(*device).is_none_or(|mastery| mastery.leaves || mastery.master.is_none())
        };
        if self.group.wish.devices.iter().any(|device| without(&device)) {
            let master = status.devices.values().find(|mastery| mastery.leaves);
            return match master.and_then(|mastery| mastery.master.clone()) {
                Some(master) if self.is_present(status, &master) => Wait::LetsGo(master),
                _ => Wait::Master,
            };
        }
        self.sick().unwrap_or(Wait::NextLook)
    }

    /// The first who is there and does not work.
    fn sick(&self) -> Option<Wait<N>> {
        let status = &self.group.status;
        let is_sick =
            |member: &N::Member| self.is_present(status, member) && !self.is_healthy(status, member);
        let (member, seat) = status.seats.iter().find(|(member, _)| is_sick(member))?;
        Some(Wait::Healthy(member.clone(), seat.version.clone()))
    }

    /// The next member to be moved; or why there is none. Who does not work goes first: nobody misses it. Then who is in no partition
    /// that serves: nobody has to take its place, and to tell all others that somebody has takes as long as there are members.
    pub(super) fn next_member(&self) -> Result<Step<N>, Option<Refusal<N>>> {
        let status = &self.group.status;
        let serving = status.serving.as_ref().and_then(|serving| status.lists.get(serving));
        let in_partitions: BTreeSet<_> = serving.into_iter().flatten().flatten().collect();
        let mut members: Vec<_> = status.seats.keys().collect();
        members
            .sort_by_cached_key(|member| (self.is_healthy(status, member), in_partitions.contains(member)));
        let mut against = None;
        for member in members {
            match self.take(member) {
                Ok(_) => return Ok(Step::Take(member.clone())),
                // Who is there already, or is lost, is no hindrance.
                Err(Refusal::IsThere(..) | Refusal::IsLost(_) | Refusal::Goes(_)) => {}
                Err(refusal) => against = against.or(Some(refusal)),
            }
        }
        Err(against)
    }

    /// Everybody who can be is upgraded.
    fn ending(&self, against: Option<Refusal<N>>) -> Course<N> {
        let status = &self.group.status;
        if let Some(refusal) = against.or_else(|| self.commit().err()) {
            return Err(Wait::Against(refusal));
        }
        if let Some(wait) = self.sick() {
            return Err(wait);
        }
        match self.group.wish.soak {
            None => Err(Wait::Person(status.phase)),
            Some(soak) if self.left(status.since, soak).0 == 0 => Ok(Step::Commit),
            Some(_) => Err(Wait::Soak),
        }
    }

    /// What has not gone on for too long goes back, or forward if there is no way back. A hub that suspects itself decides
    /// nothing by what it does not see.
    fn unless_overdue(&self, wait: Wait<N>) -> Course<N> {
        if self.s.memory.look.as_ref().is_some_and(|look| look.suspect) && wait != Wait::Members {
            return Err(Wait::Trust);
        }
        let (wish, status): (_, &Status<N>) = (&self.group.wish, &self.group.status);
        let is_its_own = matches!(wait, Wait::Soak | Wait::Person(_) | Wait::NextLook);
        let Some(deadline) = wish.deadline.filter(|_| wish.automatic && !is_its_own) else {
            return Err(wait);
        };
        if self.left(status.since, deadline).0 > 0 {
            return Err(wait);
        }
        match status.phase {
            Phase::Initialized | Phase::Upgraded if !status.forwarded && self.rollback().is_ok() => {
                Ok(Step::Rollback)
            }
            Phase::Upgraded if self.may_end_as_it_is() => Ok(Step::Commit),
            Phase::RolledBack if self.forward().is_ok() => Ok(Step::Forward),
            Phase::RolledBack if self.reset().is_ok() => Ok(Step::Reset),
            _ => Err(wait),
        }
    }

    /// Whether an upgrade that was gone forward with, and does not go on, ends: everybody who is there has the new version, and
    /// somebody works there. The old version does not, and waiting for who cannot be kept alive would have no end.
    fn may_end_as_it_is(&self) -> bool {
        let (wish, status) = (&self.group.wish, &self.group.status);
        let works = status.pair.as_ref().is_some_and(|pair| self.works(status, &pair.new));
        status.forwarded && wish.soak.is_some() && works && self.commit().is_ok()
    }
}
