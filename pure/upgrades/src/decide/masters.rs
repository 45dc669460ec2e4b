//! Who is master of what: devices are taken from who cannot be their master any more, and given when nobody acts for them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Device;
use super::{Case, Step};
use crate::member::Member;
use crate::state::{Epoch, Mastery, Names, SeatState, Status};

impl<N: Names> Case<'_, N> {
    /// What is to be done so that everybody knows what it is to do, and every device has its master. Who waits for a master goes
    /// first.
    pub(super) fn handing(&self) -> Option<Step<N>> {
        let devices = &self.group.status.devices;
        let gives = || (self.given().devices != *devices).then_some(Step::Give);
        let releases = || (self.released().devices != *devices).then_some(Step::Release);
        let told = self.telling(gains).or_else(gives);
        told.or_else(|| self.telling(|_, _| true)).or_else(releases)
    }

    /// Devices are taken from masters that are not the right ones, if there is anybody better; and those that nobody wants.
    pub(crate) fn released(&self) -> Status<N> {
        let status = &self.group.status;
        let mut after = status.clone();
        let somebody = status.seats.keys().any(|member| self.may_be_master(status, member));
        let (crowded, wanted) = (self.crowded(), self.wanted_devices());
        for (device, mastery) in &mut after.devices {
            let Some(master) = &mastery.master else { continue };
            let is_right = self.may_be_master(status, master);
            let goes = self.s.members.get(master).is_none_or(|member| member.deleting);
            let is_wanted = wanted.contains(device);
            let is_too_much = crowded.as_ref() == Some(device);
            mastery.leaves |= !is_wanted || goes || somebody && !is_right || is_too_much;
        }
        after
    }

    /// A device that moves so that masters have equally many, when nothing else is going on.
    fn crowded(&self) -> Option<N::Device> {
        let status = &self.group.status;
        let is_quiet = status.pair.is_none()
            && status.devices.len() == self.group.wish.devices.len()
            && status.devices.values().all(|mastery| !mastery.leaves && mastery.master.is_some())
            && status.seats.values().all(|seat| seat.state == SeatState::Present)
            && status.seats.keys().all(|member| self.may_be_master(status, member));
        if !is_quiet {
            return None;
        }
        let counts = counted(status);
        let (most, many) = counts.iter().max_by_key(|(_, count)| **count)?;
        let (_, few) = counts.iter().min_by_key(|(_, count)| **count)?;
        if *many <= *few + 1 {
            return None;
        }
        let is_its = |(_, mastery): &(&N::Device, &Mastery<N>)| mastery.master.as_ref() == Some(*most);
        status.devices.iter().find(is_its).map(|(device, _)| device.clone())
    }

    /// What nobody acts for is given to those who have the least; what nobody wants is gone.
    pub(crate) fn given(&self) -> Status<N> {
        let mut after = self.group.status.clone();
        let wish = &self.group.wish;
        let mut counts = counted(&self.group.status);
        for device in &wish.devices {
            let mastery = after.devices.get(device).cloned().unwrap_or_else(nobodys);
            let is_to_be_given = mastery.leaves || mastery.master.is_none();
            if !is_to_be_given || !self.is_free(device, &mastery) {
                continue;
            }
            let candidates = counts.iter().filter(|(member, _)| self.may_be_master(&after, member));
            let least = candidates.min_by_key(|(_, count)| **count).map(|(member, _)| (*member).clone());
            if let Some(master) = least {
                if let Some(count) = mastery.master.as_ref().and_then(|before| counts.get_mut(before)) {
                    *count -= 1;
                }
                if let Some(count) = counts.get_mut(&master) {
                    *count += 1;
                }
                let epoch = self.greatest(device).max(mastery.epoch).next();
                after.devices.insert(device.clone(), Mastery { master: Some(master), epoch, leaves: false });
            }
        }
        let wanted = self.wanted_devices();
        after.devices.retain(|device, mastery| wanted.contains(device) || !self.is_free(device, mastery));
        after
    }

    fn wanted_devices(&self) -> BTreeSet<&N::Device> {
        self.group.wish.devices.iter().collect()
    }

    /// The greatest epoch of a device that anybody has seen: the hub may have been restored from an older time.
    fn greatest(&self, device: &N::Device) -> Epoch {
        let seen = self.s.members.values().filter_map(|member| member.report.as_ref());
        let of = seen.flat_map(|report| report.seen.iter().filter(|(seen, _)| seen == device));
        of.map(|(_, epoch)| *epoch).max().unwrap_or_default()
    }

    /// Whether a lease has to be looked at once more: somebody is lost, and was told since that something is taken from it.
    pub(super) fn must_look_again(&self) -> bool {
        let is_awaited = |member: &Member<N>| {
            let has_duties = member.desired.devices.iter().any(|duty| duty.leaves);
            let is_to_stop = member.held && member.desired.version.is_none();
            (has_duties || is_to_stop) && self.lapsed_before_told(&member.name)
        };
        self.s.members.values().any(is_awaited)
    }
}

/// How many devices each member that has a place is the master of.
fn counted<N: Names>(status: &Status<N>) -> BTreeMap<&N::Member, usize> {
    let mut counts: BTreeMap<_, _> = status.seats.keys().map(|member| (member, 0)).collect();
    for master in status.devices.values().filter_map(|mastery| mastery.master.as_ref()) {
        if let Some(count) = counts.get_mut(master) {
            *count += 1;
        }
    }
    counts
}

/// Whether something is given to a member, of what it is recorded as the master of, that it does not know of.
fn gains<N: Names>(member: &Member<N>, its: &[Device<'_, N>]) -> bool {
    let knows = |device: &N::Device, epoch: Epoch| {
        member.desired.devices.iter().any(|duty| duty.device == *device && duty.epoch == epoch)
    };
    its.iter().any(|(device, mastery)| !mastery.leaves && !knows(device, mastery.epoch))
}

fn nobodys<N: Names>() -> Mastery<N> {
    Mastery { master: None, epoch: Epoch(0), leaves: false }
}
