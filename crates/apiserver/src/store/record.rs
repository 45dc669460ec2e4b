//! How a document lies in the file: a head of 21 bytes, then its JSON as it is kept in memory.

use bowline_kernel::{Object, Version};
use bytes::Bytes;

use super::StoreError;
use crate::document::{Counting, Document, Parts};
use crate::key::{Key, Resource};

const HEAD: usize = 21;

/// A document as it was kept: all but what its owners are, which depends on the kinds that there are.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
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
        Counting::SpecAndAnnotations => 3,
        Counting::SpecAndLabels => 4,
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
pub(super) fn unpack(bytes: &[u8]) -> Result<Kept, StoreError> {
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
        3 => Counting::SpecAndAnnotations,
        4 => Counting::SpecAndLabels,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::key::Resource;

    fn document(counting: Counting) -> Document {
        let json = json!({
            "metadata": { "name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": { "x": "y" } },
            "spec": { "text": "\u{0}é\"" }, "status": {},
        });
        let key = Key::new(Resource::new("g", "things"), "n", "a");
        let json = json.as_object().expect("it is an object");
        Document::new(key, json, counting, &|_, _, _, _| None).expect("it is well formed")
    }

    #[test]
    fn a_document_comes_back_as_it_was() {
        use Counting::{Nothing, Spec, SpecAndAnnotations, SpecAndLabels, SpecAndStatus};
        for counting in [Nothing, Spec, SpecAndStatus, SpecAndAnnotations, SpecAndLabels] {
            let document = document(counting);
            let kept = unpack(&pack(&document)).expect("it was packed");
            let key = unpack_key(&pack_key(document.key()), None).expect("it was packed");
            assert_eq!(&key, document.key());
            let back = Document::kept(key, kept, &|_, _, _, _| None).expect("it is well formed");
            assert_eq!(back.json(), document.json());
            assert_eq!(back.meta().version, document.meta().version);
            assert_eq!(back.label("x"), Some("y"));
            assert_eq!(back.parts().counting, counting);
        }
    }

    #[test]
    fn what_is_damaged_is_told() {
        let whole = pack(&document(Counting::Spec));
        for length in 0..HEAD {
            assert!(unpack(&whole[..length]).is_err(), "{length}");
        }
        for (at, byte) in [(8, 9), (12, 255), (16, 255), (20, 255)] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            assert!(unpack(&damaged).is_err(), "{at}");
        }
        assert!(unpack_key(b"no zeros", None).is_err());
        assert!(unpack_key(b"a/b\0c\0d\0e", None).is_err());
        assert!(unpack_key(b"ab\0c\0d", None).is_err());
    }
}
