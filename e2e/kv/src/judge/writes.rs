//! No acknowledged write is lost.

use std::collections::BTreeMap;

use super::{Findings, Logs, Rule, name};
use crate::device::{Act, Entry, Record};
use crate::load::{Acknowledged, Book};

/// What was done, by device, key and number.
type Done<'a> = BTreeMap<(&'a str, &'a str, u64), Vec<(&'a Record, &'a str)>>;

pub(super) fn judge(logs: &Logs, book: &Book, findings: &mut Findings) {
    let mut done = Done::new();
    for (device, entries) in logs {
        let mut last = BTreeMap::new();
        for record in entries.iter().filter_map(Entry::record).filter(|record| !record.refused) {
            let Act::Write(written) = &record.act else { continue };
            let before = last.insert(written.key.as_str(), written.number);
            if let Some(before) = before.filter(|before| *before >= written.number) {
                let what = format!("{} comes after write {before}", name(device, record));
                findings.add(Rule::LastWins, what);
            }
            let place = (device.as_str(), written.key.as_str(), written.number);
            done.entry(place).or_default().push((record, &written.value));
        }
    }
    for write in &book.writes {
        if let Some(why) = lost(&done, write) {
            let Acknowledged { device, key, number, sent, done, .. } = write;
            let what = format!(
                "write {number} of {key}, sent at {} µs and acknowledged at {} µs, {why} on {device}",
                sent.0, done.0
            );
            findings.add(Rule::NothingLost, what);
        }
    }
}

fn lost(done: &Done, write: &Acknowledged) -> Option<&'static str> {
    let place = (write.device.as_str(), write.key.as_str(), write.number);
    let Some(records) = done.get(&place) else { return Some("is not") };
    let mut same = records.iter().filter(|(_, value)| *value == write.value).peekable();
    if same.peek().is_none() {
        return Some("has another value");
    }
    let in_time = same.any(|(record, _)| (write.sent..=write.done).contains(&record.at));
    (!in_time).then_some("was not done in between")
}
