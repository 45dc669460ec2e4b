//! What the volume server has done, in the one order in which it did it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Something that was done with a volume.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The volume.
    pub handle: String,
    /// For which cluster.
    pub cluster: String,
    /// In which epoch of its grant, as its cluster knew it.
    pub epoch: u64,
    /// What.
    pub what: What,
}

/// What can be done with a volume.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum What {
    /// It was made, empty.
    Made,
    /// It was made, empty, and several may use it at once.
    Shared,
    /// A pod can write to it from now on.
    Attached,
    /// A pod has written a record, and was told that it is kept.
    Wrote(u64),
    /// A pod wanted to, and was kept from it by a fence of its cluster.
    Refused,
    /// No pod of the cluster can write to it any more.
    Detached,
    /// The cluster is kept from all volumes from now on; not one volume's.
    Fenced,
    /// It is not, any more.
    Unfenced,
    /// Whoever comes to a volume with a smaller epoch is refused from now on; not one volume's.
    Enforced,
    /// Its data was deleted.
    Deleted,
}

/// The log, and the directories of the volumes.
#[derive(Debug)]
pub struct Log {
    root: PathBuf,
    entries: Mutex<Vec<Entry>>,
}

impl Log {
    /// An empty one.
    ///
    /// # Errors
    /// If the directory cannot be made.
    pub fn new(root: &Path) -> Result<Log> {
        fs::create_dir_all(root)?;
        Ok(Log { root: root.to_owned(), entries: Mutex::default() })
    }

    /// Everything so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where a volume is.
    pub fn directory(&self, handle: &str) -> PathBuf {
        self.root.join(handle)
    }

    /// Notes something, and does what it takes while nobody else does anything.
    ///
    /// # Errors
    /// If that cannot be done.
    pub(crate) fn note(
        &self,
        entry: Entry,
        act: impl FnOnce(&Path, &[Entry]) -> Result<bool>,
    ) -> Result<bool> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let done = act(&self.root.join(&entry.handle), &entries)?;
        if done {
            entries.push(entry);
        }
        Ok(done)
    }

    /// Everything so far, and what is in these volumes at that moment: whole lines, of those that are there.
    pub(crate) fn at_once(&self) -> (Vec<Entry>, BTreeMap<String, Vec<String>>) {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let handles: BTreeSet<_> = entries.iter().map(|entry| entry.handle.clone()).collect();
        let lines = |handle: String| {
            let text = fs::read_to_string(self.directory(&handle).join("data")).ok()?;
            Some((handle, text.lines().map(str::to_owned).collect()))
        };
        let there = handles.into_iter().filter_map(lines).collect();
        (entries.clone(), there)
    }
}

/// Adds a line to a volume: processes are killed here, and machines are not.
pub(crate) fn append(directory: &Path, line: &str) -> Result<()> {
    let mut file = File::options().append(true).open(directory.join("data"))?;
    file.write_all(format!("{line}\n").as_bytes())?;
    Ok(())
}

/// A line of a volume.
pub(crate) fn line(cluster: &str, number: u64) -> String {
    format!("{cluster} {number}")
}
