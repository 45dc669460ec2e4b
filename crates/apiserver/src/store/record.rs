//! How a document lies in the file: a seal, its version, its form, then what the form says.

use bowline_kernel::Version;
use bytes::Bytes;

use super::StoreError;
use super::keyring::Keyring;
use super::proof::{self, SEAL};
use crate::document::{Counting, Parts};
use crate::key::{Key, Resource};

/// Its JSON as it is kept in memory, after what says where its parts are.
const PLAIN: u8 = 0;
/// The same, encrypted.
const LOCKED: u8 = 1;
/// How the keys of what holds credentials begin: tokens, kubeconfigs and parts of bundles are Secrets too.
const SECRETS: &[u8] = b"/secrets\0";

/// A document as it was kept: all but what its owners are, which depends on the kinds that there are.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The version of its last change.
    pub version: Version,
    /// Its JSON and where its parts are.
    pub parts: Parts,
}

/// A document as it lies in the file at the key that [`pack_key`] makes. What holds credentials is encrypted.
///
/// # Errors
/// If it cannot be encrypted.
pub(super) fn pack(
    keyring: &Keyring,
    key: &[u8],
    version: Version,
    parts: &Parts,
) -> Result<Vec<u8>, StoreError> {
    let mut out = Vec::with_capacity(SEAL + 9 + PARTS + parts.body.len());
    out.extend_from_slice(&[0; SEAL]);
    out.extend_from_slice(&version.0.to_le_bytes());
    if key.starts_with(SECRETS) {
        out.push(LOCKED);
        let mut plain = Vec::with_capacity(PARTS + parts.body.len());
        pack_parts(parts, &mut plain);
        keyring.lock(&about(key, version), plain, &mut out)?;
    } else {
        out.push(PLAIN);
        pack_parts(parts, &mut out);
    }
    let (place, sealed) = out.split_at_mut(SEAL);
    place.copy_from_slice(&proof::seal(key, sealed));
    Ok(out)
}

/// What [`pack`] wrote.
///
/// # Errors
/// If it is not that, or was written for another key, or the keyring does not decrypt it.
pub(super) fn unpack(keyring: &Keyring, key: &[u8], bytes: &[u8]) -> Result<Kept, StoreError> {
    let damaged = || StoreError::damaged(format!("the record of {} is not what was written", shown(key)));
    let (seal, sealed) = bytes.split_first_chunk::<SEAL>().ok_or_else(damaged)?;
    if proof::seal(key, sealed) != *seal {
        return Err(damaged());
    }
    let (version, rest) = sealed.split_first_chunk::<8>().ok_or_else(damaged)?;
    let version = Version(u64::from_le_bytes(*version));
    let parts = match rest.split_first().ok_or_else(damaged)? {
        (&PLAIN, rest) => unpack_parts(rest),
        (&LOCKED, rest) => keyring.unlock(&about(key, version), rest)?.and_then(|plain| unpack_parts(&plain)),
        _ => None,
    };
    Ok(Kept { version, parts: parts.ok_or_else(damaged)? })
}

/// What an encrypted record is good for: the object of this key at this version, and nothing else.
fn about(key: &[u8], version: Version) -> Vec<u8> {
    [key, &version.0.to_le_bytes()].concat()
}

/// Whether the objects of this key hold credentials.
pub(super) fn is_secret(key: &Key) -> bool {
    pack_key(key).starts_with(SECRETS)
}

/// How much there is before the JSON.
const PARTS: usize = 13;

pub(super) fn pack_parts(parts: &Parts, out: &mut Vec<u8>) {
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
}

/// What [`pack_parts`] wrote.
pub(super) fn unpack_parts(bytes: &[u8]) -> Option<Parts> {
    let (&counting, rest) = bytes.split_first()?;
    let (offsets, body) = rest.split_first_chunk::<12>()?;
    let mut offsets =
        offsets.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let mut offset = || offsets.next().filter(|offset| *offset as usize <= body.len());
    let (cut, start, end) = (offset()?, offset()?, offset()?);
    let counting = match counting {
        0 => Counting::Nothing,
        1 => Counting::Spec,
        2 => Counting::SpecAndStatus,
        3 => Counting::SpecAndAnnotations,
        4 => Counting::SpecAndLabels,
        _ => return None,
    };
    (start <= end).then(|| Parts { body: Bytes::copy_from_slice(body), cut, wanted: start..end, counting })
}

