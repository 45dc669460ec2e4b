//! A line of a device's log: a checksum, and JSON.

use serde::{Deserialize, Serialize};

use crate::clock::Micros;

/// What ends the line of somebody who was killed while writing it.
pub(super) const TORN: &[u8] = b" torn\n";

/// Something that was done to a device, or was to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Its number, as who wrote it counts them.
    pub sequence: u64,
    /// In which epoch.
    pub epoch: u64,
    /// The member that did it.
    pub member: String,
    /// What it runs.
    pub version: String,
    /// In which process.
    pub pid: u32,
    /// When.
    pub at: Micros,
    /// What.
    pub act: Act,
    /// The device did not do it: the epoch was too small.
    pub refused: bool,
}

/// What a master does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// It has read the log, and acts from now on.
    Claim,
    /// It writes.
    Write(Written),
    /// It acts no more.
    Release,
}

/// A key's value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// The key.
    pub key: String,
    /// Which write of the key it is: it only grows.
    pub number: u64,
    /// The value.
    pub value: String,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A record.
    Whole(Record),
    /// The beginning of one: who wrote it was killed.
    Torn,
    /// Something else.
    Damaged(String),
}

impl Entry {
    /// The record, if it is one.
    pub fn record(&self) -> Option<&Record> {
        match self {
            Entry::Whole(record) => Some(record),
            Entry::Torn | Entry::Damaged(_) => None,
        }
    }
}

impl Record {
    pub(super) fn line(&self) -> Vec<u8> {
        // There is nothing in it that JSON has no word for.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes()
    }

    fn of_line(line: &[u8]) -> Option<Record> {
        let (sum, json) = line.split_at_checked(8)?;
        let json = json.strip_prefix(b" ")?;
        let sum =
            std::str::from_utf8(sum).ok().filter(|sum| !sum.contains(|digit: char| digit.is_uppercase()));
        let sum = u32::from_str_radix(sum?, 16).ok()?;
        if sum != crc32fast::hash(json) {
            return None;
        }
        serde_json::from_slice(json).ok()
    }
}

/// The lines of a log.
pub(super) fn parse(text: &[u8]) -> Vec<Entry> {
    text.split_inclusive(|byte| *byte == b'\n').map(entry).collect()
}

fn entry(line: &[u8]) -> Entry {
    if line.ends_with(TORN) {
        return Entry::Torn;
    }
    // The last line, and nobody has written since.
    let Some(line) = line.strip_suffix(b"\n") else { return Entry::Torn };
    Record::of_line(line)
        .map_or_else(|| Entry::Damaged(String::from_utf8_lossy(line).into_owned()), Entry::Whole)
}
