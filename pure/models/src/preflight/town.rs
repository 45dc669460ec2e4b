//! Groups at rest, as a hub has them.

use std::collections::BTreeMap;

use bowline_control::{Millis, Version};
use bowline_upgrades::plain::{Named, Plain};
use bowline_upgrades::{
    Condition, Desired, Duty, Epoch, Group, Mastery, Member, Memory, OnCrash, Partitions, Phase, Report,
    Seat, SeatState, Snapshot, Status, Wish,
};

/// What a group is like.
#[derive(Clone)]
pub(super) struct Town {
    pub(super) nodes: usize,
    pub(super) devices: usize,
    pub(super) partitions: Partitions,
    pub(super) automatic: bool,
    pub(super) interrupts: bool,
    pub(super) soak: Option<Millis>,
    pub(super) deadline: Option<Millis>,
    pub(super) on_crash: OnCrash,
}

impl Town {
    pub(super) fn new(nodes: usize) -> Town {
        Town {
            nodes,
            devices: 1,
            partitions: Partitions { count: 0, size: 0 },
            automatic: true,
            interrupts: false,
            soak: Some(Millis(1_000)),
            deadline: None,
            on_crash: OnCrash::NewVersion,
        }
    }

    pub(super) fn partitions(self, count: u32, size: u32) -> Town {
        Town { partitions: Partitions { count, size }, ..self }
    }

    fn names(&self) -> Vec<String> {
        (1..=self.nodes).map(|number| format!("n{number}")).collect()
    }

    fn name(&self) -> Named {
        Named { namespace: "default".into(), name: "kv".into() }
    }

    fn wish(&self) -> Wish<Plain> {
        Wish {
            cluster: None,
            versions: ["v1", "v2", "v3"].map(str::to_owned).into(),
            version: None,
            automatic: self.automatic,
            soak: self.soak,
            on_crash: self.on_crash,
            most_unavailable: 1,
            partitions: self.partitions,
            devices: (0..self.devices).map(|number| format!("d{number}")).collect(),
            interrupts: self.interrupts,
            deadline: self.deadline,
            command: None,
        }
    }

    fn status(&self) -> Status<Plain> {
        let (names, wish) = (self.names(), self.wish());
        let seat = Seat { uid: "1".to_owned(), version: "v1".to_owned(), state: SeatState::Present };
        let list: Vec<_> = names.iter().take(self.partitions.size as usize).cloned().collect();
        let mastery = |(number, device): (usize, &String)| {
            let master = Some(names[number % self.nodes].clone());
            (device.clone(), Mastery { master, epoch: Epoch(7), leaves: false })
        };
        Status {
            phase: Phase::Inactive,
            serving: Some("v1".into()),
            seats: names.iter().map(|name| (name.clone(), seat.clone())).collect(),
            lists: [("v1".to_owned(), vec![list; self.partitions.count as usize])].into(),
            devices: wish.devices.iter().enumerate().map(mastery).collect(),
            ..Status::default()
        }
    }

    fn member(&self, name: &str) -> Member<Plain> {
        let status = self.status();
        let its = status.devices.iter().filter(|(_, mastery)| mastery.master.as_deref() == Some(name));
        let devices: Vec<Duty<Plain>> = its
            .map(|(device, mastery)| Duty { device: device.clone(), epoch: mastery.epoch, leaves: false })
            .collect();
        let acts = devices.iter().map(|duty| (duty.device.clone(), duty.epoch)).collect();
        Member {
            name: name.to_owned(),
            group: self.name(),
            uid: "1".into(),
            version: Version(3),
            generation: 4,
            deleting: false,
            held: true,
            desired: Desired {
                version: Some("v1".into()),
                drains: false,
                fenced: !devices.is_empty(),
                devices,
                partitions: status.lists["v1"].clone(),
            },
            report: Some(Report {
                observed: 4,
                version: Some("v1".into()),
                condition: Condition::Running,
                devices: acts,
                seen: Vec::new(),
                words: String::new(),
            }),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot<Plain> {
        let members: BTreeMap<_, _> =
            self.names().into_iter().map(|name| (name.clone(), self.member(&name))).collect();
        let group = Group {
            name: self.name(),
            uid: "1".into(),
            version: Version(9),
            generation: 2,
            deleting: false,
            held: true,
            wish: self.wish(),
            status: self.status(),
            told: None,
        };
        Snapshot { group: Some(group), members, cluster: None, memory: Memory::default() }
    }
}
