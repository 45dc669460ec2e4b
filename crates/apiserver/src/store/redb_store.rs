//! The store in a redb file.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowline_kernel::{Change, Object};
use redb::{
    Builder, Database, Durability, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition,
    TableError,
};

use super::disk::{Backend, Disk};
use super::keyring::Keyring;
use super::medium::{Medium, Place};
use super::proof::Sum;
use super::record::{Kept, pack, pack_key, unpack, unpack_key};
use super::state::State;
use super::{CommitError, Store, StoreError};
use crate::document::Document;
use crate::key::{Key, Resource};

pub(super) const RECORDS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("records");
/// One record: what the store says of itself.
pub(super) const STATE: TableDefinition<'_, (), &[u8]> = TableDefinition::new("state");
/// Reads come from memory; the file's cache only serves the pages that are written.
pub(super) const CACHE_BYTES: usize = 1 << 20;

/// The store in a redb file.
#[derive(Debug)]
pub(crate) struct RedbStore {
    place: Box<dyn Place>,
    cache_bytes: usize,
    keyring: Keyring,
    open: Option<Open>,
    /// What is durable.
    state: State,
}

/// A file that is open.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) database: Database,
    pub(super) disk: Arc<Disk>,
}

impl RedbStore {
    /// Makes a file with nothing in it. Who calls this holds the lock of the directory.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn make(path: &Path) -> Result<(), StoreError> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path);
        make_on(Box::new(file.map_err(StoreError::new)?))
    }

    /// Opens a file. It is not changed before something is committed. Who calls this holds the lock of the directory.
    ///
    /// # Errors
    /// If the file is damaged or cannot be opened.
    pub(crate) fn open(path: &Path, keyring: &Keyring) -> Result<RedbStore, StoreError> {
        RedbStore::open_at(Box::new(path.to_owned()), CACHE_BYTES, keyring.clone())
    }

    pub(super) fn open_at(
        place: Box<dyn Place>,
        cache_bytes: usize,
        keyring: Keyring,
    ) -> Result<RedbStore, StoreError> {
        let opened = open(&*place, cache_bytes)?;
        // A process that was killed may have written what is not on the disk yet, and everybody sees it from now on.
        opened.disk.sync().map_err(StoreError::new)?;
        Ok(RedbStore { place, cache_bytes, keyring, state: opened.state()?, open: Some(opened) })
    }

    /// What became of changes after an error. After what redb writes is durable it has more to do, which may fail: what
    /// is in the file decides.
    fn look(&mut self, after: State, error: StoreError) -> Result<(), CommitError> {
        let opened = open(&*self.place, self.cache_bytes).map_err(CommitError::Unknown)?;
        let found = opened.state().map_err(CommitError::Unknown)?;
        let outcome = if found == self.state {
            Err(CommitError::Refused(error))
        } else if found == after {
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

/// Makes a store with nothing in it.
///
/// # Errors
/// If it cannot be written.
pub(super) fn make_on(medium: Box<dyn Medium>) -> Result<(), StoreError> {
    let opened = Open::new(medium, CACHE_BYTES)?;
    opened.disk.release().map_err(StoreError::new)?;
    opened.write(&[], State::default(), &Keyring::default())
}

/// Opens what is at a place, and changes nothing there.
///
/// # Errors
/// If it is damaged or cannot be opened.
pub(super) fn open(place: &dyn Place, cache_bytes: usize) -> Result<Open, StoreError> {
    sober(|| {
        let medium = place.open().map_err(StoreError::new)?;
        if medium.len().map_err(StoreError::new)? == 0 {
            // redb would take it for a new one.
            return Err(StoreError::damaged("it is empty"));
        }
        Open::new(medium, cache_bytes)
    })
}

/// redb takes for granted that what it wrote is what it reads, and panics where it is not.
pub(super) fn sober<T>(read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(StoreError::damaged("its pages do not fit together")))
}

/// What redb says of a file, as far as it tells damage from everything else.
pub(super) fn said(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Corrupted(what) => StoreError::damaged(what),
        // No hub has ever written such a file.
        redb::Error::UpgradeRequired(_) => StoreError::damaged("its header is not what was written"),
        redb::Error::Io(error)
            if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            StoreError::damaged(error)
        }
        error => StoreError::new(error),
    }
}

