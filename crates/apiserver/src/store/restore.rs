//! A hub from a backup.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bowline_kernel::{Object, Version};
use jiff::Timestamp;
use serde_json::Value;

use super::backup::{Backup, BackupError};
use super::directory::{RESTORED_STORE_FILE, STORE_FILE};
use super::filling::Filling;
use super::keyring::{KEYS_FILE, Keyring};
use super::record::Kept;
use super::state::Restores;
use super::{Directory, DirectoryError, StoreError};
use crate::document::Document;
use crate::key::Key;
use crate::time::Moment;

/// No hub writes so many versions in a millisecond. So whoever begins at the time of its restore is ahead of all that was
/// written before it, also of what came of an earlier restore of the same backup, and no version is ever given twice.
const PER_MS: u64 = 1_000;
/// Versions go on at least so far behind the backup, also by a clock that stands wrong.
const AT_LEAST: u64 = 1_000_000_000_000;

/// What identifies a hub to its clients, and who signs their tokens.
const IDENTITY: [&str; 3] = ["ca.crt", "ca.key", "service-accounts.key"];

/// No hub can be made of a backup.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The backup cannot be used.
    #[error("{}: {source}", path.display())]
    Backup {
        /// The backup.
        path: PathBuf,
        /// Why.
        source: BackupError,
    },
    /// The directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// There is a hub in the directory.
    #[error("{} holds a hub already, and was left as it is; choose another directory with --data", .0.display())]
    Taken(PathBuf),
    /// The Secrets cannot be decrypted.
    #[error(
        "{}: its Secrets are encrypted, and the key is not in it; name the directory with the copy of secrets.key that was \
         kept by --keys ({why})",
        path.display()
    )]
    Keys {
        /// The backup.
        path: PathBuf,
        /// Which key is missing.
        why: String,
    },
    /// What is in it cannot be made good for use.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// The backup.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store cannot be written.
    #[error("{}: {source}", path.display())]
    Store {
        /// The file with the objects.
        path: PathBuf,
        /// Why.
        source: StoreError,
    },
}

/// An object of a backup that nobody has read yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Unread {
    /// Its resource, as in the paths of the API, without the group.
    pub resource: String,
    /// Its JSON, without `apiVersion` and `kind`. What is changed of its metadata is lost.
    pub object: Value,
}

/// What changes objects of a backup before anybody reads them, and what it is told: all of them, and where versions go on. It may say
/// why they cannot be used.
pub type Mend<'a> = &'a mut dyn FnMut(&mut [Unread], u64) -> Result<(), String>;

/// Whoever knows what a restore means for objects of a group.
pub struct Mending<'a> {
    /// The group.
    pub group: &'a str,
    /// What it does to them.
    pub mend: Mend<'a>,
}

/// What came of a backup.
#[derive(Debug)]
pub struct Restored {
    /// How many objects there are.
    pub objects: usize,
    /// When the backup was made.
    pub made_at: String,
    /// The version of the last change in it.
    pub version: u64,
    /// From where on versions are given now.
    pub from_version: u64,
    /// Which files were missing among the keys: a new authority is made for them, and nobody knows it yet.
    pub missing: Vec<&'static str>,
}

/// Makes a hub in `data` of the backup at `file`. Keys are taken from the directory `keys`: that of the hub which was
/// backed up, or a copy. Objects of the group of `mending` are changed by it before they are written.
///
/// # Errors
/// See [`RestoreError`]; then there is no hub in `data`, or the one that was.
pub fn restore(
    file: &Path,
    data: &Path,
    keys: Option<&Path>,
    mending: Mending<'_>,
) -> Result<Restored, RestoreError> {
    if data.join(STORE_FILE).exists() {
        return Err(RestoreError::Taken(data.to_owned()));
    }
    Directory::look(data)?;
    let bytes = fs::read(file).map_err(io_at(file))?;
    let kept_keys = KeptKeys::read(keys)?;
    let mut backup = Backup::read(&bytes, &kept_keys.keyring).map_err(|source| match source {
        BackupError::Record(StoreError::Keys(why)) => RestoreError::Keys { path: file.to_owned(), why },
        source => RestoreError::Backup { path: file.to_owned(), source },
    })?;
    drop(bytes);
    let from_version = jumped(backup.version, Timestamp::now().as_millisecond());
    mended(&mut backup.kept, mending, from_version)
        .map_err(|why| RestoreError::Unusable { path: file.to_owned(), why })?;
    let directory = Directory::take(data)?;
    if !directory.is_new() {
        return Err(RestoreError::Taken(data.to_owned()));
    }
    let keyring = kept_keys.or_new().map_err(io_at(&directory.join(KEYS_FILE)))?;
    // It comes first: whoever starts a hub here before all is there is told so.
    let new = directory.join(RESTORED_STORE_FILE);
    fill(&new, &keyring, &backup, from_version)
        .map_err(|source| RestoreError::Store { path: new.clone(), source })?;
    for (name, contents) in &kept_keys.identity {
        directory.write(name, contents).map_err(io_at(&directory.join(name)))?;
    }
    keyring.save(&directory).map_err(io_at(&directory.join(KEYS_FILE)))?;
    directory.made()?;
    let path = directory.join(STORE_FILE);
    directory.rename(&new, &path).map_err(io_at(&path))?;
    let has = |name: &&str| kept_keys.identity.iter().any(|(there, _)| there == name);
    Ok(Restored {
        objects: backup.kept.len(),
        made_at: backup.made_at,
        version: backup.version.0,
        from_version: from_version.0,
        missing: IDENTITY.into_iter().filter(|name| !has(name)).collect(),
    })
}

