//! A store that is written from its beginning: nothing that was ever in another file is in this one.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use bowline_kernel::Version;
use redb::Durability;

use super::StoreError;
use super::keyring::Keyring;
use super::proof::Sum;
use super::record::{Kept, pack, pack_key};
use super::redb_store::{CACHE_BYTES, Open, RECORDS, STATE, said};
use super::state::{Restores, State};
use crate::key::Key;

/// So many records are held in memory before they are written.
const AT_ONCE: usize = 1000;

/// A store that is being written.
pub(super) struct Filling<'a> {
    open: Open,
    keyring: &'a Keyring,
    sum: Sum,
    waiting: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Filling<'a> {
    /// Begins a file; what was at `path` is gone.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn begin(path: &Path, keyring: &'a Keyring) -> Result<Filling<'a>, StoreError> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path);
        let open = Open::new(Box::new(file.map_err(StoreError::new)?), CACHE_BYTES)?;
        open.disk.release().map_err(StoreError::new)?;
        Ok(Filling { open, keyring, sum: Sum::default(), waiting: Vec::new() })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it cannot be encrypted or written.
    pub(super) fn add(&mut self, key: &Key, kept: &Kept) -> Result<(), StoreError> {
        let key = pack_key(key);
        let record = pack(self.keyring, &key, kept.version, &kept.parts)?;
        self.sum.add(&key, kept.version);
        self.waiting.push((key, record));
        if self.waiting.len() < AT_ONCE { Ok(()) } else { self.write(Durability::None, None) }
    }

    /// The store is whole, and durable when this returns.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn finish(mut self, version: Version, restores: Restores) -> Result<(), StoreError> {
        let state = State { version, sum: self.sum, restores };
        self.write(Durability::Immediate, Some(state))
    }

    fn write(&mut self, durability: Durability, state: Option<State>) -> Result<(), StoreError> {
        let mut transaction = self.open.database.begin_write().map_err(said)?;
        transaction.set_durability(durability).map_err(StoreError::new)?;
        {
            let mut records = transaction.open_table(RECORDS).map_err(said)?;
            for (key, record) in self.waiting.drain(..) {
                records.insert(key.as_slice(), record.as_slice()).map_err(said)?;
            }
            if let Some(state) = state {
                let mut table = transaction.open_table(STATE).map_err(said)?;
                table.insert((), state.to_bytes().as_slice()).map_err(said)?;
            }
        }
        transaction.commit().map_err(said)
    }
}
