//! A hub from a backup: where versions go on, and what stands against it.

use std::sync::Arc;

use super::super::backup::tests::document;
use super::super::backup::{Source, write};
use super::super::directory::NEW_STORE_FILE;
use super::super::opening;
use super::*;

#[test]
fn versions_go_on_where_nobody_has_been() {
    let now = 1_790_000_000_000;
    let first = jumped(Version(17), now);
    assert_eq!(first, Version(1_790_000_000_000_000));
    // The same backup once more: the hub of the first time has written as fast as it could.
    assert!(jumped(Version(17), now + 1) >= Version(first.0 + PER_MS));
    // A backup that was made by a clock that ran ahead, or is read by one that stands still.
    let ahead = Version(first.0 + 5);
    assert_eq!(jumped(ahead, now), Version(ahead.0 + AT_LEAST));
    assert_eq!(jumped(Version(17), -1), Version(17 + AT_LEAST));
}

/// Nothing is changed.
macro_rules! as_it_is {
    () => {
        Mending { group: "bowline.dev", mend: &mut |_, _| Ok(()) }
    };
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A backup of these in a directory of its own.
fn backup(
    name: &str,
    keyring: &Keyring,
    objects: &[Arc<crate::document::Document>],
) -> (Scratch, PathBuf, PathBuf) {
    let path = std::env::temp_dir().join(format!("bowline-restore-{name}-{}", std::process::id()));
    let scratch = Scratch(path);
    let (file, data) = (scratch.0.join("backup"), scratch.0.join("hub"));
    fs::create_dir_all(&scratch.0).expect("a directory");
    let mut bytes = Vec::new();
    let mut send = |piece: bytes::Bytes| {
        bytes.extend_from_slice(&piece);
        true
    };
    let source = Source {
        keyring,
        version: Version(5),
        restores: Restores { times: 3, last_s: 1, version: 4 },
        objects,
    };
    write(&source, &mut send).expect("nothing is encrypted");
    fs::write(&file, bytes).expect("it can be written");
    (scratch, file, data)
}

#[test]
fn whenever_a_restore_is_killed_it_is_told_or_done() {
    let (_scratch, file, data) = backup("killed", &Keyring::default(), &[]);
    // While the store was written, and before it was said that there is a hub.
    fs::create_dir_all(&data).expect("a directory");
    fs::write(data.join(RESTORED_STORE_FILE), "half a store").expect("it can be written");
    fs::write(data.join("ca.key.new"), "half a key").expect("it can be written");
    let said =
        opening::open(&Directory::take(&data).expect("it is ours")).map(drop).expect_err("it is not whole");
    assert!(said.to_string().contains("not finished: do it again"), "{said}");
    let restored = restore(&file, &data, None, as_it_is!()).expect("it can be done again");
    let from = restored.from_version;
    assert_eq!((restored.version, from > AT_LEAST, restored.objects), (5, true, 0));
    // After that was said, and before the store had its name.
    fs::rename(data.join(STORE_FILE), data.join(RESTORED_STORE_FILE)).expect("it is there");
    let opened = opening::open(&Directory::take(&data).expect("it is ours")).expect("it is whole");
    let restores = opened.state.restores;
    assert_eq!((opened.state.version, restores.times, restores.version), (Version(from), 4, from));
    drop(opened);
    assert!(matches!(restore(&file, &data, None, as_it_is!()), Err(RestoreError::Taken(_))));
    // A hub that was killed before its store had its name is one, too.
    fs::rename(data.join(STORE_FILE), data.join(NEW_STORE_FILE)).expect("it is there");
    let store = fs::read(data.join(NEW_STORE_FILE)).expect("it is there");
    assert!(matches!(restore(&file, &data, None, as_it_is!()), Err(RestoreError::Taken(_))));
    assert!(fs::read(data.join(NEW_STORE_FILE)).is_ok_and(|found| found == store));
}

#[test]
fn a_hub_gets_its_keys_and_who_it_is_back() {
    let keyring = Keyring::made().expect("there are random numbers");
    let (scratch, file, data) = backup("keys", &keyring, &[document("secrets", "s", "hunter2")]);
    let keys = scratch.0.join("keys");
    keyring.save(&Directory::take(&keys).expect("it is ours")).expect("it can be written");
    fs::write(keys.join("ca.crt"), "who it is").expect("it can be written");
    assert!(matches!(restore(&file, &data, None, as_it_is!()), Err(RestoreError::Keys { .. })));
    // What ends in the middle, here because a key cannot be written, is no hub, and is told to be none.
    fs::create_dir_all(data.join(KEYS_FILE)).expect("a directory");
    assert!(matches!(restore(&file, &data, Some(&keys), as_it_is!()), Err(RestoreError::Io { .. })));
    fs::remove_dir(data.join(KEYS_FILE)).expect("it is empty");
    let said =
        opening::open(&Directory::take(&data).expect("it is ours")).map(drop).expect_err("it is no hub");
    assert!(said.to_string().contains("not finished: do it again"), "{said}");
    let restored = restore(&file, &data, Some(&keys), as_it_is!()).expect("it can be done");
    assert_eq!(restored.missing, ["ca.key", "service-accounts.key"]);
    for name in [KEYS_FILE, "ca.crt"] {
        let [kept, found] = [&keys, &data].map(|at| fs::read(at.join(name)).expect("it is there"));
        assert!(kept == found, "{name}");
    }
    let opened = opening::open(&Directory::take(&data).expect("it is ours")).expect("it has its key");
    assert_eq!(opened.kept.len(), 1);
}

#[test]
fn what_a_restore_means_for_objects_is_in_them_before_anybody_reads_them() {
    let objects = ["a", "b", "c"].map(|name| document("configmaps", name, name));
    let (_scratch, file, data) = backup("mended", &Keyring::default(), &objects);
    let refuses = Mending { group: "", mend: &mut |_, _| Err("it is of tomorrow".to_owned()) };
    let said = restore(&file, &data, None, refuses).expect_err("it is refused");
    assert!(
        matches!(&said, RestoreError::Unusable { why, .. } if why == "it is of tomorrow") && !data.exists()
    );
    let mut from = 0;
    let mut mend = |all: &mut [Unread], version: u64| {
        from = version;
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|one| one.resource == "configmaps"));
        all[1].object["data"]["text"] = "changed".into();
        Ok(())
    };
    let restored =
        restore(&file, &data, None, Mending { group: "", mend: &mut mend }).expect("it can be done");
    assert_eq!((restored.objects, restored.from_version), (3, from));
    let opened = opening::open(&Directory::take(&data).expect("it is ours")).expect("it is whole");
    let found = opened.kept.into_iter().map(|(key, kept)| {
        let version = kept.version.0;
        let read = Document::kept(key, kept, &|_, _, _, _| None).expect("it is whole").json();
        (read["metadata"]["uid"].clone(), read["data"]["text"].clone(), version)
    });
    let expected = [("a", "a", 5), ("b", "changed", from), ("c", "c", 5)];
    let expected = expected.map(|(name, text, version)| (format!("uid-{name}").into(), text.into(), version));
    assert_eq!(found.collect::<Vec<(Value, Value, u64)>>(), expected);
}
