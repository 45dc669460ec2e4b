//! What an agent does for its member: one thing at a time, by what it has read and what its software is like.
//!
//! # Invariants
//! - Nothing is acted for without a lease, and not by what was read before the lease was held: who comes back reads first.
//! - An agent that begins anew leaves what it finds alone for as long as the lease lasts of the one before it.
//! - Nothing is acted for in an epoch smaller than one that was seen.
//! - That something was let go is reported after the software was told, and never before.
//! - What runs is not stopped because the hub is away; unless it is fenced, or is master of something.

mod restarts;

use std::collections::BTreeMap;

use bowline_control::Millis;

pub use restarts::{Death, Restarts};

use crate::member::{Condition, Desired, Report};
use crate::state::{Epoch, Lists, Names};

/// What an agent knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known<N: Names> {
    /// It holds its lease, in this tenure: another one each time that it has the lease again.
    pub tenure: Option<u64>,
    /// What it has read of its member, if anything.
    pub read: Option<Read<N>>,
    /// Its software.
    pub software: Software<N>,
    /// Until when its software runs, whatever becomes of the agent.
    pub fence: Fence,
    /// How far its software has finished what it had begun.
    pub drain: Drain,
    /// What its software was told.
    pub told: Duties<N>,
    /// Its software does not hear that something is taken from it, and has time to until then.
    pub deaf_until: Option<Millis>,
    /// The greatest epochs that it has seen.
    pub seen: BTreeMap<N::Device, Epoch>,
    /// What the hub knows of it.
    pub reported: Option<Report<N>>,
}

/// What an agent has read of its member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read<N: Names> {
    /// In which tenure; `None` if it held no lease.
    pub tenure: Option<u64>,
    /// Which generation.
    pub generation: u64,
    /// What is desired.
    pub desired: Desired<N>,
}

/// What software is told: what it acts for, and who else is in its partitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duties<N: Names> {
    /// What it is master of, in which epoch.
    pub devices: Vec<(N::Device, Epoch)>,
    /// The members of each partition.
    pub partitions: Lists<N>,
}

impl<N: Names> Duties<N> {
    /// Whether something is taken away that was acted for before.
    pub fn takes_from(&self, before: &Duties<N>) -> bool {
        before.devices.iter().any(|device| !self.devices.contains(device))
    }
}

impl<N: Names> Default for Duties<N> {
    fn default() -> Duties<N> {
        Duties { devices: Vec::new(), partitions: Vec::new() }
    }
}

/// The software of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Software<N: Names> {
    /// It does not run, and never did or was told to end.
    Absent,
    /// It runs.
    Runs {
        /// Which version.
        version: N::Version,
        /// What its probe says.
        health: Health,
    },
    /// It was told to end, and has not.
    Ends {
        /// Which version.
        version: N::Version,
    },
    /// It ended by itself, or could not be started.
    Died {
        /// Which version.
        version: N::Version,
        /// It is time to start it again.
        is_due: bool,
        /// That was more often than is put up with.
        has_failed: bool,
        /// How, in words for people.
        how: N::Text,
    },
}

/// Until when software runs, if nobody says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// For ever: it goes on when the lease lapses.
    Open,
    /// Until then. It is moved whenever the lease was renewed.
    Until(Millis),
}

/// What a probe says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Health {
    /// Nothing yet.
    Unknown,
    /// It works.
    Good,
    /// It does not work.
    Bad,
}

/// How far software has finished what it had begun.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Drain {
    /// Nobody has asked it to.
    Not,
    /// It was asked to.
    UnderWay,
    /// It has, or has had its time.
    Done,
}

/// What an agent does. Each can be done twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act<N: Names> {
    /// Read the member at the hub.
    Read,
    /// See that the software ends with the lease; or that it does not.
    Fence(bool),
    /// Start a version.
    Start(N::Version),
    /// Let the software finish what it has begun.
    Drain,
    /// Tell the software what it acts for.
    Tell(Duties<N>),
    /// Let the software end, in its own time.
    Stop,
    /// End the software now: the lease has lapsed, or it has not let go in its time.
    Kill,
    /// Report to the hub.
    Report(Report<N>),
}

