//! A process as master of one device: what it has read of it, and what it does to it.
//!
//! A master reads the log once in an epoch, when it claims it, and believes its memory from then on. That is why two masters at
//! once are seen: neither knows what the other writes, and they number it alike.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::clock::now;
use crate::device::{Act, Device, Entry, Locked, Outcome, Record, Written};

/// Who acts.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    pub(crate) member: String,
    pub(crate) version: String,
    pub(crate) pid: u32,
    /// It does not touch what a newer version has written.
    pub(crate) refuses_newer: bool,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// It is not master, or no longer.
    #[error("not master of this device")]
    NotMaster,
    /// The device has seen a greater epoch.
    #[error("the device has seen epoch {0}")]
    Fenced(u64),
    /// A newer version has written here.
    #[error("{0} has written here, and this version does not read that")]
    Newer(String),
    /// The device does not work.
    #[error("the device does not work: {0}")]
    Device(#[from] io::Error),
}

/// What became of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Put {
    /// It is in the device, by this or by an earlier request.
    Done { epoch: u64 },
    /// The key has a later write.
    Late { number: u64 },
}

/// A device, and what is known of it in the epoch of this process.
#[derive(Debug)]
pub(crate) struct Master {
    device: Device,
    actor: Actor,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    epoch: u64,
    /// The sequence of the last record.
    last: u64,
    keys: HashMap<String, Written>,
}

/// The epoch in which this process may act for the device now. It is asked again before every act.
pub(crate) type May<'a> = &'a dyn Fn() -> Option<u64>;

impl Master {
    pub(crate) fn open(dir: &Path, actor: Actor) -> io::Result<Master> {
        Ok(Master { device: Device::open(dir)?, actor, held: None })
    }

    /// The epoch in which it acts.
    pub(crate) fn epoch(&self) -> Option<u64> {
        self.held.as_ref().map(|held| held.epoch)
    }

    /// Whether what is on the device can be read by this version.
    pub(crate) fn look(&self) -> Result<(), Failure> {
        readable(&self.device.lock()?.read()?, &self.actor)
    }

    /// Begins to act in the epoch that it may act in, if it does not yet.
    pub(crate) fn claim(&mut self, may: May) -> Result<u64, Failure> {
        self.with(may, |hands| Ok(hands.held.epoch))
    }

    /// Ends to act in an epoch, and says so in the log if it still may.
    pub(crate) fn release(&mut self, epoch: u64, may: May) -> Result<(), Failure> {
        // It may act in the next one already.
        if self.epoch() != Some(epoch) {
            return Ok(());
        }
        let released = self.with(&|| may().filter(|now| *now == epoch), |hands| hands.act(Act::Release));
        self.held = None;
        released
    }

    /// Writes, unless it is written already, or late.
    pub(crate) fn put(
        &mut self,
        may: May,
        key: &str,
        number: Option<u64>,
        value: &str,
    ) -> Result<Put, Failure> {
        self.with(may, |hands| {
            let epoch = hands.held.epoch;
            let known = hands.held.keys.get(key).map(|written| (written.number, written.value == value));
            let last = known.map_or(0, |(number, _)| number);
            let number = number.unwrap_or(last.saturating_add(1));
            if known == Some((number, true)) {
                return Ok(Put::Done { epoch });
            }
            if number <= last {
                return Ok(Put::Late { number: last });
            }
            let written = Written { key: key.to_owned(), number, value: value.to_owned() };
            hands.act(Act::Write(written.clone()))?;
            hands.held.keys.insert(key.to_owned(), written);
            Ok(Put::Done { epoch })
        })
    }

    /// What a key has, and in which epoch that was read.
    pub(crate) fn get(&mut self, may: May, key: &str) -> Result<Option<Written>, Failure> {
        // What was claimed is known, and nobody else needs to wait for that.
        if let Some(held) = self.held.as_ref().filter(|held| may() == Some(held.epoch)) {
            return Ok(held.keys.get(key).cloned());
        }
        self.with(may, |hands| Ok(hands.held.keys.get(key).cloned()))
    }

    /// Acts with the device locked and claimed.
    fn with<T>(
        &mut self,
        may: May,
        act: impl FnOnce(&mut Hands) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let locked = self.device.lock()?;
        let epoch = may().ok_or(Failure::NotMaster)?;
        let known = self.held.take().filter(|held| held.epoch == epoch);
        let is_claimed = known.is_some();
        let held = known.map_or_else(|| Held::read(&locked, epoch, &self.actor), Ok)?;
        let mut hands = Hands { locked: &locked, actor: &self.actor, may, held };
        if !is_claimed {
            hands.act(Act::Claim)?;
        }
        let done = act(&mut hands);
        // Who may not act has done nothing, and what it knows is as true as before. After any other failure nothing is believed.
        if matches!(done, Ok(_) | Err(Failure::NotMaster)) {
            self.held = Some(hands.held);
        }
        done
    }
}

