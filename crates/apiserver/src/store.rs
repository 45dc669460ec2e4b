//! What is durable: one file, written by one thread.

use bowline_kernel::Change;

use crate::document::Document;
use crate::key::Key;

pub(crate) mod anchor;
pub(crate) mod backup;
mod blocks;
mod directory;
mod disk;
mod exposed;
mod filling;
mod format1;
mod keyring;
mod medium;
mod opening;
mod proof;
mod record;
mod redb_store;
mod restore;
mod state;

pub(crate) use anchor::Anchored;
pub use backup::{BackupError, Check as BackupCheck};
pub(crate) use directory::{Directory, DirectoryError, FileId, NEW_STORE_FILE, STORE_FILE};
pub(crate) use exposed::exposed;
pub(crate) use keyring::Keyring;
pub(crate) use opening::{Opened, Unusable, open, rotate_key};
pub(crate) use record::Kept;
pub(crate) use redb_store::RedbStore;
pub use restore::{Mend, Mending, RestoreError, Restored, Unread, restore};
pub(crate) use state::{Restores, State};

/// Keeps changes.
pub(crate) trait Store: Send + 'static {
    /// Makes changes durable, all or none; they are when this returns.
    ///
    /// # Errors
    /// See [`CommitError`].
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError>;

    /// What the store says of itself, and everything that is kept, in the order of the keys. Who gets an error has been
    /// shown something that is not to be used.
    ///
    /// # Errors
    /// If the file cannot be read, or is not as it was written.
    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<State, StoreError>;
}

/// Changes are not durable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    /// Nothing has changed on the disk; the store goes on. Typically the disk is full.
    #[error("the changes could not be written: {0}")]
    Refused(#[source] StoreError),
    /// Nobody knows what is on the disk. Whoever goes on now lies to somebody: the process has to stop.
    #[error("it is not known what is on the disk: {0}")]
    Unknown(#[source] StoreError),
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be read or written.
    #[error("{0}")]
    Failed(String),
    /// It is not as it was written.
    #[error("it is damaged: {0}. It was left as it is; move it away, and restore a backup")]
    Damaged(String),
    /// The keys of what is encrypted are not there.
    #[error("{0}")]
    Keys(String),
}

impl StoreError {
    pub(crate) fn new(what: impl std::fmt::Display) -> StoreError {
        StoreError::Failed(what.to_string())
    }

    pub(crate) fn damaged(what: impl std::fmt::Display) -> StoreError {
        StoreError::Damaged(what.to_string())
    }
}

#[cfg(test)]
mod faults;
#[cfg(test)]
pub(crate) mod fuzz;
