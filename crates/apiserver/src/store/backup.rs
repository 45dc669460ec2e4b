//! A copy of a store in one file: a head, the records as they lie in the store, and a digest over all of it.
//!
//! What is encrypted in the store is encrypted here, and the keys are not in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use bowline_kernel::{Object, Version};
use bytes::Bytes;
use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN};
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::keyring::Keyring;
use super::record::{Kept, pack, pack_key, shown, unpack, unpack_key};
use super::state::Restores;
use crate::document::Document;
use crate::key::Key;
use crate::time::Moment;

/// What a backup begins with. Another number means another layout.
const MAGIC: &[u8] = b"bowline backup, format 1\n";
/// What backups of all formats begin with.
const ANY_MAGIC: &[u8] = b"bowline backup, format ";
/// No hub gets to a larger version, and there is room to go on behind it.
const MOST_VERSION: u64 = u64::MAX / 4;
/// So much is sent at a time.
const CHUNK: usize = 64 << 10;

/// What a backup says of itself, on one line of JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    /// The version of the last change that is in it.
    version: u64,
    /// How many objects are in it.
    objects: u64,
    /// When it was made.
    made_at: String,
    /// How often the store had been made from a backup.
    restored: Restores,
}

/// What goes into a backup.
pub(crate) struct Source<'a> {
    /// What encrypts what has to be.
    pub keyring: &'a Keyring,
    /// The version of the last change.
    pub version: Version,
    /// How often the store was made from a backup.
    pub restores: Restores,
    /// All objects at that version.
    pub objects: &'a [Arc<Document>],
}

/// A backup is too damaged, too new, or no backup at all.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It is something else.
    #[error("it is not a backup of a hub")]
    NotOne,
    /// It was made by a later version.
    #[error("it was made by another version of bowline ({0}); this one reads format 1")]
    Format(String),
    /// It is not as it was written.
    #[error("it is damaged or cut off: its digest is not that of what is in it; take another backup")]
    Damaged,
    /// What is in it cannot be used.
    #[error(transparent)]
    Record(#[from] StoreError),
}

/// Writes a backup, piece by piece, until `send` says that nobody wants the rest.
///
/// # Errors
/// If an object cannot be encrypted; then what was sent is no backup.
pub(crate) fn write(source: &Source<'_>, send: &mut dyn FnMut(Bytes) -> bool) -> Result<(), StoreError> {
    let head = Head {
        version: source.version.0,
        objects: source.objects.len() as u64,
        made_at: Moment::now().to_string(),
        restored: source.restores,
    };
    let mut digest = Context::new(&SHA256);
    let mut out = MAGIC.to_vec();
    out.extend(serde_json::to_vec(&head).map_err(StoreError::new)?);
    out.push(b'\n');
    for object in source.objects {
        let key = pack_key(object.key());
        let record = pack(source.keyring, &key, object.meta().version, object.parts())?;
        for part in [key, record] {
            let length = u32::try_from(part.len()).map_err(StoreError::new)?;
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&part);
        }
        if out.len() >= CHUNK {
            digest.update(&out);
            if !send(Bytes::from(std::mem::take(&mut out))) {
                return Ok(());
            }
        }
    }
    digest.update(&out);
    out.extend_from_slice(digest.finish().as_ref());
    send(Bytes::from(out));
    Ok(())
}

/// Finds out whether a backup is one and whole, piece by piece: what a client does that has none of the keys.
pub struct Check {
    digest: Context,
    /// The last bytes that came: they may be the digest.
    tail: Vec<u8>,
    head: Vec<u8>,
}

impl Default for Check {
    fn default() -> Check {
        Check { digest: Context::new(&SHA256), tail: Vec::new(), head: Vec::new() }
    }
}

impl Check {
    /// The next piece.
    pub fn add(&mut self, piece: &[u8]) {
        let missing = MAGIC.len().saturating_sub(self.head.len());
        self.head.extend_from_slice(&piece[..missing.min(piece.len())]);
        self.tail.extend_from_slice(piece);
        let before = self.tail.len().saturating_sub(SHA256_OUTPUT_LEN);
        self.digest.update(&self.tail[..before]);
        self.tail.drain(..before);
    }

    /// That was all.
    ///
    /// # Errors
    /// If it is not a whole backup.
    pub fn finish(self) -> Result<(), BackupError> {
        if !self.head.starts_with(ANY_MAGIC) {
            return Err(BackupError::NotOne);
        }
        match self.digest.finish().as_ref() == self.tail {
            true => Ok(()),
            false => Err(BackupError::Damaged),
        }
    }
}

/// What is in a backup.
#[derive(Debug)]
pub(crate) struct Backup {
    /// The version of the last change that is in it.
    pub version: Version,
    /// When it was made.
    pub made_at: String,
    /// How often the store had been made from a backup.
    pub restores: Restores,
    /// The objects.
    pub kept: Vec<(Key, Kept)>,
}

impl Backup {
    /// Reads a backup.
    ///
    /// # Errors
    /// If it is not whole, or `keyring` does not decrypt it.
    pub(crate) fn read(bytes: &[u8], keyring: &Keyring) -> Result<Backup, BackupError> {
        let mut check = Check::default();
        check.add(bytes);
        check.finish()?;
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Err(BackupError::Format(String::from_utf8_lossy(line).into_owned()));
        };
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(BackupError::Damaged)?;
        let head: Head = serde_json::from_slice(&rest[..end]).map_err(|_| BackupError::Damaged)?;
        let body = rest.len().checked_sub(SHA256_OUTPUT_LEN).ok_or(BackupError::Damaged)?;
        let mut rest = rest.get(end + 1..body).ok_or(BackupError::Damaged)?;
        let (mut kept, mut keys) = (Vec::new(), BTreeSet::new());
        while !rest.is_empty() {
            let packed = part(&mut rest).ok_or(BackupError::Damaged)?;
            let record = part(&mut rest).ok_or(BackupError::Damaged)?;
            let before = kept.last().map(|(key, _): &(Key, Kept)| &key.resource);
            let (key, record) = (unpack_key(packed, before)?, unpack(keyring, packed, record)?);
            // A digest is made by whoever makes the file. What no hub wrote would be found by the one that starts with it.
            if record.version.0 > head.version || !keys.insert(packed) || !Document::is_sound(&key, &record) {
                let what = format!("the record of {} is none that a hub wrote", shown(packed));
                return Err(StoreError::damaged(what).into());
            }
            kept.push((key, record));
        }
        if kept.len() as u64 != head.objects || head.version > MOST_VERSION {
            return Err(BackupError::Damaged);
        }
        Ok(Backup { version: Version(head.version), made_at: head.made_at, restores: head.restored, kept })
    }
}

/// The next part, which says how long it is.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (part, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(part)
}

#[cfg(test)]
pub(super) mod tests;
