//! What commands, and automatic mode, do to an upgrade: each is a status that follows, or why it cannot be.

use super::Case;
use crate::decide::step::Refusal;
use crate::state::{Group, Hand, Names, Pair, Phase, Seat, SeatState, Status};

type Moved<N> = Result<Status<N>, Refusal<N>>;

impl<N: Names> Case<'_, N> {
    /// The upgrade begins. Updates are kept off the cluster before.
    pub(crate) fn initialize(&self) -> Moved<N> {
        let pair = self.may_initialize()?;
        if let Some(refusal) = self.cluster_is_taken() {
            return Err(refusal);
        }
        let mut after = self.begin(pair);
        after.attempt = after.attempt.saturating_add(1);
        Ok(after)
    }

    /// Whether an upgrade can begin, the cluster aside; and of what.
    pub(crate) fn may_initialize(&self) -> Result<Pair<N>, Refusal<N>> {
        let status = &self.group.status;
        let (Phase::Inactive, Some(old)) = (status.phase, &status.serving) else {
            return Err(Refusal::Phase(status.phase));
        };
        let new = next_version(self.group, old).ok_or_else(|| Refusal::LastVersion(old.clone()))?;
        if !status.seats.keys().any(|member| self.is_present(status, member)) {
            return Err(Refusal::Nobody);
        }
        for (member, seat) in &status.seats {
            let is_lost = seat.state == SeatState::Lost;
            let reported =
                self.s.members.get(member).and_then(|known| known.report.as_ref()?.version.as_ref());
            if is_lost && seat.version != *old {
                return Err(Refusal::LostElsewhere(member.clone()));
            }
            if !is_lost && (seat.version != *old || reported != Some(old)) {
                return Err(Refusal::Differs(member.clone()));
            }
        }
        let pair = Pair { old: old.clone(), new: new.clone() };
        let begun = self.begin(pair.clone());
        let mut present = status.seats.keys().filter(|member| self.is_present(status, member));
        if !self.group.wish.interrupts && !present.any(|member| self.can_spare(&begun, member)) {
            return Err(Refusal::Interrupts);
        }
        Ok(pair)
    }

    fn begin(&self, pair: Pair<N>) -> Status<N> {
        let mut after = self.group.status.clone();
        let wish = &self.group.wish.partitions;
        let live: Vec<_> =
            after.seats.keys().filter(|member| self.is_present(&after, member)).cloned().collect();
        let size = live.len().min(wish.size as usize);
        let before = after.lists.remove(&pair.old).unwrap_or_default();
        let formed = |place: usize| {
            let mut list = before.get(place).cloned().unwrap_or_default();
            list.retain(|member| live.contains(member));
            let spare = live.iter().filter(|member| !list.contains(member)).cloned().collect::<Vec<_>>();
            list.extend(spare);
            list.truncate(size);
            list
        };
        after.lists.clear();
        after.lists.insert(pair.old.clone(), (0..wish.count as usize).map(formed).collect());
        after.lists.insert(pair.new.clone(), vec![Vec::new(); wish.count as usize]);
        (after.phase, after.pair) = (Phase::Initialized, Some(pair));
        (after.hand, after.last, after.forwarded, after.failed) = (None, None, false, None);
        after.since = self.now.wall;
        after
    }

    /// Whether the version that serves could do without a member, with others in its place.
    fn can_spare(&self, status: &Status<N>, member: &N::Member) -> bool {
        let Some(serving) = &status.serving else { return false };
        self.serves_without(&self.replaced(status, member), serving, Some(member))
    }

    /// The lists of the serving version, if a member is about to leave it: the first who works takes its place.
    fn replaced(&self, status: &Status<N>, member: &N::Member) -> Status<N> {
        let mut after = status.clone();
        let Some(serving) = status.serving.as_ref() else { return after };
        let Some(lists) = after.lists.get_mut(serving) else { return after };
        for list in lists {
            let Some(place) = list.iter().position(|other| other == member) else { continue };
            let spare = self.healthy(status, serving).find(|other| *other != member && !list.contains(other));
            if let Some(spare) = spare {
                list[place] = spare.clone();
            }
        }
        after
    }

    /// A member is taken in hand, to be moved to the other version.
    pub(crate) fn take(&self, member: &N::Member) -> Moved<N> {
        let status = &self.group.status;
        let (pair, seat) = self.may_be_moved(member)?;
        let serves = status.serving.as_ref() == Some(&seat.version);
        let goes_back = status.phase == Phase::RolledBack;
        let is_healthy = self.is_healthy(status, member);
        let must_keep = is_healthy && serves;
        let must_be_careful = is_healthy && (!goes_back || serves);
        if must_be_careful && let Some(last) = self.last_is_not_well() {
            return Err(Refusal::LastIsNotWell(last));
        }
        let (unavailable, most) = (self.unavailable(status), self.group.wish.most_unavailable.max(1));
        if is_healthy && !goes_back && unavailable >= most {
            return Err(Refusal::Unavailable(unavailable, most));
        }
        if must_keep && !self.group.wish.interrupts && !self.can_spare(status, member) {
            return Err(Refusal::Needed(member.clone()));
        }
        let mut after = if serves { self.replaced(status, member) } else { status.clone() };
        after.hand =
            Some(Hand { member: member.clone(), to: pair.other(&seat.version).clone(), moves: false });
        self.devices_leave(&mut after, member);
        after.since = self.now.wall;
        Ok(after)
    }

    /// Whether a member is one that can be moved in this phase.
    fn may_be_moved(&self, member: &N::Member) -> Result<(&Pair<N>, &Seat<N>), Refusal<N>> {
        let status = &self.group.status;
        let from = |pair: &Pair<N>| match status.phase {
            Phase::Inactive => None,
            Phase::Initialized | Phase::Upgraded => Some(pair.old.clone()),
            Phase::RolledBack => Some(pair.new.clone()),
        };
        let pair = status.pair.as_ref().ok_or(Refusal::Phase(status.phase))?;
        let from = from(pair).ok_or(Refusal::Phase(status.phase))?;
        if let Some(hand) = &status.hand {
            return Err(Refusal::InHand(hand.member.clone()));
        }
        let seat = status.seats.get(member).ok_or_else(|| Refusal::Unknown(member.clone()))?;
        if seat.state == SeatState::Lost {
            return Err(Refusal::IsLost(member.clone()));
        }
        if self.s.members.get(member).is_none_or(|known| known.deleting) {
            return Err(Refusal::Goes(member.clone()));
        }
        if seat.version != from {
            return Err(Refusal::IsThere(member.clone(), seat.version.clone()));
        }
        Ok((pair, seat))
    }

    fn last_is_not_well(&self) -> Option<N::Member> {
        let status = &self.group.status;
        let last = status.last.as_ref().filter(|last| self.is_present(status, last))?;
        (!self.is_healthy(status, last)).then(|| last.clone())
    }

    /// The member in hand has let go: it is to run the other version.
    pub(crate) fn move_on(&self, hand: &Hand<N>) -> Status<N> {
        let mut after = self.group.status.clone();
        if let Some(seat) = after.seats.get_mut(&hand.member) {
            (seat.version, seat.state) = (hand.to.clone(), SeatState::Present);
        }
        after.hand = Some(Hand { moves: true, ..hand.clone() });
        after.since = self.now.wall;
        after
    }

    /// The member in hand works in its other version.
    pub(crate) fn join(&self, hand: &Hand<N>) -> Status<N> {
        let mut after = self.group.status.clone();
        let most: Vec<_> = after.lists.values().fold(Vec::new(), |mut most: Vec<usize>, lists| {
            most.resize(most.len().max(lists.len()), 0);
            most.iter_mut().zip(lists).for_each(|(most, list)| *most = (*most).max(list.len()));
            most
        });
        let is_there = |member: &N::Member| {
            self.group.status.seats.get(member).is_some_and(|seat| seat.version == hand.to)
        };
        for (list, most) in after.lists.get_mut(&hand.to).into_iter().flatten().zip(most) {
            if list.contains(&hand.member) {
                continue;
            }
            // Who has left the version makes room: else who comes back first could not serve.
            let away = list.iter().position(|member| !is_there(member));
            match away {
                _ if list.len() < most => list.push(hand.member.clone()),
                Some(place) => list[place] = hand.member.clone(),
                None => {}
            }
        }
        (after.hand, after.last) = (None, Some(hand.member.clone()));
        after.since = self.now.wall;
        after
    }

    /// The new version serves.
    pub(crate) fn run(&self) -> Moved<N> {
        let status = &self.group.status;
        let (Phase::Initialized, Some(pair)) = (status.phase, &status.pair) else {
            return Err(Refusal::Phase(status.phase));
        };
        if let Some(hand) = &status.hand {
            return Err(Refusal::InHand(hand.member.clone()));
        }
        if !self.can_serve(status, &pair.new) {
            return Err(Refusal::CannotServe(pair.new.clone()));
        }
        let (serving, since) = (Some(pair.new.clone()), self.now.wall);
        Ok(Status { phase: Phase::Upgraded, serving, since, ..status.clone() })
    }

    /// There is no way back any more.
    pub(crate) fn commit(&self) -> Moved<N> {
        let status = &self.group.status;
        let (Phase::Upgraded, Some(pair)) = (status.phase, &status.pair) else {
            return Err(Refusal::Phase(status.phase));
        };
        self.all_at(&pair.new)?;
        Ok(self.ended(&pair.new))
    }

    /// What was rolled back, or never began, ends.
    pub(crate) fn reset(&self) -> Moved<N> {
        let status = &self.group.status;
        let (Phase::Initialized | Phase::RolledBack, Some(pair)) = (status.phase, &status.pair) else {
            return Err(Refusal::Phase(status.phase));
        };
        let has_begun = status.seats.values().any(|seat| seat.version == pair.new);
        if status.phase == Phase::Initialized && has_begun {
            return Err(Refusal::Begun);
        }
        self.all_at(&pair.old)?;
        Ok(self.ended(&pair.old))
    }

    /// Whether everybody who is there has a version, and nobody is on the way to another one. Who has it need not work: else
    /// an upgrade whose old version does not start any more could never end.
    fn all_at(&self, version: &N::Version) -> Result<(), Refusal<N>> {
        let status = &self.group.status;
        if let Some(hand) = status.hand.as_ref().filter(|hand| !hand.moves || hand.to != *version) {
            return Err(Refusal::InHand(hand.member.clone()));
        }
        let is_elsewhere = |(member, seat): &(&N::Member, &Seat<N>)| {
            let reported =
                self.s.members.get(*member).and_then(|known| known.report.as_ref()?.version.as_ref());
            seat.state != SeatState::Lost && (seat.version != *version || reported != Some(version))
        };
        match status.seats.iter().find(is_elsewhere) {
            Some((member, _)) => Err(Refusal::NotAll(member.clone(), version.clone())),
            None => Ok(()),
        }
    }

    fn ended(&self, version: &N::Version) -> Status<N> {
        let mut after = self.group.status.clone();
        after.lists.retain(|other, _| other == version);
        (after.phase, after.pair, after.serving) = (Phase::Inactive, None, Some(version.clone()));
        (after.hand, after.last, after.forwarded) = (None, None, false);
        after.since = self.now.wall;
        after
    }

    /// It goes back.
    pub(crate) fn rollback(&self) -> Moved<N> {
        let status = &self.group.status;
        match (status.phase, &status.pair) {
            (Phase::Initialized | Phase::Upgraded, Some(pair)) => {
                let mut after = status.clone();
                self.go_back(&mut after, pair);
                Ok(after)
            }
            _ => Err(Refusal::Phase(status.phase)),
        }
    }

    /// It goes back. The old version serves at once if it can, or if the new one has nobody; else when it can.
    pub(crate) fn go_back(&self, after: &mut Status<N>, pair: &Pair<N>) {
        (after.phase, after.hand, after.last) = (Phase::RolledBack, None, None);
        after.failed = Some(self.failure(pair));
        after.since = self.now.wall;
        let is_better = !self.works(after, &pair.new) && self.works(after, &pair.old);
        if self.can_serve(after, &pair.old) || is_better {
            after.serving = Some(pair.old.clone());
            return;
        }
        // The way back is the way there mirrored: its partitions begin with those that have it. Else it could never serve, if
        // the new version can spare fewer members than the old one needs.
        let seats = &after.seats;
        let is_old = |member: &N::Member| seats.get(member).is_some_and(|seat| seat.version == pair.old);
        for list in after.lists.get_mut(&pair.old).into_iter().flatten() {
            list.retain(is_old);
        }
    }

    /// That the new version was rolled back, and since when.
    pub(crate) fn failure(&self, pair: &Pair<N>) -> (N::Version, u64) {
        (pair.new.clone(), self.group.generation)
    }

    /// The old version serves again, now that it can. If nobody can be moved back before it does, its partitions are made of those
    /// who work there: who was struck is not waited for, and who has come back, or found no place, is one of them.
    pub(crate) fn switch_back(&self) -> Option<Status<N>> {
        let status = &self.group.status;
        let pair = status.pair.as_ref().filter(|_| status.phase == Phase::RolledBack)?;
        if status.serving.as_ref() != Some(&pair.new) || !self.works(status, &pair.old) {
            return None;
        }
        let mut after = status.clone();
        if !self.can_serve(status, &pair.old) && self.next_member().is_err() {
            let is_struck = |member: &N::Member| {
                status.seats.get(member).is_none_or(|seat| seat.state != SeatState::Present)
            };
            let most = self.group.wish.partitions.size as usize;
            for list in after.lists.get_mut(&pair.old).into_iter().flatten() {
                list.retain(|member| !is_struck(member));
                for member in self.healthy(status, &pair.old) {
                    if list.len() < most && !list.contains(member) {
                        list.push(member.clone());
                    }
                }
            }
        }
        (after.serving, after.since) = (Some(pair.old.clone()), self.now.wall);
        self.can_serve(&after, &pair.old).then_some(after)
    }

    /// It goes on after all: the old version does not work, and the new one does.
    pub(crate) fn forward(&self) -> Moved<N> {
        let status = &self.group.status;
        let (Phase::RolledBack, Some(pair)) = (status.phase, &status.pair) else {
            return Err(Refusal::Phase(status.phase));
        };
        if self.works(status, &pair.old) {
            return Err(Refusal::OldWorks);
        }
        if !self.works(status, &pair.new) {
            return Err(Refusal::NewDoesNot);
        }
        let mut after = status.clone();
        (after.phase, after.serving, after.forwarded) = (Phase::Upgraded, Some(pair.new.clone()), true);
        (after.hand, after.last, after.failed) = (None, None, None);
        after.since = self.now.wall;
        Ok(after)
    }

    /// A lost member counts no more.
    pub(crate) fn forget(&self, member: &N::Member) -> Moved<N> {
        let status = &self.group.status;
        let seat = status.seats.get(member).ok_or_else(|| Refusal::Unknown(member.clone()))?;
        if seat.state != SeatState::Lost {
            return Err(Refusal::IsNotLost(member.clone()));
        }
        let is_its = |master: &Option<N::Member>| master.as_ref() == Some(member);
        if status
            .devices
            .iter()
            .any(|(device, mastery)| is_its(&mastery.master) && !self.is_free(device, mastery))
        {
            return Err(Refusal::IsMaster(member.clone()));
        }
        Ok(self.without(member))
    }

    /// A member has no place any more.
    pub(crate) fn without(&self, member: &N::Member) -> Status<N> {
        let mut after = self.replaced(&self.group.status, member);
        after.seats.remove(member);
        after.lists.values_mut().flatten().for_each(|list| list.retain(|other| other != member));
        after.hand = after.hand.filter(|hand| hand.member != *member);
        after.last = after.last.filter(|last| last != member);
        for mastery in after.devices.values_mut().filter(|mastery| mastery.master.as_ref() == Some(member)) {
            (mastery.master, mastery.leaves) = (None, false);
        }
        after
    }

    /// Everything that a member is master of is taken from it.
    pub(crate) fn devices_leave(&self, after: &mut Status<N>, member: &N::Member) {
        for mastery in after.devices.values_mut() {
            mastery.leaves |= mastery.master.as_ref() == Some(member);
        }
    }
}

/// The version after this one.
pub(crate) fn next_version<'a, N: Names>(
    group: &'a Group<N>,
    version: &N::Version,
) -> Option<&'a N::Version> {
    let mut versions = group.wish.versions.iter();
    versions.find(|other| *other == version)?;
    versions.next()
}
