//! A device: a directory that all nodes see, with a log of everything that was done to it.
//!
//! Whoever acts holds an exclusive lock of the log meanwhile, so that acts have one order. A device remembers the largest epoch
//! that it has seen. If it [`Mode::Enforces`], it refuses smaller ones and writes the refusal down; if it only [`Mode::Records`],
//! it takes them, and the log shows whether the protocol alone keeps masters apart.

mod record;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use record::{Act, Entry, Record, Written};

const LOG: &str = "log";
const EPOCH: &str = "epoch";
const MODE: &str = "mode";

/// What a device does with an epoch that is smaller than the largest it has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// It refuses it.
    Enforces,
    /// It takes it.
    Records,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Mode::Enforces => "enforces",
            Mode::Records => "records",
        }
    }

    fn of_word(word: &str) -> io::Result<Mode> {
        let modes = [Mode::Enforces, Mode::Records];
        let mode = modes.into_iter().find(|mode| mode.word() == word.trim());
        mode.ok_or_else(|| io::Error::other(format!("a device does not know the mode {word:?}")))
    }
}

/// Makes devices with these names in a directory.
///
/// # Errors
/// If they cannot be made.
pub fn make(dir: &Path, names: &[&str], mode: Mode) -> io::Result<()> {
    for name in names {
        let device = dir.join(name);
        fs::create_dir_all(&device)?;
        fs::write(device.join(MODE), mode.word())?;
        OpenOptions::new().append(true).create(true).open(device.join(LOG))?;
    }
    Ok(())
}

/// The names of the devices in a directory, sorted.
///
/// # Errors
/// If it cannot be read.
pub fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.path().join(MODE).is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Which of the devices a key is on.
pub fn of_key<'a>(names: &'a [String], key: &str) -> Option<&'a str> {
    let count = u32::try_from(names.len()).ok().filter(|count| *count > 0)?;
    let at = usize::try_from(crc32fast::hash(key.as_bytes()) % count).ok()?;
    names.get(at).map(String::as_str)
}

/// A device that is open.
#[derive(Debug)]
pub struct Device {
    log: File,
    epoch: PathBuf,
    mode: Mode,
}

/// What a device did with an act.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is done.
    Done,
    /// It is refused, because the device has seen this epoch.
    Refused(u64),
}

impl Device {
    /// Opens one.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(dir: &Path) -> io::Result<Device> {
        let mode = Mode::of_word(&fs::read_to_string(dir.join(MODE))?)?;
        let log = OpenOptions::new().read(true).append(true).open(dir.join(LOG))?;
        Ok(Device { log, epoch: dir.join(EPOCH), mode })
    }

    /// Waits until nobody else has it.
    ///
    /// # Errors
    /// If it cannot be locked.
    pub fn lock(&self) -> io::Result<Locked<'_>> {
        self.log.lock()?;
        Ok(Locked { device: self })
    }
}

/// Whether nobody has the device at this moment: nobody is between a last look at its duties and an act.
///
/// # Errors
/// If there is no device.
pub fn is_free(dir: &Path) -> io::Result<bool> {
    let device = Device::open(dir)?;
    let is_free = device.log.try_lock().is_ok();
    Ok(is_free)
}

/// All that is in the log of a device.
///
/// # Errors
/// If it cannot be read.
pub fn read(dir: &Path) -> io::Result<Vec<Entry>> {
    Device::open(dir)?.lock()?.read()
}

/// A device that nobody else has, until this is dropped.
#[derive(Debug)]
pub struct Locked<'a> {
    device: &'a Device,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // A lock that cannot be given back goes with the process.
        let _ = self.device.log.unlock();
    }
}

impl Locked<'_> {
    /// Everything in the log.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self) -> io::Result<Vec<Entry>> {
        let mut text = Vec::new();
        let mut log = &self.device.log;
        log.seek(SeekFrom::Start(0))?;
        log.read_to_end(&mut text)?;
        Ok(record::parse(&text))
    }

    /// Does what the record says, or refuses it. Either is in the log afterwards.
    ///
    /// # Errors
    /// If it cannot be written; then it may be done or not.
    pub fn append(&self, record: &Record) -> io::Result<Outcome> {
        let seen = self.largest_epoch()?;
        if record.epoch < seen && self.device.mode == Mode::Enforces {
            self.write(&Record { refused: true, ..record.clone() })?;
            return Ok(Outcome::Refused(seen));
        }
        if record.epoch > seen {
            // Before the record: somebody who is killed in between has raised the bar, and that is no harm.
            fs::write(&self.device.epoch, record.epoch.to_string())?;
        }
        self.write(record)?;
        Ok(Outcome::Done)
    }

    fn write(&self, record: &Record) -> io::Result<()> {
        let mut text = Vec::new();
        if self.is_torn()? {
            text.extend_from_slice(record::TORN);
        }
        text.extend_from_slice(&record.line());
        let mut log = &self.device.log;
        log.write_all(&text)
    }

    /// Whether somebody was killed in the middle of the last record.
    fn is_torn(&self) -> io::Result<bool> {
        let length = self.device.log.metadata()?.len();
        let Some(last) = length.checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        self.device.log.read_exact_at(&mut byte, last)?;
        Ok(byte != *b"\n")
    }

    fn largest_epoch(&self) -> io::Result<u64> {
        match fs::read_to_string(&self.device.epoch) {
            // Empty: somebody was killed while raising it. What was acted in is in the log.
            Ok(text) if text.trim().is_empty() => self.largest_in_log(),
            Ok(text) => text.trim().parse().map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn largest_in_log(&self) -> io::Result<u64> {
        let entries = self.read()?;
        let done = entries.iter().filter_map(Entry::record).filter(|record| !record.refused);
        Ok(done.map(|record| record.epoch).max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
