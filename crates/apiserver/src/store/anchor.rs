//! What the store has acknowledged, outside of its file.
//!
//! redb goes back by one commit if the last one is not whole on the disk: so it undoes what a crash has left half done.
//! A disk that loses or damages what it said it has would be undone like that too, and what is left is whole and old. So
//! the version is written beside, after the sync and without one of its own: whatever of it gets to the disk is true.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use bowline_kernel::{Change, Version};

use super::medium::Medium;
use super::proof::{self, SEAL};
use super::record::Kept;
use super::state::State;
use super::{CommitError, Store, StoreError};
use crate::document::Document;
use crate::key::Key;

const NAME: &[u8] = b"acknowledged";
const SIZE: usize = 8 + SEAL;

/// A store that is held to what it has acknowledged.
#[derive(Debug)]
pub(crate) struct Anchored<S> {
    store: S,
    medium: Box<dyn Medium>,
    /// Nothing can be in it yet.
    is_new: bool,
}

impl<S: Store> Anchored<S> {
    /// Holds a store to what is written in the file at `path`, which is made if it is not there.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn at(path: &Path, store: S) -> io::Result<Anchored<S>> {
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        Ok(Anchored { is_new, ..Anchored::on(Box::new(options.open(path)?), store) })
    }

    pub(super) fn on(medium: Box<dyn Medium>, store: S) -> Anchored<S> {
        Anchored { store, medium, is_new: false }
    }

    /// What was acknowledged for sure. A file that cannot be read says nothing: a crash may have left it so.
    fn acknowledged(&self) -> Option<Version> {
        let mut bytes = [0; SIZE];
        let read = self.medium.read(0, &mut bytes);
        let (version, seal) = bytes.split_at(8);
        match version.try_into() {
            Ok(number) if read.is_ok() && proof::seal(NAME, version) == seal => {
                Some(Version(u64::from_le_bytes(number)))
            }
            _ => None,
        }
    }
}

/// Notes that a version is acknowledged.
///
/// # Errors
/// If it cannot be written.
pub(super) fn acknowledge(medium: &dyn Medium, version: Version) -> io::Result<()> {
    let mut bytes = [0; SIZE];
    let (number, seal) = bytes.split_at_mut(8);
    number.copy_from_slice(&version.0.to_le_bytes());
    seal.copy_from_slice(&proof::seal(NAME, number));
    medium.write(0, &bytes)
}

impl<S: Store> Store for Anchored<S> {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        self.store.commit(changes)?;
        if let Some(last) = changes.last()
            && let Err(error) = acknowledge(&*self.medium, last.version)
        {
            // The changes are durable all the same; only a disk that loses them would not be found out.
            tracing::warn!(%error, "it could not be noted what was acknowledged");
        }
        Ok(())
    }

    fn load(&self, each: &mut dyn FnMut(Key, Kept)) -> Result<State, StoreError> {
        let state = self.store.load(each)?;
        match self.acknowledged() {
            Some(acknowledged) => {
                no_older_than(state.version, acknowledged, "the file `acknowledged` beside it")?;
            }
            None if state.version > Version(0) && !self.is_new => tracing::warn!(
                store = state.version.0,
                "the file `acknowledged` is damaged, so nothing says whether the store has lost its last writes. That can be \
                 if the power failed; else look after the disk. The next write mends the file"
            ),
            None => {}
        }
        Ok(state)
    }
}

/// Whether a store holds what was acknowledged, as somebody else knows it: what is whole can still be too old.
///
/// # Errors
/// If it does not.
pub(crate) fn no_older_than(found: Version, acknowledged: Version, says: &str) -> Result<(), StoreError> {
    if found >= acknowledged {
        return Ok(());
    }
    Err(StoreError::damaged(format!(
        "the store is at version {found}, but at least {acknowledged} was acknowledged, as {says} says: \
         the last writes are lost"
    )))
}

#[cfg(test)]
mod tests;
