//! The chain of lines: each says the hash of the one before, and its own of all that it says.
//!
//! A line is `{…event…,"chain":{…,"previous":"HASH"},"hash":"HASH"}`. Its hash is SHA-256 of its bytes before `,"hash"`, and
//! so of the hash before it. A line that is changed, left out or moved is seen by all that come after it.

use std::fmt::Write as _;

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::Entry;
use super::versions::{Coverage, Spans};

/// Stands where the first line names the one before it.
pub(super) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// What comes between a line and its hash.
const SEAL: &str = ",\"hash\":\"";
/// The length of a hash as it is written.
const HASH: usize = 64;

/// No log comes to more lines.
pub(super) const MOST_LINES: u64 = 1 << 62;

/// What a line says of its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Link {
    /// How many lines there are up to here, in all files.
    pub line: u64,
    /// The versions that the request made.
    pub versions: Spans,
    /// Up to this version every one has a line by now.
    pub covered: u64,
    /// The largest version that has one.
    pub highest: u64,
    /// The hash of the line before.
    pub previous: String,
}

/// A line that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sealed {
    pub link: Link,
    /// Its hash.
    pub hash: String,
}

/// A line is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("it is not a line of an audit log: it does not end in its hash")]
    NoHash,
    #[error("it is not what was written: its hash does not fit what it says")]
    Changed,
    #[error("it is not a line of an audit log: it does not say its place in the chain")]
    NoPlace,
}

/// The end of the chain, which grows.
#[derive(Clone)]
pub(super) struct Chain {
    line: u64,
    hash: String,
    coverage: Coverage,
}

impl Chain {
    /// A chain whose last line is `last`; `version` is where a new one begins.
    pub(super) fn after(last: Option<&Sealed>, version: u64) -> Chain {
        match last {
            None => Chain { line: 0, hash: NOTHING.to_owned(), coverage: Coverage::new(version, version) },
            Some(Sealed { link, hash }) => Chain {
                line: link.line,
                hash: hash.clone(),
                coverage: Coverage::new(link.covered, link.highest),
            },
        }
    }

    /// Appends a line to `out`: `event` is an object of JSON.
    pub(super) fn append(&mut self, event: &str, versions: Spans, out: &mut String) {
        self.coverage.add(&versions);
        self.line += 1;
        let link = Link {
            line: self.line,
            versions,
            covered: self.coverage.upto(),
            highest: self.coverage.highest(),
            previous: std::mem::take(&mut self.hash),
        };
        let from = out.len();
        out.push_str(event.strip_suffix('}').unwrap_or(event));
        out.push_str(",\"chain\":");
        out.push_str(&serde_json::to_string(&link).expect("it is written to memory"));
        self.hash = hash(&out.as_bytes()[from..]);
        for part in [SEAL, &self.hash, "\"}\n"] {
            out.push_str(part);
        }
    }

    /// The lines of entries, in their order.
    pub(super) fn append_all(&mut self, entries: &[Entry]) -> String {
        let mut lines = String::new();
        for Entry { event, versions, .. } in entries {
            self.append(event, versions.clone(), &mut lines);
        }
        lines
    }

    /// Everything up to `version` is accounted for by the next line.
    pub(super) fn settle(&mut self, version: u64) {
        self.coverage = Coverage::new(version, self.coverage.highest());
    }

    /// The versions that have a line.
    pub(super) fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

pub(super) fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(HASH);
    for byte in digest(&SHA256, bytes).as_ref() {
        write!(text, "{byte:02x}").expect("it is written to memory");
    }
    text
}

/// Reads a line, without its end.
///
/// # Errors
/// If it is not what somebody has written.
pub(super) fn read(line: &[u8]) -> Result<Sealed, Broken> {
    #[derive(Deserialize)]
    struct Place {
        chain: Link,
    }
    let split = line.len().checked_sub(SEAL.len() + HASH + 2).ok_or(Broken::NoHash)?;
    let (said, seal) = line.split_at(split);
    let told = seal.strip_prefix(SEAL.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    let told = told.and_then(|told| std::str::from_utf8(told).ok()).ok_or(Broken::NoHash)?;
    if hash(said) != told {
        return Err(Broken::Changed);
    }
    let Place { chain } = serde_json::from_slice(line).map_err(|_| Broken::NoPlace)?;
    // Whoever can write the file can make a hash that fits. Lines are counted from 1 on.
    if chain.line == 0 || chain.line > MOST_LINES || chain.covered > chain.highest {
        return Err(Broken::NoPlace);
    }
    Ok(Sealed { link: chain, hash: told.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_changed_anywhere_is_none() {
        let mut chain = Chain::after(None, 4);
        let mut text = String::new();
        chain.append(r#"{"verb":"create"}"#, Spans::between(5, 5), &mut text);
        let line = text.trim_end();
        let sealed = read(line.as_bytes()).unwrap();
        assert_eq!((sealed.link.line, sealed.link.covered, sealed.link.previous.as_str()), (1, 5, NOTHING));
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&value["verb"], &value["hash"]), (&"create".into(), &sealed.hash.as_str().into()));
        for at in 0..line.len() {
            let mut changed = line.as_bytes().to_vec();
            changed[at] ^= 1;
            assert!(read(&changed).is_err(), "byte {at}");
            assert!(read(&line.as_bytes()[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_chain_goes_on_where_it_was() {
        let (mut once, mut twice) = (String::new(), String::new());
        let mut chain = Chain::after(None, 0);
        chain.append(r#"{"a":1}"#, Spans::between(2, 2), &mut once);
        let mut again = Chain::after(Some(&read(once.trim_end().as_bytes()).unwrap()), 0);
        again.append(r#"{"a":1}"#, Spans::between(3, 3), &mut twice);
        let mut straight = String::new();
        chain.append(r#"{"a":1}"#, Spans::between(3, 3), &mut straight);
        assert_eq!(straight, twice);
        assert_eq!((again.coverage().upto(), again.coverage().highest()), (0, 3));
    }

    #[test]
    fn a_line_that_cannot_be_where_it_says_is_none() {
        let line = |number: u64, covered: u64| {
            let link = Link {
                line: number,
                versions: Spans::default(),
                covered,
                highest: 7,
                previous: NOTHING.into(),
            };
            let said = format!(r#"{{"chain":{}"#, serde_json::to_string(&link).unwrap());
            let hash = hash(said.as_bytes());
            read(format!("{said}{SEAL}{hash}\"}}").as_bytes())
        };
        assert_eq!(line(1, 7).map(|sealed| sealed.link.line), Ok(1));
        for (number, covered) in [(0, 7), (MOST_LINES + 1, 7), (1, 8)] {
            assert_eq!(line(number, covered), Err(Broken::NoPlace), "{number} {covered}");
        }
    }
}
