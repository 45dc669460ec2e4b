//! How a document lies in the file: a head of 21 bytes, then its JSON as it is kept in memory.

use bowline_kernel::{Object, Version};
use bytes::Bytes;

use super::StoreError;
use crate::document::{Counting, Document, Parts};
use crate::key::{Key, Resource};

const HEAD: usize = 21;

/// A document as it was kept: all but what its owners are, which depends on the kinds that there are.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The version of its last change.
    pub version: Version,
    /// Its JSON and where its parts are.
    pub parts: Parts,
}

pub(super) fn pack(document: &Document) -> Vec<u8> {
    let parts = document.parts();
    let mut out = Vec::with_capacity(HEAD + parts.body.len());
    out.extend_from_slice(&document.meta().version.0.to_le_bytes());
    out.push(match parts.counting {
        Counting::Nothing => 0,
        Counting::Spec => 1,
        Counting::SpecAndStatus => 2,
    });
    for offset in [parts.cut, parts.wanted.start, parts.wanted.end] {
        out.extend_from_slice(&offset.to_le_bytes());
    }
    out.extend_from_slice(&parts.body);
    out
}

/// What [`pack`] wrote.
///
/// # Errors
/// If it is not that.
pub fn unpack(bytes: &[u8]) -> Result<Kept, StoreError> {
    let damaged = || StoreError::new("a record is damaged");
    let (version, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
    let (&counting, rest) = rest.split_first().ok_or_else(damaged)?;
    let (offsets, body) = rest.split_first_chunk::<12>().ok_or_else(damaged)?;
    let mut offsets =
        offsets.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let mut offset = || offsets.next().filter(|offset| *offset as usize <= body.len()).ok_or_else(damaged);
    let (cut, start, end) = (offset()?, offset()?, offset()?);
    let counting = match counting {
        0 => Counting::Nothing,
        1 => Counting::Spec,
        2 => Counting::SpecAndStatus,
        _ => return Err(damaged()),
    };
    if start > end {
        return Err(damaged());
    }
    let parts = Parts { body: Bytes::copy_from_slice(body), cut, wanted: start..end, counting };
    Ok(Kept { version: Version(u64::from_le_bytes(*version)), parts })
}

/// Keys are ordered in the file as in memory: no part has a zero byte.
pub(super) fn pack_key(key: &Key) -> Vec<u8> {
    let mut out = Vec::with_capacity(key.resource.as_str().len() + key.namespace.len() + key.name.len() + 2);
    out.extend_from_slice(key.resource.as_str().as_bytes());
    out.push(0);
    out.extend_from_slice(key.namespace.as_bytes());
    out.push(0);
    out.extend_from_slice(key.name.as_bytes());
    out
}

/// What [`pack_key`] wrote. Objects come in the order of their resources, so most have that of the one before.
pub(super) fn unpack_key(bytes: &[u8], before: Option<&Resource>) -> Result<Key, StoreError> {
    let damaged = || StoreError::new("a key is damaged");
    let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let mut parts = text.split('\0');
    let (Some(resource), Some(namespace), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(damaged());
    };
    let resource = match before {
        Some(before) if before.as_str() == resource => before.clone(),
        _ => {
            let (group, plural) = resource.split_once('/').ok_or_else(damaged)?;
            Resource::new(group, plural)
        }
    };
    Ok(Key::new(resource, namespace, name))
}