/// What an agent waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// Its lease.
    Lease,
    /// Its software: to drain, to end, or to be started again.
    Software,
    /// Nothing: all is as it is desired.
    Nothing,
}

impl<N: Names> Known<N> {
    /// What is to be done now; or what is waited for.
    ///
    /// # Errors
    /// What is waited for.
    pub fn act(&self, now: Millis) -> Result<Act<N>, Idle> {
        if self.tenure.is_none() {
            return self.without_lease(now);
        }
        if self.must_stop() && self.fence == Fence::Open {
            return Ok(Act::Fence(true));
        }
        let Some(read) = self.read.as_ref().filter(|read| read.tenure == self.tenure) else {
            return Ok(Act::Read);
        };
        // Before the hub was heard, it stays as the agent before this one has left it.
        if !self.must_stop() && self.fence != Fence::Open {
            return Ok(Act::Fence(false));
        }
        let found = self.with_software(&read.desired, now);
        if let Ok(act) = found {
            return Ok(act);
        }
        let report = self.report(read);
        if self.reported.as_ref() != Some(&report) {
            return Ok(Act::Report(report));
        }
        found
    }

    /// Whether its software stops when its lease lapses: somebody else may take its place then.
    fn must_stop(&self) -> bool {
        self.read.as_ref().is_some_and(|read| read.desired.fenced) || !self.told.devices.is_empty()
    }

    /// Who may be replaced by somebody else stops. Everybody else goes on: a hub that is away stops nobody.
    fn without_lease(&self, now: Millis) -> Result<Act<N>, Idle> {
        let is_alive = matches!(self.software, Software::Runs { .. } | Software::Ends { .. });
        // Who has read has had its lease, and has it no more. Who has not has begun anew: until then nobody takes its place.
        let is_over = match self.fence {
            _ if self.read.is_some() => true,
            Fence::Open => true,
            Fence::Until(then) => then <= now,
        };
        if is_alive && is_over && self.must_stop() { Ok(Act::Kill) } else { Err(Idle::Lease) }
    }

    /// Whether nothing is left to do for a node that the hub does not know any more: it was told to run nothing, and runs
    /// nothing.
    pub fn may_leave(&self) -> bool {
        let runs_nothing = matches!(self.software, Software::Absent | Software::Died { .. });
        runs_nothing && self.read.as_ref().is_some_and(|read| read.desired.version.is_none())
    }

    fn with_software(&self, desired: &Desired<N>, now: Millis) -> Result<Act<N>, Idle> {
        match &self.software {
            Software::Runs { version, .. } => self.running(version, desired, now),
            Software::Ends { .. } => Err(Idle::Software),
            Software::Absent | Software::Died { .. } if !self.told.devices.is_empty() => {
                Ok(Act::Tell(Duties::default()))
            }
            Software::Absent => self.start(desired),
            Software::Died { version, is_due, .. } => {
                let is_another = desired.version.as_ref() != Some(version);
                if *is_due || is_another { self.start(desired) } else { Err(Idle::Software) }
            }
        }
    }

    fn start(&self, desired: &Desired<N>) -> Result<Act<N>, Idle> {
        match &desired.version {
            // What is about to stop is not started for that.
            Some(version) if !desired.drains => Ok(Act::Start(version.clone())),
            _ => Err(Idle::Nothing),
        }
    }

