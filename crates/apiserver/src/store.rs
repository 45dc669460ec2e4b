//! What is durable: one file, written by one thread.

use bowline_kernel::{Change, Version};

use crate::document::Document;
use crate::key::Key;

mod directory;
mod disk;
mod record;
mod redb_store;

pub(crate) use directory::{Directory, DirectoryError, FileId, NEW_STORE_FILE, STORE_FILE};
pub(crate) use record::Kept;
pub(crate) use redb_store::RedbStore;

/// Keeps changes.
pub(crate) trait Store: Send + 'static {
    /// Makes changes durable, all or none; they are when this returns.
    ///
    /// # Errors
    /// See [`CommitError`].
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError>;

    /// The version of the last change, and everything that is kept, in the order of the keys.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<Version, StoreError>;
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

/// The file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(String);

impl StoreError {
    pub(crate) fn new(what: impl std::fmt::Display) -> StoreError {
        StoreError(what.to_string())
    }
}
