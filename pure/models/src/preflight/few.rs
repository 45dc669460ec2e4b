//! A group's names as numbers, and back.

use std::collections::BTreeMap;

use bowline_control::Millis;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{
    Desired, Duty, Group, Lists, Mastery, Member, Names, Report, Seat, SeatState, Snapshot, Status, Step,
    Wish,
};

use super::state::{Life, Link, Place};
use crate::tiny::Words;

/// Names are numbers: members and devices in the order of their names, versions in that of the spec.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Few;

impl Names for Few {
    type Group = u8;
    type Member = u16;
    type Version = u16;
    type Device = u16;
    type Cluster = u8;
    type Uid = u8;
    type Ticket = u8;
    type Text = Words;
}

/// The names that the numbers stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Roster {
    pub(super) members: Vec<String>,
    pub(super) versions: Vec<String>,
    pub(super) devices: Vec<String>,
}

impl Roster {
    /// Everybody who has a place in a group, its versions and its devices.
    pub(super) fn of(group: &Group<Plain>) -> Roster {
        let Group { wish, status, .. } = group;
        let mut devices: Vec<_> = wish.devices.iter().chain(status.devices.keys()).cloned().collect();
        devices.sort();
        devices.dedup();
        Roster { members: status.seats.keys().cloned().collect(), versions: wish.versions.clone(), devices }
    }

    pub(super) fn member(&self, number: u16) -> &str {
        &self.members[usize::from(number)]
    }

    pub(super) fn version(&self, number: u16) -> &str {
        &self.versions[usize::from(number)]
    }

    pub(super) fn device(&self, number: u16) -> &str {
        &self.devices[usize::from(number)]
    }

    pub(super) fn version_number(&self, name: &str) -> Option<u16> {
        number(&self.versions, name)
    }

    fn member_number(&self, name: &str) -> Option<u16> {
        number(&self.members, name)
    }

    fn device_number(&self, name: &str) -> Option<u16> {
        number(&self.devices, name)
    }

    /// What people want of the group, without its cluster and without a command.
    pub(super) fn wish(&self, wish: &Wish<Plain>) -> Wish<Few> {
        Wish {
            cluster: None,
            versions: (0..).take(self.versions.len()).collect(),
            version: wish.version.as_ref().and_then(|version| self.version_number(version)),
            automatic: wish.automatic,
            soak: wish.soak,
            on_crash: wish.on_crash,
            most_unavailable: wish.most_unavailable,
            partitions: wish.partitions,
            devices: wish.devices.iter().filter_map(|device| self.device_number(device)).collect(),
            interrupts: wish.interrupts,
            deadline: wish.deadline,
            command: None,
        }
    }

    /// A group at rest.
    pub(super) fn status(&self, status: &Status<Plain>) -> Status<Few> {
        let version = |name: &String| self.version_number(name);
        let seat = |(member, seat): (&String, &Seat<Plain>)| {
            let version = version(&seat.version)?;
            Some((self.member_number(member)?, Seat { uid: 1, version, state: seat.state }))
        };
        let lists =
            |(at, lists): (&String, &Lists<Plain>)| Some((self.version_number(at)?, self.lists(lists)));
        let mastery = |(device, mastery): (&String, &Mastery<Plain>)| {
            let master = mastery.master.as_ref().and_then(|master| self.member_number(master));
            let mastery = Mastery { master, epoch: mastery.epoch, leaves: mastery.leaves };
            Some((self.device_number(device)?, mastery))
        };
        Status {
            phase: status.phase,
            serving: status.serving.as_ref().and_then(version),
            pair: None,
            attempt: 0,
            seats: status.seats.iter().filter_map(seat).collect(),
            hand: None,
            last: None,
            lists: status.lists.iter().filter_map(lists).collect(),
            devices: status.devices.iter().filter_map(mastery).collect(),
            failed: None,
            forwarded: false,
            since: Millis(0),
            answered: None,
        }
    }

    fn lists(&self, lists: &Lists<Plain>) -> Lists<Few> {
        let list = |list: &Vec<String>| list.iter().filter_map(|name| self.member_number(name)).collect();
        lists.iter().map(list).collect()
    }

    /// The nodes as they stand.
    pub(super) fn places(&self, snapshot: &Snapshot<Plain>, seats: &BTreeMap<u16, Seat<Few>>) -> Vec<Place> {
        let place = |(number, seat): (&u16, &Seat<Few>)| {
            let member = snapshot.members.get(self.member(*number));
            self.place(member, seat.state)
        };
        seats.iter().map(place).collect()
    }

    fn place(&self, member: Option<&Member<Plain>>, state: SeatState) -> Place {
        let report = member.and_then(|member| member.report.as_ref());
        let noticed = member.zip(report).is_some_and(|(member, report)| report.observed == member.generation);
        let is_lost = state == SeatState::Lost;
        let life = report.filter(|_| !is_lost).map_or(Life::Absent, |report| Life::of(report.condition));
        let runs = report.filter(|_| life != Life::Absent).and_then(|report| report.version.as_ref());
        Place {
            link: if is_lost { Link::Gone } else { Link::Up },
            life,
            runs: runs.and_then(|version| self.version_number(version)),
            drained: false,
            noticed,
            struck: is_lost || life != Life::Good,
            desired: member.map_or_else(Desired::default, |member| self.desired(&member.desired)),
            report: report.map(|report| self.report(report, noticed)),
        }
    }

    fn desired(&self, desired: &Desired<Plain>) -> Desired<Few> {
        let duty = |duty: &Duty<Plain>| {
            Some(Duty { device: self.device_number(&duty.device)?, epoch: duty.epoch, leaves: duty.leaves })
        };
        Desired {
            version: desired.version.as_ref().and_then(|version| self.version_number(version)),
            drains: desired.drains,
            fenced: desired.fenced,
            devices: desired.devices.iter().filter_map(duty).collect(),
            partitions: self.lists(&desired.partitions),
        }
    }

    fn report(&self, report: &Report<Plain>, noticed: bool) -> Report<Few> {
        let devices =
            report.devices.iter().filter_map(|(name, epoch)| Some((self.device_number(name)?, *epoch)));
        Report {
            observed: noticed.into(),
            version: report.version.as_ref().and_then(|version| self.version_number(version)),
            condition: report.condition,
            devices: devices.collect(),
            seen: Vec::new(),
            words: Words,
        }
    }

    /// A step, as people read it.
    pub(super) fn step(&self, step: &Step<Few>) -> String {
        let name = |member: &u16| self.member(*member).to_owned();
        let named: Step<Plain> = match step {
            Step::Enroll(member) => Step::Enroll(name(member)),
            Step::Lose(member) => Step::Lose(name(member)),
            Step::Return(member) => Step::Return(name(member)),
            Step::Crash(member) => Step::Crash(name(member)),
            Step::Recover(member) => Step::Recover(name(member)),
            Step::Drop(member) => Step::Drop(name(member)),
            Step::Tell(member) => Step::Tell(name(member)),
            Step::Dismiss(member) => Step::Dismiss(name(member)),
            Step::Take(member) => Step::Take(name(member)),
            Step::Forget(member) => Step::Forget(name(member)),
            other => return other.to_string(),
        };
        named.to_string()
    }
}

fn number(names: &[String], name: &str) -> Option<u16> {
    let place = names.iter().position(|known| known == name)?;
    u16::try_from(place).ok()
}