impl Open {
    /// Opens a file, and makes sure that all of its pages are as they were written.
    pub(super) fn new(medium: Box<dyn Medium>, cache_bytes: usize) -> Result<Open, StoreError> {
        let disk = Disk::hold(medium).map_err(StoreError::new)?;
        let repaired = Arc::new(AtomicBool::new(false));
        let repairs = Arc::clone(&repaired);
        let mut database = Builder::new()
            .set_cache_size(cache_bytes)
            .set_repair_callback(move |_| repairs.store(true, Ordering::SeqCst))
            .create_with_backend(Backend(Arc::clone(&disk)))
            .map_err(said)?;
        // A repair has looked at everything. A file that was closed well is believed by redb, whatever has become of it.
        if !repaired.load(Ordering::SeqCst) && !database.check_integrity().map_err(said)? {
            return Err(StoreError::damaged("its pages are not as they were written"));
        }
        Ok(Open { database, disk })
    }

    fn write(&self, changes: &[Change<Document>], after: State, keyring: &Keyring) -> Result<(), StoreError> {
        let mut transaction = self.database.begin_write().map_err(said)?;
        transaction.set_durability(Durability::Immediate).map_err(StoreError::new)?;
        {
            let mut records = transaction.open_table(RECORDS).map_err(said)?;
            for change in changes {
                let key = pack_key(&change.key);
                if change.removed {
                    records.remove(key.as_slice()).map_err(said)?;
                } else {
                    let after = &change.after;
                    let record = pack(keyring, &key, after.meta().version, after.parts())?;
                    records.insert(key.as_slice(), record.as_slice()).map_err(said)?;
                }
            }
            let mut state = transaction.open_table(STATE).map_err(said)?;
            state.insert((), after.to_bytes().as_slice()).map_err(said)?;
        }
        transaction.commit().map_err(said)
    }

    fn state(&self) -> Result<State, StoreError> {
        sober(|| state_in(&self.database.begin_read().map_err(said)?))
    }
}

fn state_in(transaction: &ReadTransaction) -> Result<State, StoreError> {
    let table = match transaction.open_table(STATE) {
        Err(TableError::TableDoesNotExist(_)) => {
            return Err(StoreError::damaged("it is not the store of a hub"));
        }
        table => table.map_err(said)?,
    };
    let state = table.get(()).map_err(said)?;
    State::from_bytes(state.as_ref().map_or(&[], |state| state.value()))
}

impl Store for RedbStore {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        let Some(first) = changes.first() else { return Ok(()) };
        if self.state.version.next() != first.version {
            return Err(unknown(format!("{:?} does not follow {:?}", first.version, self.state.version)));
        }
        let after = self.state.after(changes);
        let opened = self.open.take().ok_or_else(|| unknown("the store is closed"))?;
        let released = opened.disk.release().map_err(StoreError::new);
        let written = released.and_then(|()| opened.write(changes, after, &self.keyring));
        match written {
            Ok(()) => self.open = Some(opened),
            Err(error) if opened.disk.sync_failed() => return Err(CommitError::Unknown(error)),
            Err(error) => {
                // redb goes no further after an error of the disk.
                drop(opened);
                self.look(after, error)?;
            }
        }
        self.state = after;
        Ok(())
    }

    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<State, StoreError> {
        let opened = self.open.as_ref().ok_or_else(|| StoreError::new("the store is closed"))?;
        sober(|| {
            let transaction = opened.database.begin_read().map_err(said)?;
            let records = transaction.open_table(RECORDS).map_err(said)?;
            let mut before: Option<Resource> = None;
            let mut sum = Sum::default();
            for entry in records.iter().map_err(said)? {
                let (bytes, record) = entry.map_err(said)?;
                let key = unpack_key(bytes.value(), before.as_ref())?;
                let kept = unpack(&self.keyring, bytes.value(), record.value())?;
                before = Some(key.resource.clone());
                sum.add(bytes.value(), kept.version);
                each(key, kept);
            }
            let state = state_in(&transaction)?;
            if sum != state.sum {
                return Err(StoreError::damaged(format!(
                    "it holds {} objects that are not those {} that were written",
                    sum.count, state.sum.count
                )));
            }
            Ok(state)
        })
    }
}

#[cfg(test)]
mod tests;
