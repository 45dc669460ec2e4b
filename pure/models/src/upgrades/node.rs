//! A node: its software, what its agent has read, and its way to the hub.

use bowline_control::Millis;
use bowline_upgrades::agent::{Act, Drain, Duties, Fence, Health, Known, Read, Software};
use bowline_upgrades::{Desired, Duty, Epoch, Member};

use super::bits::{Pack, Unpack};
use super::names::{DEVICES, some};
use crate::tiny::{Tiny, Words};

/// The clock of every node stands still: a deadline is good as long as the lease is, and then it is over.
pub(super) const NOW: Millis = Millis(0);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) link: Link,
    /// What the agent has read: nothing, something before it had its lease, or something since.
    pub(crate) read: Seen,
    pub(crate) desired: Desired<Tiny>,
    pub(crate) generation: u8,
    /// What the software acts for; 0 is no epoch.
    pub(crate) acts: [u8; DEVICES as usize],
    pub(crate) software: Life,
    /// The version that runs, or died.
    pub(crate) version: u8,
    pub(crate) drained: bool,
}

/// The way of an agent to the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    Up,
    /// It does not reach the hub, and its lease is good.
    Cut,
    /// And its lease has lapsed.
    Lapsed,
    /// The node is down, and its lease is good.
    Down,
    /// And its lease has lapsed.
    Gone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    Nothing,
    Before,
    Since,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Life {
    Absent,
    New,
    Good,
    Bad,
    Failed,
}

const LINKS: [Link; 5] = [Link::Up, Link::Cut, Link::Lapsed, Link::Down, Link::Gone];
const SEEN: [Seen; 3] = [Seen::Nothing, Seen::Before, Seen::Since];
const LIVES: [Life; 5] = [Life::Absent, Life::New, Life::Good, Life::Bad, Life::Failed];

impl Node {
    pub(crate) fn of(bits: u64) -> Node {
        let mut bits = Unpack::of(bits.into());
        assert!(bits.flag(), "there is a node");
        let (link, read) = (LINKS[usize::from(bits.get(3))], SEEN[usize::from(bits.get(2))]);
        let (version, drains, fenced) = (some(bits.get(2)), bits.flag(), bits.flag());
        let duties: Vec<_> =
            (0..DEVICES).map(|device| (device, bits.flag(), bits.flag(), bits.get(4))).collect();
        let duty = |(device, has, leaves, epoch): (u8, bool, bool, u8)| {
            has.then_some(Duty { device, epoch: Epoch(epoch.into()), leaves })
        };
        let devices = duties.into_iter().filter_map(duty).collect();
        let generation = bits.get(4);
        let acts = std::array::from_fn(|_| bits.get(4));
        let software = LIVES[usize::from(bits.get(3))];
        let (runs, drained) = (bits.get(2), bits.flag());
        let desired = Desired { version, drains, fenced, devices, partitions: Vec::new() };
        Node { link, read, desired, generation, acts, software, version: runs, drained }
    }

    pub(crate) fn bits(&self) -> u64 {
        let mut bits = Pack::default();
        bits.put(1, true);
        bits.put(3, self.link as u8);
        bits.put(2, self.read as u8);
        bits.put(2, self.desired.version.unwrap_or(0));
        bits.put(1, self.desired.drains);
        bits.put(1, self.desired.fenced);
        for device in 0..DEVICES {
            let duty = self.desired.devices.iter().find(|duty| duty.device == device);
            bits.put(1, duty.is_some());
            bits.put(1, duty.is_some_and(|duty| duty.leaves));
            bits.put(4, duty.map_or(0, |duty| duty.epoch.0));
        }
        bits.put(4, self.generation);
        self.acts.iter().for_each(|epoch| bits.put(4, *epoch));
        bits.put(3, self.software as u8);
        bits.put(2, self.version);
        bits.put(1, self.drained);
        bits.bits() as u64
    }

