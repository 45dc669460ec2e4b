//! The file under redb, which remembers at which step it failed: that decides whether we may go on.
//!
//! Opening a file makes redb write to it. Whoever opens one that turns out to be damaged must leave it as it is, so
//! what redb writes is held in memory until the first change is to be made durable.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use super::blocks::Blocks;
use super::medium::Medium;

/// The file under redb.
#[derive(Debug)]
pub(super) struct Disk {
    file: Box<dyn Medium>,
    /// `None`: what is written goes to the file.
    held: Mutex<Option<Held>>,
    /// What redb has read and written.
    blocks: Mutex<Blocks>,
    sync_failed: AtomicBool,
}

/// What redb did and the file does not know of.
#[derive(Debug)]
struct Held {
    /// The length of the file itself.
    file_len: u64,
    /// The length that redb sees.
    len: u64,
    /// In their order: a crash while they are repeated is one that redb recovers from.
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

impl Disk {
    /// A file that is not changed before [`Disk::release`].
    ///
    /// # Errors
    /// If its length cannot be had.
    pub(super) fn hold(file: Box<dyn Medium>) -> io::Result<Arc<Disk>> {
        let file_len = file.len()?;
        let held = Mutex::new(Some(Held { file_len, len: file_len, steps: Vec::new() }));
        Ok(Arc::new(Disk { file, held, blocks: Mutex::default(), sync_failed: AtomicBool::new(false) }))
    }

    /// Writes what was held, and from now on everything at once.
    ///
    /// # Errors
    /// If it cannot be written. Then it stays held, and the file is as after a crash.
    pub(super) fn release(&self) -> io::Result<()> {
        let mut held = self.held();
        for step in held.iter().flat_map(|held| &held.steps) {
            match step {
                Step::Write(at, data) => self.file.write(*at, data)?,
                Step::SetLen(len) => self.file.set_len(*len)?,
                Step::Sync => self.sync()?,
            }
        }
        *held = None;
        Ok(())
    }

    /// Whether a sync has failed: nobody knows what is on the disk then.
    pub(super) fn sync_failed(&self) -> bool {
        self.sync_failed.load(Ordering::SeqCst)
    }

    /// Waits until the disk has what was written.
    ///
    /// # Errors
    /// If it is not known whether it has.
    pub(super) fn sync(&self) -> io::Result<()> {
        // What a failed sync leaves behind is not known, and a second try may succeed without having
        // written what the first one lost.
        self.file.sync().inspect_err(|_| self.sync_failed.store(true, Ordering::SeqCst))
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn read(&self, file: &dyn Medium, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(out.len() as u64);
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        out.fill(0);
        let in_file = self.file_len.saturating_sub(offset).min(out.len() as u64) as usize;
        file.read(offset, &mut out[..in_file])?;
        for step in &self.steps {
            match step {
                Step::Write(at, data) => lay(data, *at, out, offset),
                // It was cut here, and has grown again since.
                Step::SetLen(len) if *len < end => out[len.saturating_sub(offset) as usize..].fill(0),
                Step::SetLen(_) | Step::Sync => {}
            }
        }
        Ok(())
    }
}

/// Writes of `data`, which begins at `at`, what falls into `out`, which begins at `offset`.
fn lay(data: &[u8], at: u64, out: &mut [u8], offset: u64) {
    let from = at.max(offset);
    let to = (at + data.len() as u64).min(offset + out.len() as u64);
    if from < to {
        let part = &data[(from - at) as usize..(to - at) as usize];
        out[(from - offset) as usize..(to - offset) as usize].copy_from_slice(part);
    }
}

/// What redb is given.
#[derive(Debug)]
pub(super) struct Backend(pub(super) Arc<Disk>);

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        match &*self.0.held() {
            Some(held) => Ok(held.len),
            None => self.0.file.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match &*self.0.held() {
            Some(held) => held.read(&*self.0.file, offset, out)?,
            None => self.0.file.read(offset, out)?,
        }
        match self.0.blocks().read(offset, out) {
            None => Ok(()),
            Some(at) => {
                let what = format!("what is at {at} of the file is not what was written there");
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.blocks().set_len(len);
        match &mut *self.0.held() {
            Some(held) => {
                held.len = len;
                held.steps.push(Step::SetLen(len));
                Ok(())
            }
            None => self.0.file.set_len(len),
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        match &mut *self.0.held() {
            Some(held) => {
                held.steps.push(Step::Sync);
                Ok(())
            }
            None => self.0.sync(),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.blocks().write(offset, data);
        match &mut *self.0.held() {
            Some(held) => {
                held.len = held.len.max(offset + data.len() as u64);
                held.steps.push(Step::Write(offset, data.to_vec()));
                Ok(())
            }
            None => self.0.file.write(offset, data),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn scratch(name: &str, bytes: &[u8]) -> (std::path::PathBuf, Box<dyn Medium>) {
        let path = std::env::temp_dir().join(format!("bowline-disk-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file");
        let file = File::options().read(true).write(true).open(&path).expect("a file");
        (path, Box::new(file))
    }

    fn read(backend: &Backend, offset: u64, length: usize) -> String {
        let mut out = vec![b'?'; length];
        backend.read(offset, &mut out).expect("it can be read");
        String::from_utf8_lossy(&out).replace('\0', ".")
    }

    #[test]
    fn what_is_held_is_seen_and_not_in_the_file() {
        let (path, file) = scratch("held", b"abcdefghij");
        let disk = Disk::hold(file).expect("it has a length");
        let backend = Backend(Arc::clone(&disk));
        backend.write(2, b"CD").expect("it is held");
        backend.write(3, b"3456").expect("it is held");
        assert_eq!(read(&backend, 0, 10), "abC3456hij");
        assert_eq!(read(&backend, 4, 2), "45");
        backend.set_len(5).expect("it is held");
        assert!(backend.read(4, &mut [0; 2]).is_err());
        backend.set_len(12).expect("it is held");
        backend.write(11, b"L").expect("it is held");
        backend.sync_data().expect("it is held");
        assert_eq!(
            (backend.len().expect("it has one"), read(&backend, 0, 12)),
            (12, "abC34......L".to_owned())
        );
        assert_eq!(std::fs::read(&path).expect("a file"), b"abcdefghij");
        disk.release().expect("it can be written");
        assert_eq!(std::fs::read(&path).expect("a file"), b"abC34\0\0\0\0\0\0L");
        assert_eq!(
            (backend.len().expect("it has one"), read(&backend, 0, 12)),
            (12, "abC34......L".to_owned())
        );
        backend.write(0, b"A").expect("it is written");
        assert_eq!(std::fs::read(&path).expect("a file")[0], b'A');
        std::fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn what_nobody_releases_has_not_been() {
        let (path, file) = scratch("dropped", b"abc");
        let disk = Disk::hold(file).expect("it has a length");
        Backend(Arc::clone(&disk)).write(1, b"xyz").expect("it is held");
        drop(disk);
        assert_eq!(std::fs::read(&path).expect("a file"), b"abc");
        std::fs::remove_file(path).expect("it is there");
    }
}
