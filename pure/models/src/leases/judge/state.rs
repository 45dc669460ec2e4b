//! The state: the members, and what the judge knows of their leases.

use std::collections::BTreeMap;

use bowline_control::lease::{Judge, Known, Suspicion};
use bowline_control::{Millis, Version};
use bowline_explorer::Field;

/// There is room for so many members.
pub(super) const MEMBERS: usize = 4;

/// A lease is silent after so many ticks; members renew it after [`RENEW`], and so long is the judge's window.
pub(super) const SILENT: u8 = 3;
pub(super) const RENEW: u8 = 2;
/// What is older than that is all the same.
pub(super) const FULL: u8 = SILENT + RENEW;

pub(super) const TERM: Millis = Millis(SILENT as u64);
/// The present: what happened before is a time ago.
pub(super) const NOW: Millis = Millis(100);

/// The version that the judge knows of every lease.
const KNOWN: Version = Version(1);
/// The version of a lease that was renewed.
pub(super) const RENEWED: Version = Version(2);

/// A member, and what the judge knows of its lease.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Member {
    pub(super) alive: bool,
    pub(super) cut: bool,
    /// It is silent for a reason of its own: it is dead, or was cut off, and has not renewed since.
    pub(super) own: bool,
    pub(super) age: u8,
    pub(super) renewals: u8,
    pub(super) judged: bool,
}

/// A state of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(super) members: [Member; MEMBERS],
    /// Until the judge begins.
    pub(super) waits: u8,
    pub(super) suspect: bool,
    pub(super) outage: bool,
    pub(super) faults: u8,
    pub(super) persons: u8,
}

impl State {
    pub(super) fn new(members: u8, faults: u8, persons: u8) -> State {
        let member = Member { alive: true, cut: false, own: false, age: 0, renewals: 0, judged: false };
        let mut s =
            State { members: [member; MEMBERS], waits: 0, suspect: false, outage: false, faults, persons };
        s.restart(members);
        s
    }

    /// A new judge sees all leases for the first time.
    pub(super) fn restart(&mut self, members: u8) {
        let mut judge = Judge { begins: NOW.plus(TERM), ..self.judge(0) };
        judge.suspicion = None;
        (0..members).for_each(|i| judge.see(i, KNOWN, TERM, NOW));
        self.take(&judge);
    }

    pub(super) fn pass(&mut self, ticks: u8, members: u8) {
        self.waits = self.waits.saturating_sub(ticks);
        for member in &mut self.members[..members.into()] {
            member.age = (member.age + ticks).min(FULL);
        }
    }

    pub(super) fn judge(&self, members: u8) -> Judge<u8> {
        let known = |member: &Member| Known {
            version: KNOWN,
            since: Millis(NOW.0 - u64::from(member.age)),
            term: TERM,
            renewals: member.renewals.into(),
            judged: member.judged,
        };
        let leases: BTreeMap<_, _> = (0..members).zip(self.members.iter().map(known)).collect();
        let suspicion = Suspicion { since: NOW, lapsed: 0, of: 0 };
        Judge {
            begins: NOW.plus(Millis(self.waits.into())),
            window: Millis(RENEW.into()),
            leases,
            suspicion: self.suspect.then_some(suspicion),
        }
    }

    /// Takes over what became of the judge.
    pub(super) fn take(&mut self, judge: &Judge<u8>) {
        self.waits = judge.begins.since(NOW).0 as u8;
        self.suspect = judge.suspicion.is_some();
        for (i, known) in &judge.leases {
            let member = &mut self.members[usize::from(*i)];
            member.age = NOW.since(known.since).0 as u8;
            // Outside of a suspicion nobody counts, and in one two are enough.
            member.renewals = if self.suspect { known.renewals.min(2) as u8 } else { 0 };
            member.judged = known.judged;
        }
    }

    pub(super) fn fields(&self, members: u8) -> Vec<Field> {
        let mut fields = Vec::new();
        for (i, member) in (1..=members).zip(&self.members) {
            let is = if member.alive { "alive" } else { "dead" };
            let cut = if member.cut { ", cut off" } else { "" };
            let own = if member.own { ", its own" } else { "" };
            fields.push(Field::new(format!("m{i}"), format!("{is}{cut}{own}")));
            let judged = if member.judged { ", judged" } else { "" };
            let lease = format!("silent for {}, renewed {}{judged}", member.age, member.renewals);
            fields.push(Field::new(format!("m{i}.lease"), lease));
        }
        let flags = [("suspect", self.suspect), ("outage", self.outage)];
        fields.extend(flags.map(|(name, is)| Field::new(name, is.to_string())));
        let numbers = [("waits", self.waits), ("faults", self.faults), ("persons", self.persons)];
        fields.extend(numbers.map(|(name, number)| Field::new(name, number.to_string())));
        fields
    }
}