/// What was changed is of the version where versions go on: whoever knows an older one does not take it for the same.
fn mended(kept: &mut [(Key, Kept)], mending: Mending<'_>, version: Version) -> Result<(), String> {
    let Mending { group, mend } = mending;
    let its: Vec<_> = kept.iter_mut().filter(|(key, _)| key.resource.group() == group).collect();
    let read = |(key, kept): &(Key, Kept)| {
        Document::kept(key.clone(), kept.clone(), &|_, _, _, _| None)
            .map_err(|_| format!("{} {} is damaged", key.resource.plural(), key.name))
    };
    let documents: Vec<_> = its.iter().map(|one| read(one)).collect::<Result<_, _>>()?;
    let unread = |document: &Document| Unread {
        resource: document.key().resource.plural().to_owned(),
        object: Value::Object(document.json()),
    };
    let before: Vec<_> = documents.iter().map(unread).collect();
    let mut after = before.clone();
    mend(&mut after, version.0)?;
    for (((_, kept), document), (before, after)) in
        its.into_iter().zip(&documents).zip(before.iter().zip(&after))
    {
        if let (Value::Object(json), false) = (&after.object, before == after) {
            *kept = Kept { version, parts: document.rewritten(json).parts().clone() };
        }
    }
    Ok(())
}

fn fill(path: &Path, keyring: &Keyring, backup: &Backup, version: Version) -> Result<(), StoreError> {
    let mut filling = Filling::begin(path, keyring)?;
    for (key, kept) in &backup.kept {
        filling.add(key, kept)?;
    }
    let last_s = u64::try_from(Moment::now().unix_s()).unwrap_or_default();
    filling.finish(
        version,
        Restores { times: backup.restores.times.saturating_add(1), last_s, version: version.0 },
    )
}

/// Where versions go on.
pub(super) fn jumped(version: Version, now_ms: i64) -> Version {
    let by_the_clock = u64::try_from(now_ms).unwrap_or(0).saturating_mul(PER_MS);
    Version(by_the_clock.max(version.0.saturating_add(AT_LEAST)))
}

/// What was kept apart from the backup.
#[derive(Default)]
struct KeptKeys {
    keyring: Keyring,
    identity: Vec<(&'static str, Vec<u8>)>,
}

impl KeptKeys {
    fn read(keys: Option<&Path>) -> Result<KeptKeys, RestoreError> {
        let Some(keys) = keys else { return Ok(KeptKeys::default()) };
        let read = |name: &str| {
            let path = keys.join(name);
            match fs::read(&path) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(RestoreError::Io { path, source }),
            }
        };
        let mut kept = KeptKeys::default();
        if let Some(text) = read(KEYS_FILE)? {
            let path = keys.join(KEYS_FILE);
            kept.keyring =
                Keyring::parse(&String::from_utf8_lossy(&text)).map_err(|why| RestoreError::Keys {
                    why: format!("{} is damaged: {why}", path.display()),
                    path: path.clone(),
                })?;
        }
        for name in IDENTITY {
            kept.identity.extend(read(name)?.map(|bytes| (name, bytes)));
        }
        if kept.keyring.is_empty() && kept.identity.is_empty() {
            let source = io::Error::new(io::ErrorKind::NotFound, "there are no keys of a hub in it");
            return Err(RestoreError::Io { path: keys.to_owned(), source });
        }
        Ok(kept)
    }

    /// The keys of the new hub. Who has no Secrets may have no key either, and gets one.
    fn or_new(&self) -> io::Result<Keyring> {
        if self.keyring.is_empty() { Keyring::made() } else { Ok(self.keyring.clone()) }
    }
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> RestoreError {
    let path = path.to_owned();
    move |source| RestoreError::Io { path, source }
}

#[cfg(test)]
mod tests;
