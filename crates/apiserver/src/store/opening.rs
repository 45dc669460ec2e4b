//! How a hub comes to its store: made on first use, brought to the format of today, opened with its keys.

use std::fs;
use std::io;
use std::path::PathBuf;

use bowline_kernel::Version;

use super::directory::{
    ACKNOWLEDGED_FILE, KEPT_STORE_FILE, NEW_STORE_FILE, RESTORED_STORE_FILE, REWRITTEN_STORE_FILE, STORE_FILE,
};
use super::filling::Filling;
use super::keyring::Keyring;
use super::record::Kept;
use super::state::{Restores, State};
use super::{Anchored, Directory, RedbStore, Store, StoreError, format1};
use crate::key::Key;

/// The data of a hub cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the data in {} cannot be used: {source}", path.display())]
pub struct Unusable {
    /// The file with the objects.
    pub path: PathBuf,
    /// Why.
    pub source: StoreError,
}

/// The store of a hub, and all that is in it.
pub(crate) struct Opened {
    /// The store.
    pub store: Anchored<RedbStore>,
    /// The keys that it encrypts with.
    pub keyring: Keyring,
    /// What it says of itself.
    pub state: State,
    /// Everything that is kept, in the order of the keys.
    pub kept: Vec<(Key, Kept)>,
}

/// Opens the store of a hub and reads all that is in it. What there is of an older format is brought to that of today.
///
/// # Errors
/// If something is damaged, missing, or cannot be read or written.
pub(crate) fn open(directory: &Directory) -> Result<Opened, Unusable> {
    open_in(directory).map_err(|source| Unusable { path: directory.join(STORE_FILE), source })
}

fn open_in(directory: &Directory) -> Result<Opened, StoreError> {
    // Who has lost the keys must not get others before it is known whether something needs them.
    let mut keyring = Keyring::load(directory)?.unwrap_or_default();
    let path = store_file(directory)?;
    if keyring.is_empty() && (directory.is_new() || directory.is_older()) {
        keyring = new_keys(directory)?;
    }
    // What a rotation that was killed has left; it may not be there.
    let _ = fs::remove_file(directory.join(REWRITTEN_STORE_FILE));
    if directory.is_older() {
        migrate(directory, &keyring)?;
    }
    let store = RedbStore::open(&path, &keyring)?;
    let store = Anchored::at(&directory.join(ACKNOWLEDGED_FILE), store).map_err(StoreError::new)?;
    let mut kept = Vec::new();
    let state = store.load(&mut |key, record| kept.push((key, record)))?;
    if keyring.is_empty() {
        // Nothing is encrypted, so nothing is lost with the keys.
        drop(store);
        new_keys(directory)?;
        return open_in(directory);
    }
    Ok(Opened { store, keyring, state, kept })
}

fn new_keys(directory: &Directory) -> Result<Keyring, StoreError> {
    let made = || -> io::Result<Keyring> {
        let keyring = Keyring::made()?;
        keyring.save(directory)?;
        Ok(keyring)
    };
    made().map_err(|error| StoreError::new(format!("its keys cannot be made: {error}")))
}

/// The file with the objects. If the hub is killed while it is being made, what there is is not taken for a hub; and
/// what has been a hub is not taken for a new one.
fn store_file(directory: &Directory) -> Result<PathBuf, StoreError> {
    let (path, new) = (directory.join(STORE_FILE), directory.join(NEW_STORE_FILE));
    let restored = directory.join(RESTORED_STORE_FILE);
    if directory.is_new() && restored.exists() {
        return Err(StoreError::new(
            "it was to be restored from a backup, and that was not finished: do it again",
        ));
    }
    if directory.is_new() {
        RedbStore::make(&new)?;
        directory.made().map_err(StoreError::new)?;
    }
    for made in [new, restored] {
        if made.exists() && !path.exists() {
            directory.rename(&made, &path).map_err(StoreError::new)?;
        }
    }
    Ok(path)
}

/// Brings a directory of format 1 to that of today. Whenever this is killed, the next start goes on: the old file is
/// there until the new one is whole, and has another name afterwards.
fn migrate(directory: &Directory, keyring: &Keyring) -> Result<(), StoreError> {
    let path = directory.join(STORE_FILE);
    // If it is not of format 1 any more, all that is left to do is to say so.
    if let Some((version, kept)) = format1::read(&path)? {
        let copy = directory.join(KEPT_STORE_FILE);
        let keep = || {
            // A migration that was killed has left it there already.
            if directory.file(KEPT_STORE_FILE) == directory.file(STORE_FILE) {
                return Ok(());
            }
            fs::hard_link(&path, &copy)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", copy.display())))
        };
        write_anew(directory, keyring, version, Restores::default(), &kept, keep)?;
        tracing::warn!(
            copy = %copy.display(),
            "the store was brought to format 2, in which Secrets are encrypted. The file of format 1 was kept, with its \
             Secrets in plain text: remove it when you no longer want to go back"
        );
    }
    directory.made().map_err(StoreError::new)
}

/// Writes the whole store into a new file, and puts that into the place of the old one after `ready`.
pub(super) fn write_anew(
    directory: &Directory,
    keyring: &Keyring,
    version: Version,
    restores: Restores,
    kept: &[(Key, Kept)],
    ready: impl FnOnce() -> io::Result<()>,
) -> Result<(), StoreError> {
    let anew = directory.join(REWRITTEN_STORE_FILE);
    let mut filling = Filling::begin(&anew, keyring)?;
    for (key, kept) in kept {
        filling.add(key, kept)?;
    }
    filling.finish(version, restores)?;
    let exchange = || -> io::Result<()> {
        ready()?;
        directory.rename(&anew, &directory.join(STORE_FILE))
    };
    exchange().map_err(StoreError::new)
}

/// Gives a hub that does not run a new key for its Secrets, writes them all anew, and drops all older keys. Whenever this
/// is killed, the keys of all that is written are there.
///
/// # Errors
/// If the data cannot be used or written.
pub(crate) fn rotate_key(directory: &Directory) -> Result<usize, Unusable> {
    let rotate = || -> Result<usize, StoreError> {
        let Opened { store, mut keyring, state, kept } = open_in(directory)?;
        drop(store);
        keyring.renew().and_then(|()| keyring.save(directory)).map_err(StoreError::new)?;
        write_anew(directory, &keyring, state.version, state.restores, &kept, || Ok(()))?;
        keyring.forget_old();
        keyring.save(directory).map_err(StoreError::new)?;
        Ok(kept.iter().filter(|(key, _)| super::record::is_secret(key)).count())
    };
    rotate().map_err(|source| Unusable { path: directory.join(STORE_FILE), source })
}

#[cfg(test)]
mod tests;