/// A device in the hands of a process.
struct Hands<'a> {
    locked: &'a Locked<'a>,
    actor: &'a Actor,
    may: May<'a>,
    held: Held,
}

impl Hands<'_> {
    fn act(&mut self, act: Act) -> Result<(), Failure> {
        // The last moment at which it can be seen that it may not: reading the log takes its time.
        let epoch = (self.may)().filter(|epoch| *epoch == self.held.epoch).ok_or(Failure::NotMaster)?;
        let sequence = self.held.last + 1;
        let Actor { member, version, pid, .. } = self.actor.clone();
        let record = Record { sequence, epoch, member, version, pid, at: now(), act, refused: false };
        match self.locked.append(&record)? {
            Outcome::Done => self.held.last = sequence,
            Outcome::Refused(seen) => return Err(Failure::Fenced(seen)),
        }
        Ok(())
    }
}

impl Held {
    fn read(locked: &Locked, epoch: u64, actor: &Actor) -> Result<Held, Failure> {
        let entries = locked.read()?;
        readable(&entries, actor)?;
        let mut held = Held { epoch, last: 0, keys: HashMap::new() };
        for record in entries.into_iter().filter_map(done) {
            held.last = record.sequence;
            if let Act::Write(written) = record.act {
                held.keys.insert(written.key.clone(), written);
            }
        }
        Ok(held)
    }
}

fn done(entry: Entry) -> Option<Record> {
    match entry {
        Entry::Whole(record) if !record.refused => Some(record),
        _ => None,
    }
}

fn readable(entries: &[Entry], actor: &Actor) -> Result<(), Failure> {
    let records = entries.iter().filter_map(Entry::record).filter(|record| !record.refused);
    let writes = records.filter(|record| matches!(record.act, Act::Write(_)));
    // Versions are v1, v2 and v3: their names have their order.
    let newer = writes.map(|record| &record.version).find(|version| **version > actor.version);
    match newer {
        Some(version) if actor.refuses_newer => Err(Failure::Newer(version.clone())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::device::{self, Mode};

    /// A device that is gone when this is dropped.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> io::Result<Scratch> {
            let path = std::env::temp_dir().join(format!("bowline-{name}-{}", std::process::id()));
            device::make(&path, &["d0"], Mode::Records)?;
            Ok(Scratch(path))
        }

        fn master(&self, member: &str) -> io::Result<Master> {
            let actor = Actor { member: member.into(), version: "v1".into(), pid: 1, refuses_newer: false };
            Master::open(&self.0.join("d0"), actor)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_known_in_one_epoch_is_read_again_in_the_next() -> Result<(), Failure> {
        let scratch = Scratch::new("master-epochs")?;
        let (mut one, mut other) = (scratch.master("n1")?, scratch.master("n2")?);
        one.put(&|| Some(1), "k", None, "first")?;
        other.put(&|| Some(2), "k", None, "second")?;
        let found = one.get(&|| Some(3), "k")?.map(|written| written.value);
        assert_eq!(found.as_deref(), Some("second"));
        assert_eq!(one.epoch(), Some(3));
        Ok(())
    }

    #[test]
    fn a_right_that_ends_in_the_middle_is_no_right() -> Result<(), Failure> {
        let scratch = Scratch::new("master-middle")?;
        let mut master = scratch.master("n1")?;
        // It may when the log is read, and then no more.
        let asked = std::cell::Cell::new(0);
        let may = || {
            asked.set(asked.get() + 1);
            (asked.get() < 2).then_some(1)
        };
        assert!(matches!(master.put(&may, "k", None, "v"), Err(Failure::NotMaster)));
        assert_eq!(master.epoch(), None);
        assert_eq!(device::read(&scratch.0.join("d0"))?, []);
        Ok(())
    }

    #[test]
    fn a_write_that_comes_too_late_does_not_keep_a_master_from_giving_back() -> Result<(), Failure> {
        let scratch = Scratch::new("master-late")?;
        let mut master = scratch.master("n1")?;
        master.claim(&|| Some(1))?;
        for most in 0..2 {
            let asked = std::cell::Cell::new(0);
            let may = || {
                asked.set(asked.get() + 1);
                (asked.get() <= most).then_some(1)
            };
            assert!(matches!(master.put(&may, "k", None, "v"), Err(Failure::NotMaster)), "{most}");
        }
        master.release(1, &|| Some(1))?;
        let entries = device::read(&scratch.0.join("d0"))?;
        let acts: Vec<_> = entries.iter().filter_map(Entry::record).map(|record| &record.act).collect();
        assert_eq!(acts, [&Act::Claim, &Act::Release]);
        Ok(())
    }

    #[test]
    fn giving_back_an_epoch_leaves_the_next_one_alone() -> Result<(), Failure> {
        let scratch = Scratch::new("master-next")?;
        let mut master = scratch.master("n1")?;
        master.claim(&|| Some(1))?;
        master.claim(&|| Some(2))?;
        master.release(1, &|| Some(1))?;
        assert_eq!(master.epoch(), Some(2));
        Ok(())
    }
}
