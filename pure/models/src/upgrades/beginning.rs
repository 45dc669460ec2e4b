//! A group at rest, which everything begins with.

use bowline_upgrades::{
    Condition, Desired, Duty, Epoch, Group, Mastery, Member, Phase, Report, Seat, SeatState, Status, Wish,
};

use super::Team;
use crate::tiny::{Tiny, Words};

impl Team {
    pub(super) fn wish(&self) -> Wish<Tiny> {
        Wish {
            cluster: self.cluster.then_some(0),
            versions: (1..=self.versions).collect(),
            version: Some(if self.manual { 1 } else { 2 }),
            automatic: !self.manual,
            soak: (!self.manual).then_some(bowline_control::Millis(1_000)),
            on_crash: self.on_crash,
            most_unavailable: 1,
            partitions: self.partitions,
            devices: (0..self.devices).collect(),
            interrupts: self.interrupts,
            deadline: self.deadline.then_some(bowline_control::Millis(1_000)),
            command: None,
        }
    }

    /// A group at rest, at the first version.
    pub(super) fn group(&self) -> Group<Tiny> {
        let seat = Seat { uid: 1, version: 1, state: SeatState::Present };
        let list: Vec<_> = (1..=self.nodes).take(self.partitions.size as usize).collect();
        let mastery =
            |device: u8| Mastery { master: Some(device % self.nodes + 1), epoch: Epoch(1), leaves: false };
        let status = Status {
            phase: Phase::Inactive,
            serving: Some(1),
            seats: (1..=self.nodes).map(|number| (number, seat.clone())).collect(),
            lists: [(1, vec![list; self.partitions.count as usize])].into(),
            devices: (0..self.devices).map(|device| (device, mastery(device))).collect(),
            ..Status::default()
        };
        Group {
            name: 0,
            uid: 1,
            version: bowline_control::Version(2),
            generation: 1,
            deleting: false,
            held: true,
            wish: self.wish(),
            status,
            told: None,
        }
    }

    /// A member that does what it is to do.
    pub(super) fn member(&self, number: u8) -> Member<Tiny> {
        let Status { devices, lists, .. } = self.group().status;
        let its = devices.iter().filter(|(_, mastery)| mastery.master == Some(number));
        let duties: Vec<_> = its
            .map(|(device, mastery)| Duty { device: *device, epoch: mastery.epoch, leaves: false })
            .collect();
        let acts = duties.iter().map(|duty| (duty.device, duty.epoch)).collect();
        Member {
            name: number,
            group: 0,
            uid: 1,
            version: bowline_control::Version(2),
            generation: 1,
            deleting: false,
            held: true,
            desired: Desired {
                version: Some(1),
                drains: false,
                fenced: !duties.is_empty(),
                devices: duties,
                partitions: lists[&1].clone(),
            },
            report: Some(Report {
                observed: 1,
                version: Some(1),
                condition: Condition::Running,
                devices: acts,
                seen: Vec::new(),
                words: Words,
            }),
        }
    }
}
