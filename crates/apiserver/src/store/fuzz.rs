//! What the store reads, on input that is nearly good: records, what the store says of itself, keys, backups. Damage is seen by
//! seals and digests, so most inputs get new ones: what is behind them has to bear whatever it is given.

use bowline_fuzz::{Target, same};
use bowline_kernel::Object;
use ring::digest::{SHA256, digest};
use serde_json::json;

use super::StoreError;
use super::backup::{Backup, Source, write};
use super::keyring::Keyring;
use super::proof::{self, SEAL};
use super::record::{Kept, pack, pack_key, pack_parts, unpack, unpack_key, unpack_parts};
use super::restore::jumped;
use super::state::{Restores, State};
use crate::document::{Counting, Document};
use crate::key::Key;

const KEY: &[u8] = b"apps/deployments\0default\0d";
const SECRET: &[u8] = b"/secrets\0default\0s";

pub(crate) fn targets() -> Vec<Target> {
    let whole = [KEY, SECRET].map(|key| record(key, &keyring()));
    let sealed = whole.clone().map(|record| record[SEAL..].to_vec());
    let mut parts = Vec::new();
    pack_parts(document(SECRET).parts(), &mut parts);
    let state = State { restores: Restores { times: 1, last_s: 2, version: 3 }, ..State::default() };
    let keys = format!("# words\n\n{}\n{}\n", "0f".repeat(32), "A7".repeat(32));
    vec![
        Target::new("record", whole, |input| {
            [KEY, SECRET]
                .into_iter()
                .try_for_each(|key| went_round(key, input, unpack(&keyring(), key, input)))
        }),
        Target::new("record-sealed", sealed, |input| {
            [KEY, SECRET].into_iter().try_for_each(|key| {
                let record = [&proof::seal(key, input), input].concat();
                went_round(key, &record, unpack(&keyring(), key, &record))
            })
        }),
        Target::new("record-parts", [parts], |input| {
            let Some(parts) = unpack_parts(input) else { return Ok(()) };
            let mut again = Vec::new();
            pack_parts(&parts, &mut again);
            same(input, "parts", Some(again.as_slice()))
        }),
        Target::new("record-key", [KEY, SECRET, b"/namespaces\0\0n"], |input| {
            match unpack_key(input, None) {
                Ok(key) => same(input, "a key", Some(pack_key(&key).as_slice())),
                Err(_) => Ok(()),
            }
        }),
        Target::new("store-state", [&state.to_bytes()[..state.to_bytes().len() - SEAL]], |input| {
            let bytes = [input, &proof::seal(b"state", input)].concat();
            match State::from_bytes(&bytes) {
                Ok(state) => same(&bytes[..], "a state", Some(&state.to_bytes()[..])),
                Err(_) => Ok(()),
            }
        }),
        Target::new("secrets-key", [keys], keys_went_round),
        Target::new("backup", [backup()], backup_can_be_used),
    ]
}

fn keyring() -> Keyring {
    Keyring::parse(&"0f".repeat(32)).expect("a key")
}

fn document(key: &[u8]) -> Document {
    let key = unpack_key(key, None).expect("a key");
    let json = json!({
        "metadata": { "name": &*key.name, "namespace": &*key.namespace, "uid": "u", "resourceVersion": "7",
            "labels": { "a": "b" }, "finalizers": ["x/y"], "creationTimestamp": "2026-11-16T02:11:58Z",
            "ownerReferences": [{ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "o", "controller": true }] },
        "spec": { "finalizers": ["kubernetes"], "text": "\u{0}é\"" }, "status": { "phase": "Active" },
    });
    let json = json.as_object().expect("an object");
    Document::new(key, json, Counting::Spec, &|_, _, _, _| None).expect("it is well formed")
}

fn record(key: &[u8], keyring: &Keyring) -> Vec<u8> {
    let document = document(key);
    pack(keyring, key, document.meta().version, document.parts()).expect("there is a key")
}

/// What is read of a record is what is written to one.
fn went_round(key: &[u8], record: &[u8], read: Result<Kept, StoreError>) -> Result<(), String> {
    let Ok(kept) = read else { return Ok(()) };
    let again = pack(&keyring(), key, kept.version, &kept.parts).map_err(|error| error.to_string())?;
    // No two of them are encrypted to the same.
    if key != SECRET {
        same(record, "a record", Some(again.as_slice()))?;
    }
    let again = unpack(&keyring(), key, &again).map_err(|error| error.to_string())?;
    same(kept.parts.body.clone(), "a record", Some(again.parts.body))?;
    // What is refused at the start is not found while the hub runs. Only a hub writes to its store, and it writes nothing deeper.
    if depth(&kept.parts.body) > bowline_merge::json::MAX_DEPTH {
        return Ok(());
    }
    for key in [unpack_key(key, None), Ok(Key::namespace("n"))].into_iter().flatten() {
        let _ = Document::kept(key, kept.clone(), &|_, _, _, _| None);
    }
    Ok(())
}

/// How deep it is at most, whatever it is.
fn depth(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count()
}

fn keys_went_round(input: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    let Ok(read) = Keyring::parse(&text) else { return Ok(()) };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: String = lines.map(|line| line.to_ascii_lowercase() + "\n").collect();
    same(lines, "keys", Some(read.lines()))
}

/// A backup of a few objects, without the digest at its end.
fn backup() -> Vec<u8> {
    let keys = [KEY, SECRET, b"/namespaces\0\0n", b"/configmaps\0default\0c"];
    let objects = keys.map(|key| std::sync::Arc::new(document(key)));
    let (keyring, version) = (keyring(), bowline_kernel::Version(9));
    let source = Source { keyring: &keyring, version, restores: Restores::default(), objects: &objects };
    let mut out = Vec::new();
    let mut send = |piece: bytes::Bytes| {
        out.extend_from_slice(&piece);
        true
    };
    write(&source, &mut send).expect("there is a key");
    out.truncate(out.len() - 32);
    out
}

/// Whatever is taken from a backup can be put into a store, and a hub can be started with it.
fn backup_can_be_used(input: &[u8]) -> Result<(), String> {
    let mut bytes = input.to_vec();
    reseal(&mut bytes);
    bytes.extend_from_slice(digest(&SHA256, &bytes).as_ref());
    let Ok(backup) = Backup::read(&bytes, &keyring()) else { return Ok(()) };
    let _ = jumped(backup.version, i64::MAX);
    for (key, kept) in backup.kept {
        let Ok(document) = Document::kept(key, kept, &|_, _, _, _| None) else { continue };
        let _ = document.json();
    }
    Ok(())
}

/// Seals the records of a backup anew, as far as it can be told where they are.
fn reseal(bytes: &mut [u8]) {
    let mut lines = 0;
    let head = bytes.iter().position(|byte| {
        lines += usize::from(*byte == b'\n');
        lines == 2
    });
    let Some((_, mut rest)) = head.and_then(|head| bytes.split_at_mut_checked(head + 1)) else { return };
    loop {
        let Some((key, after)) = part(rest) else { return };
        let Some((record, after)) = part(after) else { return };
        if let Some((seal, sealed)) = record.split_at_mut_checked(SEAL) {
            seal.copy_from_slice(&proof::seal(key, sealed));
        }
        rest = after;
    }
}

fn part(bytes: &mut [u8]) -> Option<(&mut [u8], &mut [u8])> {
    let (length, after) = bytes.split_at_mut_checked(4)?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    after.split_at_mut_checked(length as usize)
}