/// A key as people read it.
pub(super) fn shown(key: &[u8]) -> String {
    String::from_utf8_lossy(key).replace('\0', " ")
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
    let damaged = || StoreError::damaged(format!("the key {} is not what was written", shown(bytes)));
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
    use bowline_kernel::Object;
    use serde_json::json;

    use super::*;
    use crate::document::Document;

    fn document(group: &str, plural: &str, counting: Counting) -> Document {
        let json = json!({
            "metadata": { "name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": { "x": "y" } },
            "spec": { "text": "\u{0}é\"" }, "status": {},
        });
        let key = Key::new(Resource::new(group, plural), "n", "a");
        let json = json.as_object().expect("it is an object");
        Document::new(key, json, counting, &|_, _, _, _| None).expect("it is well formed")
    }

    fn packed(keyring: &Keyring, key: &[u8], document: &Document) -> Vec<u8> {
        pack(keyring, key, document.meta().version, document.parts()).expect("there is a key")
    }

    #[test]
    fn a_document_comes_back_as_it_was() {
        let keyring = Keyring::made().expect("there are random numbers");
        use Counting::{Nothing, Spec, SpecAndAnnotations, SpecAndLabels, SpecAndStatus};
        for counting in [Nothing, Spec, SpecAndStatus, SpecAndAnnotations, SpecAndLabels] {
            let document = document("g", "things", counting);
            let key = pack_key(document.key());
            let kept = unpack(&keyring, &key, &packed(&keyring, &key, &document)).expect("it was packed");
            let key = unpack_key(&key, None).expect("it was packed");
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
        let keyring = Keyring::made().expect("there are random numbers");
        for document in [document("g", "things", Counting::Spec), document("", "secrets", Counting::Nothing)]
        {
            let key = pack_key(document.key());
            let whole = packed(&keyring, &key, &document);
            assert!(unpack(&keyring, &key, &whole).is_ok());
            for length in 0..whole.len() {
                assert!(unpack(&keyring, &key, &whole[..length]).is_err(), "{length}");
            }
            for bit in 0..whole.len() * 8 {
                let mut damaged = whole.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(unpack(&keyring, &key, &damaged).is_err(), "bit {bit}");
            }
            let said =
                unpack(&keyring, b"g/things\0n\0b", &whole).expect_err("it is of another key").to_string();
            assert!(said.contains("the record of g/things n b is not what was written"), "{said}");
        }
        assert!(unpack_key(b"no zeros", None).is_err());
        assert!(unpack_key(b"a/b\0c\0d\0e", None).is_err());
        assert!(unpack_key(b"ab\0c\0d", None).is_err());
    }

    #[test]
    fn what_is_sealed_and_makes_no_sense_is_told_too() {
        let document = document("g", "things", Counting::Spec);
        let mut parts = Vec::new();
        pack_parts(document.parts(), &mut parts);
        assert!(unpack_parts(&parts).is_some());
        for (at, byte) in [(0, 9), (4, 255), (8, 255), (12, 255)] {
            let mut wrong = parts.clone();
            wrong[at] = byte;
            assert!(unpack_parts(&wrong).is_none(), "{at}");
        }
    }

    #[test]
    fn secrets_are_encrypted_and_nothing_else_is() {
        let keyring = Keyring::made().expect("there are random numbers");
        for (group, plural, is_locked) in [
            ("", "secrets", true),
            ("", "configmaps", false),
            ("x", "secrets", false),
            ("", "secretsx", false),
        ] {
            let document = document(group, plural, Counting::Nothing);
            assert_eq!(is_secret(document.key()), is_locked, "{group}/{plural}");
            let key = pack_key(document.key());
            let bytes = packed(&keyring, &key, &document);
            let shows = bytes.windows(4).any(|window| window == b"spec");
            assert_eq!(shows, !is_locked, "{group}/{plural}");
            let kept = unpack(&keyring, &key, &bytes).expect("it was packed");
            assert_eq!(kept.parts.body, document.parts().body);
            if is_locked {
                assert!(matches!(unpack(&Keyring::default(), &key, &bytes), Err(StoreError::Keys(_))));
                assert!(pack(&Keyring::default(), &key, Version(1), document.parts()).is_err());
            }
        }
    }

    #[test]
    fn an_encrypted_record_is_good_only_for_its_version() {
        let keyring = Keyring::made().expect("there are random numbers");
        let document = document("", "secrets", Counting::Nothing);
        let key = pack_key(document.key());
        let mut bytes = packed(&keyring, &key, &document);
        // Somebody who can write seals, and has no key, puts an old record in the place of a new one.
        bytes[SEAL] += 1;
        let seal = proof::seal(&key, &bytes[SEAL..]);
        bytes[..SEAL].copy_from_slice(&seal);
        assert!(matches!(unpack(&keyring, &key, &bytes), Err(StoreError::Damaged(_))));
    }
}
