//! Stores of format 1, which said nothing of themselves but their version, and encrypted nothing.

use std::path::Path;

use bowline_kernel::Version;
use redb::{ReadableDatabase, ReadableTable, TableDefinition, TableError};

use super::StoreError;
use super::record::{Kept, shown, unpack_key, unpack_parts};
use super::redb_store::{CACHE_BYTES, open, said, sober};
use crate::key::{Key, Resource};

pub(super) const OBJECTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("objects");
pub(super) const COUNTERS: TableDefinition<'_, &str, u64> = TableDefinition::new("counters");
pub(super) const VERSION: &str = "version";

/// A version, and all that was kept then.
type All = (Version, Vec<(Key, Kept)>);

/// All that is in a store of format 1, and its version. `None` if it is of another format. The file is not changed.
///
/// # Errors
/// If it is damaged or cannot be read.
pub(super) fn read(path: &Path) -> Result<Option<All>, StoreError> {
    let opened = open(&path.to_owned(), CACHE_BYTES)?;
    sober(|| {
        let transaction = opened.database.begin_read().map_err(said)?;
        let objects = match transaction.open_table(OBJECTS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            objects => objects.map_err(said)?,
        };
        let mut all = Vec::new();
        let mut before: Option<Resource> = None;
        for entry in objects.iter().map_err(said)? {
            let (bytes, record) = entry.map_err(said)?;
            let key = unpack_key(bytes.value(), before.as_ref())?;
            before = Some(key.resource.clone());
            let kept = unpack(record.value()).ok_or_else(|| {
                StoreError::damaged(format!("the record of {} is not what was written", shown(bytes.value())))
            })?;
            all.push((key, kept));
        }
        let counters = transaction.open_table(COUNTERS).map_err(said)?;
        let version = counters.get(VERSION).map_err(said)?;
        Ok(Some((Version(version.map_or(0, |version| version.value())), all)))
    })
}

/// A record was the version and the parts of a document.
fn unpack(record: &[u8]) -> Option<Kept> {
    let (version, parts) = record.split_first_chunk::<8>()?;
    Some(Kept { version: Version(u64::from_le_bytes(*version)), parts: unpack_parts(parts)? })
}