    fn running(&self, version: &N::Version, desired: &Desired<N>, now: Millis) -> Result<Act<N>, Idle> {
        let is_to_stop = desired.version.as_ref() != Some(version);
        let is_to_drain = desired.drains || is_to_stop;
        match self.drain {
            Drain::Not if is_to_drain => return Ok(Act::Drain),
            Drain::UnderWay if is_to_drain => return Err(Idle::Software),
            _ => {}
        }
        let duties = Duties {
            devices: if is_to_drain { Vec::new() } else { self.duties(desired) },
            partitions: if is_to_stop { self.told.partitions.clone() } else { desired.partitions.clone() },
        };
        if self.told != duties {
            // What it does not let go of in its time is taken from it otherwise.
            let is_deaf = self.deaf_until.is_some_and(|until| until <= now) && duties.takes_from(&self.told);
            return Ok(if is_deaf { Act::Kill } else { Act::Tell(duties) });
        }
        if is_to_stop { Ok(Act::Stop) } else { Err(Idle::Nothing) }
    }

    /// What is to be acted for: nothing that is taken away, and nothing that somebody was given later.
    fn duties(&self, desired: &Desired<N>) -> Vec<(N::Device, Epoch)> {
        let is_latest =
            |device: &N::Device, epoch: Epoch| self.seen.get(device).is_none_or(|seen| *seen <= epoch);
        let duties =
            desired.devices.iter().filter(|duty| !duty.leaves && is_latest(&duty.device, duty.epoch));
        duties.map(|duty| (duty.device.clone(), duty.epoch)).collect()
    }

    /// What the hub is to know.
    fn report(&self, read: &Read<N>) -> Report<N> {
        let desired = &read.desired;
        let before = self.reported.as_ref().and_then(|report| report.version.clone());
        let version = match &self.software {
            Software::Absent => before,
            Software::Runs { version, .. } | Software::Ends { version } | Software::Died { version, .. } => {
                Some(version.clone())
            }
        };
        let words = match &self.software {
            Software::Died { how, .. } => how.clone(),
            _ => N::Text::from(""),
        };
        Report {
            observed: read.generation,
            version,
            condition: self.condition(desired),
            devices: self.told.devices.clone(),
            seen: self.seen.iter().map(|(device, epoch)| (device.clone(), *epoch)).collect(),
            words,
        }
    }

    fn condition(&self, desired: &Desired<N>) -> Condition {
        match &self.software {
            Software::Absent if desired.version.is_none() || desired.drains => Condition::Stopped,
            Software::Absent => Condition::Starting,
            Software::Runs { version, .. } if desired.version.as_ref() != Some(version) => {
                Condition::Stopping
            }
            Software::Runs { .. } if desired.drains => match self.drain {
                Drain::Done => Condition::Drained,
                Drain::Not | Drain::UnderWay => Condition::Draining,
            },
            Software::Runs { health, .. } => match health {
                Health::Unknown => Condition::Starting,
                Health::Good => Condition::Running,
                Health::Bad => Condition::Unhealthy,
            },
            Software::Ends { .. } => Condition::Stopping,
            Software::Died { .. } if desired.version.is_none() => Condition::Stopped,
            Software::Died { has_failed: true, .. } => Condition::Failed,
            Software::Died { .. } => Condition::Restarting,
        }
    }

    /// What it has read of its member: epochs are never forgotten, those included that it has seen in an earlier life.
    pub fn learn(&mut self, read: Read<N>) {
        let given = read.desired.devices.iter().map(|duty| (&duty.device, duty.epoch));
        let known =
            self.reported.iter().flat_map(|report| &report.seen).map(|(device, epoch)| (device, *epoch));
        for (device, epoch) in given.chain(known) {
            let seen = self.seen.entry(device.clone()).or_default();
            *seen = (*seen).max(epoch);
        }
        self.read = Some(read);
    }

    /// How software is that was found by an agent that has begun anew, until it was asked: as the hub was told last. So nobody
    /// misses it.
    pub fn as_reported(&self) -> Health {
        let Software::Runs { version, health: Health::Unknown } = &self.software else {
            return Health::Unknown;
        };
        let report = self.reported.as_ref().filter(|report| report.version.as_ref() == Some(version));
        match report.map(|report| report.condition) {
            Some(Condition::Running) => Health::Good,
            Some(Condition::Unhealthy) => Health::Bad,
            _ => Health::Unknown,
        }
    }
}
