//! The store in a redb file.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowline_kernel::{Change, Version};
use redb::{Builder, Database, Durability, ReadableDatabase, ReadableTable, TableDefinition};

use super::disk::{Backend, Disk};
use super::record::{Kept, pack, pack_key, unpack, unpack_key};
use super::{CommitError, Store, StoreError};
use crate::document::Document;
use crate::key::{Key, Resource};

const OBJECTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("objects");
const COUNTERS: TableDefinition<'_, &str, u64> = TableDefinition::new("counters");
const VERSION: &str = "version";
/// Reads come from memory; the file's cache only serves the pages that are written.
const CACHE_BYTES: usize = 1 << 20;

/// The store in a redb file.
#[derive(Debug)]
pub(crate) struct RedbStore {
    path: PathBuf,
    open: Option<Open>,
    /// Of the last change that is durable.
    version: Version,
}

#[derive(Debug)]
struct Open {
    database: Database,
    disk: Arc<Disk>,
}

impl RedbStore {
    /// Makes a file with nothing in it. Who calls this holds the lock of the directory.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn make(path: &Path) -> Result<(), StoreError> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path);
        let opened = Open::new(file.map_err(StoreError::new)?)?;
        opened.disk.release().map_err(StoreError::new)?;
        opened.write(&[])
    }

    /// Opens a file. It is not changed before something is committed. Who calls this holds the lock of the directory.
    ///
    /// # Errors
    /// If the file is damaged or cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<RedbStore, StoreError> {
        let opened = open(path)?;
        Ok(RedbStore { path: path.to_owned(), version: opened.version()?, open: Some(opened) })
    }

    /// What became of changes after an error. After what redb writes is durable it has more to do, which may fail: what
    /// is in the file decides.
    fn look(&mut self, last: Version, error: StoreError) -> Result<(), CommitError> {
        let opened = open(&self.path).map_err(CommitError::Unknown)?;
        let found = opened.version().map_err(CommitError::Unknown)?;
        let outcome = if found == self.version {
            Err(CommitError::Refused(error))
        } else if found == last {
            opened.disk.sync().map_err(unknown)
        } else {
            Err(CommitError::Unknown(error))
        };
        self.open = Some(opened);
        outcome
    }
}

fn unknown(error: impl Display) -> CommitError {
    CommitError::Unknown(StoreError::new(error))
}

fn open(path: &Path) -> Result<Open, StoreError> {
    // redb takes for granted that what it wrote is what it reads, and panics where it is not.
    catch_unwind(AssertUnwindSafe(|| open_file(path)))
        .unwrap_or_else(|_| Err(StoreError::new("it is damaged")))
}

fn open_file(path: &Path) -> Result<Open, StoreError> {
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(StoreError::new)?;
    if file.metadata().map_err(StoreError::new)?.len() == 0 {
        // redb would take it for a new one.
        return Err(StoreError::new("it is empty"));
    }
    Open::new(file)
}

impl Open {
    /// Opens a file, and makes sure that all of it is as it was written.
    fn new(file: File) -> Result<Open, StoreError> {
        let disk = Disk::hold(file).map_err(StoreError::new)?;
        let repaired = Arc::new(AtomicBool::new(false));
        let repairs = Arc::clone(&repaired);
        let mut database = Builder::new()
            .set_cache_size(CACHE_BYTES)
            .set_repair_callback(move |_| repairs.store(true, Ordering::SeqCst))
            .create_with_backend(Backend(Arc::clone(&disk)))
            .map_err(StoreError::new)?;
        // A repair has looked at everything. A file that was closed well is believed by redb, whatever has become of it.
        if !repaired.load(Ordering::SeqCst) && !database.check_integrity().map_err(StoreError::new)? {
            return Err(StoreError::new("it is damaged"));
        }
        Ok(Open { database, disk })
    }

    fn write(&self, changes: &[Change<Document>]) -> Result<(), StoreError> {
        let mut transaction = self.database.begin_write().map_err(StoreError::new)?;
        transaction.set_durability(Durability::Immediate).map_err(StoreError::new)?;
        {
            let mut objects = transaction.open_table(OBJECTS).map_err(StoreError::new)?;
            for change in changes {
                let key = pack_key(&change.key);
                if change.removed {
                    objects.remove(key.as_slice()).map_err(StoreError::new)?;
                } else {
                    let record = pack(&change.after);
                    objects.insert(key.as_slice(), record.as_slice()).map_err(StoreError::new)?;
                }
            }
            let mut counters = transaction.open_table(COUNTERS).map_err(StoreError::new)?;
            if let Some(last) = changes.last() {
                counters.insert(VERSION, last.version.0).map_err(StoreError::new)?;
            }
        }
        transaction.commit().map_err(StoreError::new)
    }

    /// The version of the last change.
    fn version(&self) -> Result<Version, StoreError> {
        let transaction = self.database.begin_read().map_err(StoreError::new)?;
        let counters = transaction.open_table(COUNTERS).map_err(StoreError::new)?;
        let version = counters.get(VERSION).map_err(StoreError::new)?;
        Ok(Version(version.map_or(0, |version| version.value())))
    }
}

impl Store for RedbStore {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return Ok(()) };
        if self.version.next() != first.version {
            return Err(unknown(format!("{:?} does not follow {:?}", first.version, self.version)));
        }
        let opened = self.open.take().ok_or_else(|| unknown("the store is closed"))?;
        let written = opened.disk.release().map_err(StoreError::new).and_then(|()| opened.write(changes));
        match written {
            Ok(()) => self.open = Some(opened),
            Err(error) if opened.disk.sync_failed() => return Err(CommitError::Unknown(error)),
            Err(error) => {
                // redb goes no further after an error of the disk.
                drop(opened);
                self.look(last.version, error)?;
            }
        }
        self.version = last.version;
        Ok(())
    }

    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<Version, StoreError> {
        let opened = self.open.as_ref().ok_or_else(|| StoreError::new("the store is closed"))?;
        let transaction = opened.database.begin_read().map_err(StoreError::new)?;
        let objects = transaction.open_table(OBJECTS).map_err(StoreError::new)?;
        let mut before: Option<Resource> = None;
        for entry in objects.iter().map_err(StoreError::new)? {
            let (key, record) = entry.map_err(StoreError::new)?;
            let key = unpack_key(key.value(), before.as_ref())?;
            before = Some(key.resource.clone());
            each(key, unpack(record.value())?);
        }
        opened.version()
    }
}

#[cfg(test)]
mod tests;