    /// A node whose agent has read nothing, and that runs nothing.
    pub(crate) fn blank() -> Node {
        Node {
            link: Link::Up,
            read: Seen::Nothing,
            desired: Desired::default(),
            generation: 0,
            acts: [0; DEVICES as usize],
            software: Life::Absent,
            version: 0,
            drained: false,
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        matches!(self.software, Life::New | Life::Good | Life::Bad)
    }

    pub(crate) fn works_at(&self, version: u8) -> bool {
        self.link == Link::Up && self.software == Life::Good && self.version == version
    }

    pub(crate) fn holds_lease(&self) -> bool {
        matches!(self.link, Link::Up | Link::Cut)
    }

    /// Until when the software runs. It is fenced in the same moment in which its agent reads that it is to be.
    fn fence(&self) -> Fence {
        let is_fenced = self.desired.fenced || self.acts.iter().any(|epoch| *epoch > 0);
        if is_fenced { Fence::Until(Millis(NOW.0 + u64::from(self.holds_lease()))) } else { Fence::Open }
    }

    /// An agent that has begun anew and does not reach the hub has no lease in this life; that of the life before is good.
    fn is_waiting(&self) -> bool {
        self.link == Link::Cut && self.read == Seen::Nothing
    }

    /// What the agent knows, of the member as the hub has it.
    pub(crate) fn known(&self, member: &Member<Tiny>) -> Known<Tiny> {
        const TENURE: u64 = 2;
        let read = |tenure| Read {
            tenure: Some(tenure),
            generation: self.generation.into(),
            desired: self.desired.clone(),
        };
        let runs = |health| Software::Runs { version: self.version, health };
        let acts = (0..).zip(self.acts).filter(|(_, epoch)| *epoch > 0);
        Known {
            tenure: (self.holds_lease() && !self.is_waiting()).then_some(TENURE),
            read: match self.read {
                Seen::Nothing => None,
                Seen::Before => Some(read(TENURE - 1)),
                Seen::Since => Some(read(TENURE)),
            },
            software: match self.software {
                Life::Absent => Software::Absent,
                Life::New => runs(Health::Unknown),
                Life::Good => runs(Health::Good),
                Life::Bad => runs(Health::Bad),
                Life::Failed => {
                    Software::Died { version: self.version, is_due: false, has_failed: true, how: Words }
                }
            },
            fence: self.fence(),
            drain: if self.drained { Drain::Done } else { Drain::Not },
            told: Duties {
                devices: acts.map(|(device, epoch)| (device, Epoch(epoch.into()))).collect(),
                partitions: Vec::new(),
            },
            deaf_until: None,
            seen: std::collections::BTreeMap::new(),
            reported: member.report.clone(),
        }
    }

    /// What the agent does becomes of its node; what it tells the hub does not concern it.
    pub(crate) fn after(&self, act: &Act<Tiny>, member: &Member<Tiny>) -> Node {
        let mut after = self.clone();
        match act {
            Act::Read => after.reads(member),
            Act::Start(version) => {
                (after.software, after.version, after.drained) = (Life::New, *version, false);
            }
            Act::Drain => after.drained = true,
            Act::Tell(duties) => {
                after.acts = [0; DEVICES as usize];
                for (device, epoch) in &duties.devices {
                    after.acts[usize::from(*device)] = epoch.0 as u8;
                }
            }
            Act::Stop | Act::Kill => after.ends(),
            Act::Fence(_) | Act::Report(_) => {}
        }
        after
    }

    pub(crate) fn reads(&mut self, member: &Member<Tiny>) {
        self.read = Seen::Since;
        self.desired = Desired { partitions: Vec::new(), ..member.desired.clone() };
        self.generation = member.generation as u8;
    }

    /// Nothing runs any more.
    pub(crate) fn ends(&mut self) {
        (self.software, self.version, self.drained) = (Life::Absent, 0, false);
        self.acts = [0; DEVICES as usize];
    }

    /// The agent has forgotten what it had read.
    pub(crate) fn forgets(&mut self) {
        (self.read, self.desired, self.generation) = (Seen::Nothing, Desired::default(), 0);
    }
}

pub(crate) fn describe(bits: u64) -> String {
    let node = Node::of(bits);
    let Desired { version, drains, fenced, devices, .. } = &node.desired;
    let devices: Vec<_> = devices.iter().map(|duty| (duty.device, duty.epoch.0, duty.leaves)).collect();
    format!(
        "{:?}; has read {:?}: version {version:?} drains {drains} fenced {fenced} devices {devices:?} as of {}; runs {:?} {} acts {:?} drained {}",
        node.link, node.read, node.generation, node.software, node.version, node.acts, node.drained
    )
}
