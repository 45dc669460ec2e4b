//! Whether the devices' logs and the load's book can be those of a group that kept its promises.
//!
//! A log has one order, which the device's lock gave it, and one clock, which all processes of the machine share; so there is
//! nothing to search for. Each rule is a look at the log, or at the log and the book.

mod handovers;
mod masters;
#[cfg(test)]
mod tests;
mod writes;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use crate::device::{self, Act, Entry, Record};
use crate::load::Book;
pub use handovers::{Handover, Spread};

/// The entries of each device, by its name.
pub type Logs = BTreeMap<String, Vec<Entry>>;

/// What has to hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// What was acknowledged is in the log, and was put there between its sending and its acknowledgement.
    NothingLost,
    /// Of a key no write comes after a later one, or twice.
    LastWins,
    /// No answer contradicts what was acknowledged.
    Told,
    /// Nothing is done in an epoch after something was done in a greater one.
    EpochsGrow,
    /// Nobody tries to, either: the device had nothing to refuse.
    NoAttempt,
    /// An epoch is one member's.
    OneMember,
    /// In an epoch, a process that another one has followed does nothing any more.
    OneProcess,
    /// Who acts has claimed the device in its epoch first, and has not given it back.
    Claimed,
    /// Who acts knows what was done before: records are numbered without gap or repetition, and in the order of time.
    Order,
    /// Every record is whole, but those that somebody was killed over.
    Whole,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 10] = [
        Rule::NothingLost,
        Rule::LastWins,
        Rule::Told,
        Rule::EpochsGrow,
        Rule::NoAttempt,
        Rule::OneMember,
        Rule::OneProcess,
        Rule::Claimed,
        Rule::Order,
        Rule::Whole,
    ];
}

/// A rule that does not hold, and where that is seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// What was seen.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.what)
    }
}

/// How much was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Writes that were acknowledged.
    pub acknowledged: usize,
    /// The smallest number of them on one device.
    pub fewest: usize,
    /// Reads that were answered with a value.
    pub reads: u64,
    /// Records in the logs that were done.
    pub records: usize,
    /// Of these, claims.
    pub claims: usize,
    /// Records of what was refused.
    pub refused: usize,
    /// Records that somebody was killed over.
    pub torn: usize,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How much was looked at.
    pub checked: Checked,
    /// What does not hold.
    pub broken: Vec<Broken>,
    /// Each time that a device got another master, or its master another process.
    pub handovers: Vec<Handover>,
}

impl Verdict {
    /// Why nothing follows from it, if nothing does: too little has happened.
    pub fn proves_nothing(&self) -> Option<&'static str> {
        match self.checked {
            Checked { fewest: 0, .. } => Some("on some device no write was acknowledged"),
            Checked { reads: 0, .. } => Some("nothing was read"),
            _ => None,
        }
    }

    /// How long devices were without a master at handovers.
    pub fn without_master(&self) -> Option<Spread> {
        Spread::of(self.handovers.iter().map(|handover| handover.without_master))
    }

    /// Whether everything holds, and something follows from that; else what is to be said about it.
    ///
    /// # Errors
    /// If not.
    pub fn clean(&self) -> Result<(), String> {
        let broken: Vec<_> = self.broken.iter().take(10).map(ToString::to_string).collect();
        match (broken.is_empty(), self.proves_nothing()) {
            (true, None) => Ok(()),
            (true, Some(why)) => Err(format!("nothing follows: {why}")),
            (false, _) => Err(format!("{} broken, the first: {}", self.broken.len(), broken.join("\n"))),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked { acknowledged, fewest: _, reads, records, claims, refused, torn } = self.checked;
        write!(
            f,
            "{acknowledged} acknowledged writes and {reads} reads; {records} records, {claims} of them claims; {refused} refused, \
             {torn} torn; {} handovers",
            self.handovers.len()
        )?;
        if let Some(spread) = self.without_master() {
            write!(f, ", without a master {spread}")?;
        }
        write!(f, "; {} broken", self.broken.len())
    }
}

/// Reads the logs of all devices in a directory.
///
/// # Errors
/// If they cannot be read.
pub fn read(devices: &Path) -> io::Result<Logs> {
    let names = device::names(devices)?;
    names.into_iter().map(|name| Ok((name.clone(), device::read(&devices.join(name))?))).collect()
}

/// Holds logs and book against each other.
pub fn judge(logs: &Logs, book: &Book) -> Verdict {
    let mut findings = Findings::default();
    let mut checked = Checked { acknowledged: book.writes.len(), reads: book.reads, ..Checked::default() };
    let mut handovers = Vec::new();
    for what in &book.odd {
        findings.add(Rule::Told, what.clone());
    }
    for (device, entries) in logs {
        let records: Vec<_> = entries.iter().filter_map(Entry::record).collect();
        let done: Vec<_> = records.iter().copied().filter(|record| !record.refused).collect();
        checked.torn += entries.iter().filter(|entry| **entry == Entry::Torn).count();
        checked.refused += records.len() - done.len();
        checked.records += done.len();
        checked.claims += done.iter().filter(|record| record.act == Act::Claim).count();
        damage(device, entries, &mut findings);
        masters::judge(device, &records, &mut findings);
        handovers.extend(handovers::of(device, &done));
    }
    writes::judge(logs, book, &mut findings);
    let count = |device: &String| book.writes.iter().filter(|write| write.device == *device).count();
    checked.fewest = book.devices.iter().map(count).min().unwrap_or(0);
    Verdict { checked, broken: findings.0, handovers }
}

fn damage(device: &str, entries: &[Entry], findings: &mut Findings) {
    for (line, entry) in entries.iter().enumerate() {
        if let Entry::Damaged(text) = entry {
            findings.add(Rule::Whole, format!("{device}: line {} is no record: {text}", line + 1));
        }
    }
}

#[derive(Default)]
struct Findings(Vec<Broken>);

impl Findings {
    fn add(&mut self, rule: Rule, what: String) {
        self.0.push(Broken { rule, what });
    }
}

/// A record for people.
fn name(device: &str, record: &Record) -> String {
    let Record { sequence, epoch, member, version, pid, at, act, .. } = record;
    let act = match act {
        Act::Claim => "claim".to_owned(),
        Act::Write(written) => format!("write {} of {}", written.number, written.key),
        Act::Release => "release".to_owned(),
    };
    format!(
        "{device}: record {sequence}, {act} by {member} ({version}, process {pid}) in epoch {epoch} at {} µs",
        at.0
    )
}
