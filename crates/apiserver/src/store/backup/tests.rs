//! A backup is read as it was written, or not at all.

use serde_json::json;

use super::*;
use crate::document::Counting;
use crate::key::Resource;

const RESTORES: Restores = Restores { times: 1, last_s: 2, version: 3 };
const CANARY: &str = "hunter2-canary";

pub(in crate::store) fn document(plural: &str, name: &str, text: &str) -> Arc<Document> {
    let key = Key::new(Resource::new("", plural), "default", name);
    let metadata =
        json!({ "name": name, "namespace": "default", "uid": format!("uid-{name}"), "resourceVersion": "5" });
    let json = json!({ "metadata": metadata, "data": { "text": text } });
    let json = json.as_object().expect("an object");
    Arc::new(Document::new(key, json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata"))
}

fn backup(keyring: &Keyring, objects: &[Arc<Document>]) -> Vec<u8> {
    backup_at(Version(7), keyring, objects)
}

fn backup_at(version: Version, keyring: &Keyring, objects: &[Arc<Document>]) -> Vec<u8> {
    let source = Source { keyring, version, restores: RESTORES, objects };
    let mut out = Vec::new();
    let mut send = |piece: Bytes| {
        out.extend_from_slice(&piece);
        true
    };
    write(&source, &mut send).expect("there is a key");
    out
}

#[test]
fn what_is_in_a_backup_comes_back() {
    let keyring = Keyring::made().expect("there are random numbers");
    let mut objects = vec![document("secrets", "s", CANARY)];
    objects
        .extend((0..1000).map(|number| document("configmaps", &format!("m-{number:04}"), &"x".repeat(200))));
    let bytes = backup(&keyring, &objects);
    assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
    let read = Backup::read(&bytes, &keyring).expect("it is whole");
    assert_eq!((read.version, read.restores, read.kept.len()), (Version(7), RESTORES, 1001));
    for ((key, kept), object) in read.kept.iter().zip(&objects) {
        assert_eq!((key, kept.version), (object.key(), object.meta().version));
        assert_eq!(kept.parts.body, object.parts().body);
    }
    let other = Keyring::made().expect("there are random numbers");
    assert!(matches!(Backup::read(&bytes, &other), Err(BackupError::Record(StoreError::Keys(_)))));
}

#[test]
fn what_is_damaged_or_cut_off_anywhere_is_refused() {
    let keyring = Keyring::made().expect("there are random numbers");
    let bytes = backup(&keyring, &[document("secrets", "s", CANARY), document("configmaps", "m", "x")]);
    for length in 0..bytes.len() {
        assert!(Backup::read(&bytes[..length], &keyring).is_err(), "{length}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Backup::read(&damaged, &keyring).is_err(), "bit {bit}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(Backup::read(&longer, &keyring), Err(BackupError::Damaged)));
    assert!(matches!(Backup::read(b"{}", &keyring), Err(BackupError::NotOne)));
}

#[test]
fn one_with_fewer_objects_than_it_says_is_refused() {
    let keyring = Keyring::made().expect("there are random numbers");
    let mut bytes = backup(&keyring, &[document("configmaps", "m", "x")]);
    let told = br#""objects":1"#;
    let at = bytes.windows(told.len()).position(|window| window == told).expect("it says so");
    bytes[at + told.len() - 1] = b'2';
    // Whoever wrote it has made its digest of that.
    bytes.truncate(bytes.len() - SHA256_OUTPUT_LEN);
    let digest = ring::digest::digest(&SHA256, &bytes);
    bytes.extend_from_slice(digest.as_ref());
    assert!(matches!(Backup::read(&bytes, &keyring), Err(BackupError::Damaged)));
}

#[test]
fn nothing_is_written_for_who_has_gone() {
    let keyring = Keyring::made().expect("there are random numbers");
    let objects: Vec<_> =
        (0..100).map(|number| document("configmaps", &format!("m-{number}"), &"x".repeat(CHUNK))).collect();
    let source = Source { keyring: &keyring, version: Version(7), restores: RESTORES, objects: &objects };
    let mut pieces = 0;
    let mut send = |_: Bytes| {
        pieces += 1;
        false
    };
    write(&source, &mut send).expect("there is a key");
    assert_eq!(pieces, 1);
}

#[test]
fn what_comes_in_pieces_is_checked_as_a_whole() {
    let keyring = Keyring::made().expect("there are random numbers");
    let bytes = backup(&keyring, &[document("configmaps", "m", "x")]);
    for size in [1, 7, 31, 32, 33, bytes.len()] {
        let mut check = Check::default();
        bytes.chunks(size).for_each(|piece| check.add(piece));
        assert!(check.finish().is_ok(), "{size}");
    }
}

#[test]
fn one_of_a_later_version_is_refused_by_its_name() {
    let mut bytes = b"bowline backup, format 2\n{}\n".to_vec();
    let digest = ring::digest::digest(&SHA256, &bytes);
    bytes.extend_from_slice(digest.as_ref());
    let said = Backup::read(&bytes, &Keyring::default()).expect_err("it is newer").to_string();
    assert!(said.contains("format 2") && said.contains("reads format 1"), "{said}");
}

#[test]
fn what_no_hub_wrote_is_refused_also_if_its_digest_fits() {
    let keyring = Keyring::made().expect("there are random numbers");
    let object = document("namespaces", "m", "x");
    let refused = |bytes: &[u8]| Backup::read(bytes, &keyring).expect_err("no hub wrote it").to_string();
    let none = "the record of /namespaces default m is none that a hub wrote";
    // It is of version 5.
    let said = refused(&backup_at(Version(4), &keyring, std::slice::from_ref(&object)));
    assert!(said.contains(none), "{said}");
    let said = refused(&backup(&keyring, &[Arc::clone(&object), Arc::clone(&object)]));
    assert!(said.contains(none), "{said}");
    let most = backup_at(Version(u64::MAX), &keyring, &[]);
    assert!(matches!(Backup::read(&most, &keyring), Err(BackupError::Damaged)));
    let deep = "[".repeat(20_000);
    for wrong in [r#""\ud800"}"#, "{", deep.as_str()] {
        let (mut out, key) = (MAGIC.to_vec(), pack_key(object.key()));
        out.extend_from_slice(
            br#"{"version":9,"objects":1,"madeAt":"","restored":{"times":0,"lastS":0,"version":0}}"#,
        );
        let mut parts = object.parts().clone();
        parts.body = [&parts.body[..parts.body.len() - 1], b",\"z\":", wrong.as_bytes()].concat().into();
        let record = pack(&keyring, &key, Version(5), &parts).expect("there is a key");
        out.push(b'\n');
        for part in [key, record] {
            out.extend_from_slice(&u32::try_from(part.len()).expect("it is short").to_le_bytes());
            out.extend_from_slice(&part);
        }
        out.extend_from_slice(ring::digest::digest(&SHA256, &out).as_ref());
        let said = refused(&out);
        assert!(said.contains(none), "{said}");
    }
}
