//! Who is there, who works, and what the versions can do with that.

use super::Case;
use crate::effect::Pulse;
use crate::member::Condition;
use crate::state::{Lists, Mastery, Names, SeatState, Status};

impl<N: Names> Case<'_, N> {
    /// How a member's lease stood when it was looked at last.
    pub(crate) fn pulse(&self, member: &N::Member) -> Pulse {
        let look = self.s.memory.look.as_ref();
        let lease = look.and_then(|look| look.leases.get(member));
        lease.map_or(Pulse::Silent, |(_, pulse)| *pulse)
    }

    /// Whether a member's lease had lapsed after what is desired of it now was known to be there. Who comes back reads that
    /// when it has its lease again; that it had lapsed before says nothing of what it has read since.
    pub(crate) fn lapsed_since_told(&self, member: &N::Member) -> bool {
        self.pulse(member) == Pulse::Lapsed && self.was_looked_at_as_told(member)
    }

    /// Whether a member's lease had lapsed, by a look that was made before it was told what is desired now.
    pub(crate) fn lapsed_before_told(&self, member: &N::Member) -> bool {
        self.pulse(member) == Pulse::Lapsed && !self.was_looked_at_as_told(member)
    }

    fn was_looked_at_as_told(&self, member: &N::Member) -> bool {
        let look = self.s.memory.look.as_ref();
        let looked = look.and_then(|look| look.leases.get(member)).map(|(generation, _)| *generation);
        let told = self.s.members.get(member).map(|member| member.generation);
        looked.is_some() && looked == told
    }

    /// Whether a member is counted as there: it has a place, and is not known to be lost.
    pub(crate) fn is_present(&self, status: &Status<N>, member: &N::Member) -> bool {
        status.seats.get(member).is_some_and(|seat| seat.state != SeatState::Lost)
    }

    /// Whether a member works: it is there, and its software runs in the version of its place, with a good probe.
    pub(crate) fn is_healthy(&self, status: &Status<N>, member: &N::Member) -> bool {
        let (Some(seat), Some(known)) = (status.seats.get(member), self.s.members.get(member)) else {
            return false;
        };
        let runs = known.report.as_ref().is_some_and(|report| {
            report.condition == Condition::Running && report.version.as_ref() == Some(&seat.version)
        });
        seat.state == SeatState::Present && !known.deleting && runs && self.pulse(member) == Pulse::Live
    }

    /// The members of a version that work.
    pub(crate) fn healthy<'b>(
        &'b self,
        status: &'b Status<N>,
        version: &'b N::Version,
    ) -> impl Iterator<Item = &'b N::Member> {
        let at = status.seats.iter().filter(move |(_, seat)| seat.version == *version);
        at.map(|(member, _)| member).filter(move |member| self.is_healthy(status, member))
    }

    pub(crate) fn works(&self, status: &Status<N>, version: &N::Version) -> bool {
        self.healthy(status, version).next().is_some()
    }

    /// Whether a version can serve, if a member is left out: somebody works, and a quorum of each partition does.
    pub(crate) fn serves_without(
        &self,
        status: &Status<N>,
        version: &N::Version,
        without: Option<&N::Member>,
    ) -> bool {
        let healthy: Vec<_> =
            self.healthy(status, version).filter(|member| Some(*member) != without).collect();
        let has_quorum = |list: &Vec<N::Member>| {
            let works = list.iter().filter(|member| healthy.contains(member)).count();
            works >= quorum(list.len())
        };
        let lists: &[_] = status.lists.get(version).map_or(&[], Lists::<N>::as_slice);
        !healthy.is_empty() && lists.iter().all(has_quorum)
    }

    pub(crate) fn can_serve(&self, status: &Status<N>, version: &N::Version) -> bool {
        self.serves_without(status, version, None)
    }

    /// How many do not work, or are in hand.
    pub(crate) fn unavailable(&self, status: &Status<N>) -> u32 {
        let is_out = |member: &&N::Member| {
            status.hand.as_ref().is_some_and(|hand| hand.member == **member)
                || !self.is_healthy(status, member)
        };
        u32::try_from(status.seats.keys().filter(is_out).count()).unwrap_or(u32::MAX)
    }

    /// Whether a member may be a master: it works in the version that serves, and is not about to stop.
    pub(crate) fn may_be_master(&self, status: &Status<N>, member: &N::Member) -> bool {
        let is_in_hand = status.hand.as_ref().is_some_and(|hand| hand.member == *member);
        let serves =
            status.seats.get(member).is_some_and(|seat| status.serving.as_ref() == Some(&seat.version));
        serves && !is_in_hand && self.is_healthy(status, member)
    }

    /// Whether nobody acts for a device any more, nor will without being given it again: its last master was told to let go
    /// of it, and says that it has, or its lease had lapsed after it was told.
    pub(crate) fn is_free(&self, device: &N::Device, mastery: &Mastery<N>) -> bool {
        let Some(master) = &mastery.master else { return true };
        let Some(member) = self.s.members.get(master) else {
            // It had our finalizer: it was let go when it had stopped.
            return !self.group.status.seats.contains_key(master);
        };
        let is_told = member
            .desired
            .devices
            .iter()
            .any(|duty| duty.device == *device && duty.epoch == mastery.epoch && duty.leaves);
        let has_let_go = member.report.as_ref().is_some_and(|report| {
            report.observed == member.generation && report.devices.iter().all(|(acts, _)| acts != device)
        });
        is_told && (has_let_go || self.lapsed_since_told(master))
    }
}

/// How many of so many are a quorum. Of nobody, nobody can be.
pub(crate) fn quorum(members: usize) -> usize {
    members / 2 + 1
}
