//! Never two masters of a device.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, Rule, name};
use crate::device::{Act, Record};

pub(super) fn judge(device: &str, records: &[&Record], findings: &mut Findings) {
    let mut seen = Seen::default();
    for record in records {
        let mut find = |rule, why: String| findings.add(rule, format!("{} {why}", name(device, record)));
        seen.owner(record, &mut find);
        if record.refused {
            find(Rule::NoAttempt, "was refused".to_owned());
            continue;
        }
        seen.epoch(record, &mut find);
        seen.process(record, &mut find);
        seen.claim(record, &mut find);
        seen.order(record, &mut find);
        seen.last = Some((*record).clone());
    }
}

/// What the records before say.
#[derive(Default)]
struct Seen {
    largest: u64,
    members: BTreeMap<u64, String>,
    /// The processes of each epoch, in the order in which they came.
    processes: BTreeMap<u64, Vec<u32>>,
    /// Epochs and processes that act.
    claimed: BTreeSet<(u64, u32)>,
    last: Option<Record>,
}

type Find<'a> = &'a mut dyn FnMut(Rule, String);

impl Seen {
    fn owner(&mut self, record: &Record, find: Find) {
        let member = self.members.entry(record.epoch).or_insert_with(|| record.member.clone());
        if *member != record.member {
            find(Rule::OneMember, format!("is in the epoch of {member}"));
        }
    }

    fn epoch(&mut self, record: &Record, find: Find) {
        if record.epoch < self.largest {
            find(Rule::EpochsGrow, format!("comes after one in epoch {}", self.largest));
        }
        self.largest = self.largest.max(record.epoch);
    }

    fn process(&mut self, record: &Record, find: Find) {
        let processes = self.processes.entry(record.epoch).or_default();
        match processes.iter().position(|pid| *pid == record.pid) {
            None => processes.push(record.pid),
            Some(at) if at + 1 == processes.len() => {}
            Some(at) => {
                find(Rule::OneProcess, format!("comes after process {} has followed", processes[at + 1]))
            }
        }
    }

    fn claim(&mut self, record: &Record, find: Find) {
        let actor = (record.epoch, record.pid);
        if record.act == Act::Claim {
            self.claimed.insert(actor);
        } else if !self.claimed.contains(&actor) {
            find(Rule::Claimed, "comes without a claim".to_owned());
        }
        if record.act == Act::Release {
            self.claimed.remove(&actor);
        }
    }

    fn order(&self, record: &Record, find: Find) {
        let (sequence, at) =
            self.last.as_ref().map_or((0, Default::default()), |last| (last.sequence, last.at));
        if record.sequence != sequence + 1 {
            find(Rule::Order, format!("comes after record {sequence}"));
        }
        if record.at < at {
            find(Rule::Order, format!("comes after one at {} µs", at.0));
        }
    }
}
