//! The store in a redb file.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowline_kernel::{Change, Version};
use redb::{Builder, Database, Durability, ReadableDatabase, ReadableTable, TableDefinition};

use super::disk::Disk;
use super::record::{Kept, pack, pack_key, unpack, unpack_key};
use super::{CommitError, Store, StoreError};
use crate::document::Document;
use crate::key::{Key, Resource};

const OBJECTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("objects");
const COUNTERS: TableDefinition<'_, &str, u64> = TableDefinition::new("counters");
const VERSION: &str = "version";
/// Reads come from memory; the file's cache only serves the pages that are written.
const CACHE_BYTES: usize = 8 << 20;

/// The store in a redb file.
#[derive(Debug)]
pub struct RedbStore {
    path: PathBuf,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    database: Database,
    sync_failed: Arc<AtomicBool>,
}

impl RedbStore {
    /// Opens the file, or makes it. Who calls this holds the lock of the directory.
    ///
    /// # Errors
    /// If the file is damaged or cannot be opened.
    pub fn open(path: &Path) -> Result<RedbStore, StoreError> {
        Ok(RedbStore { path: path.to_owned(), open: Some(open(path)?) })
    }

    fn write(open: &Open, changes: &[Change<Document>]) -> Result<(), StoreError> {
        let mut transaction = open.database.begin_write().map_err(StoreError::new)?;
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
}

fn open(path: &Path) -> Result<Open, StoreError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| StoreError::new(format!("{}: {error}", path.display())))?;
    let (disk, sync_failed) = Disk::new(file);
    let database = Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create_with_backend(disk)
        .map_err(|error| StoreError::new(format!("{}: {error}", path.display())))?;
    Ok(Open { database, sync_failed })
}

impl Store for RedbStore {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        let opened = match self.open.take() {
            Some(opened) => opened,
            None => open(&self.path).map_err(CommitError::Refused)?,
        };
        match Self::write(&opened, changes) {
            Ok(()) => {
                self.open = Some(opened);
                Ok(())
            }
            Err(error) if opened.sync_failed.load(Ordering::SeqCst) => Err(CommitError::Unknown(error)),
            // redb goes no further after an error of the disk; it is opened anew for the next batch.
            Err(error) => Err(CommitError::Refused(error)),
        }
    }

    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<Version, StoreError> {
        let opened = self.open.as_ref().ok_or_else(|| StoreError::new("the store is closed"))?;
        let transaction = opened.database.begin_read().map_err(StoreError::new)?;
        let objects = match transaction.open_table(OBJECTS) {
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Version(0)),
            objects => objects.map_err(StoreError::new)?,
        };
        let mut before: Option<Resource> = None;
        for entry in objects.iter().map_err(StoreError::new)? {
            let (key, record) = entry.map_err(StoreError::new)?;
            let key = unpack_key(key.value(), before.as_ref())?;
            before = Some(key.resource.clone());
            each(key, unpack(record.value())?);
        }
        let counters = transaction.open_table(COUNTERS).map_err(StoreError::new)?;
        let version = counters.get(VERSION).map_err(StoreError::new)?;
        Ok(Version(version.map_or(0, |version| version.value())))
    }
}
