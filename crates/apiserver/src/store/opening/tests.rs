//! Directories of an older format, with other keys, and killed in the middle of what is done about it.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use redb::Database;
use serde_json::json;

use super::super::DirectoryError;
use super::super::keyring::KEYS_FILE;
use super::super::record::pack_key;
use super::*;
use crate::document::{Counting, Document, Parts};
use crate::key::Resource;

const CANARY: &str = "canary-in-a-coal-mine";

struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bowline-opening-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }

    fn take(&self) -> Directory {
        Directory::take(&self.0).expect("nobody else has it")
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("it is there")
    }

    fn open(&self) -> Result<Vec<(Key, Version, Vec<u8>)>, String> {
        let opened = open(&self.take()).map_err(|error| error.to_string())?;
        assert_eq!(opened.state.version, Version(9));
        let seen = |(key, kept): (Key, Kept)| (key, kept.version, kept.parts.body.to_vec());
        Ok(opened.kept.into_iter().map(seen).collect())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn objects() -> Vec<(Key, Version, Parts)> {
    let all = [("", "configmaps", "m", "x"), ("", "secrets", "s", CANARY), ("test.dev", "things", "t", "y")];
    let object = |(group, plural, name, text): (&str, &str, &str, &str)| {
        let key = Key::new(Resource::new(group, plural), "default", name);
        let json = json!({ "metadata": { "name": name, "namespace": "default", "uid": name }, "text": text });
        let json = json.as_object().expect("an object");
        let document =
            Document::new(key.clone(), json, Counting::Spec, &|_, _, _, _| None).expect("it has metadata");
        (key, Version(7), document.parts().clone())
    };
    all.into_iter().map(object).collect()
}

fn expected() -> Vec<(Key, Version, Vec<u8>)> {
    objects().into_iter().map(|(key, version, parts)| (key, version, parts.body.to_vec())).collect()
}

/// A directory as it was written when there was only format 1: records were a version, how generations are counted, three
/// offsets and the JSON.
fn format_1() -> Scratch {
    let scratch = Scratch::new();
    let database = Database::create(scratch.0.join(STORE_FILE)).expect("it can be made");
    let transaction = database.begin_write().expect("nobody else writes");
    {
        let mut table = transaction.open_table(format1::OBJECTS).expect("a table");
        for (key, version, parts) in objects() {
            let mut record = version.0.to_le_bytes().to_vec();
            record.push(1);
            for offset in [parts.cut, parts.wanted.start, parts.wanted.end] {
                record.extend_from_slice(&offset.to_le_bytes());
            }
            record.extend_from_slice(&parts.body);
            table.insert(pack_key(&key).as_slice(), record.as_slice()).expect("it can be written");
        }
        let mut counters = transaction.open_table(format1::COUNTERS).expect("a table");
        counters.insert(format1::VERSION, 9).expect("it can be written");
    }
    transaction.commit().expect("it can be written");
    fs::write(scratch.0.join("FORMAT"), "bowline hub, format 1\n").expect("it can be written");
    scratch
}

/// A directory of today with the same in it.
fn format_2() -> Scratch {
    let scratch = format_1();
    scratch.open().expect("it can be brought up");
    fs::remove_file(scratch.0.join(KEPT_STORE_FILE)).expect("it was kept");
    scratch
}

fn sings(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

#[test]
fn an_older_directory_is_brought_to_the_format_of_today_and_the_old_file_is_kept() {
    let scratch = format_1();
    let old = scratch.read(STORE_FILE);
    assert!(sings(&old));
    assert_eq!(scratch.open().expect("it can be brought up"), expected());
    assert_eq!(scratch.read("FORMAT"), b"bowline hub, format 2\n");
    assert!(scratch.read(KEPT_STORE_FILE) == old);
    let new = scratch.read(STORE_FILE);
    assert!(!sings(&new));
    assert_eq!(scratch.open().expect("it is of today"), expected());
    assert!(scratch.read(STORE_FILE) == new, "a start changes nothing");
}

#[test]
fn whenever_it_is_killed_the_next_start_goes_on() {
    // A new file that is not whole, and no keys yet.
    let scratch = format_1();
    fs::write(scratch.0.join(REWRITTEN_STORE_FILE), "half a file").expect("it can be written");
    assert_eq!(scratch.open().expect("it goes on"), expected());
    // The new file is whole, and the old one has both names.
    let scratch = format_1();
    fs::hard_link(scratch.0.join(STORE_FILE), scratch.0.join(KEPT_STORE_FILE)).expect("it can be linked");
    fs::write(scratch.0.join(REWRITTEN_STORE_FILE), "whatever").expect("it can be written");
    assert_eq!(scratch.open().expect("it goes on"), expected());
    // The new file is in its place, and nobody has said so.
    let scratch = format_1();
    scratch.open().expect("it can be brought up");
    let (store, kept) = (scratch.read(STORE_FILE), scratch.read(KEPT_STORE_FILE));
    fs::write(scratch.0.join("FORMAT"), "bowline hub, format 1\n").expect("it can be written");
    assert_eq!(scratch.open().expect("it goes on"), expected());
    assert!(scratch.read(STORE_FILE) == store && scratch.read(KEPT_STORE_FILE) == kept);
    assert_eq!(scratch.read("FORMAT"), b"bowline hub, format 2\n");
}

#[test]
fn a_file_that_was_kept_before_is_not_written_over() {
    let scratch = format_1();
    fs::write(scratch.0.join(KEPT_STORE_FILE), "another one").expect("it can be written");
    let said = scratch.open().expect_err("there would be no copy");
    assert!(said.contains(KEPT_STORE_FILE), "{said}");
    assert_eq!(scratch.read(KEPT_STORE_FILE), b"another one");
    assert_eq!(scratch.read("FORMAT"), b"bowline hub, format 1\n");
}

#[test]
fn a_newer_directory_is_refused_and_left_alone() {
    let scratch = format_2();
    fs::write(scratch.0.join("FORMAT"), "bowline hub, format 3\n").expect("it can be written");
    let said = match Directory::take(&scratch.0) {
        Err(error @ DirectoryError::Format { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(said.contains("format 3") && said.contains("reads bowline hub, format 2"), "{said}");
}

#[test]
fn a_damaged_file_of_the_older_format_is_refused_and_left_alone() {
    let scratch = format_1();
    let mut bytes = scratch.read(STORE_FILE);
    let at = bytes.windows(CANARY.len()).position(|window| window == CANARY.as_bytes()).expect("it is there");
    bytes[at] ^= 1;
    fs::write(scratch.0.join(STORE_FILE), &bytes).expect("it can be written");
    let said = scratch.open().expect_err("it is damaged");
    assert!(
        said.contains("hub.redb cannot be used: it is damaged") && said.contains("restore a backup"),
        "{said}"
    );
    assert!(scratch.read(STORE_FILE) == bytes);
}

#[test]
fn without_the_right_key_nothing_is_opened_and_no_key_is_made() {
    let scratch = format_2();
    let keys = scratch.read(KEYS_FILE);
    fs::remove_file(scratch.0.join(KEYS_FILE)).expect("it is there");
    let said = scratch.open().expect_err("the key is missing");
    assert!(said.contains("which is not in secrets.key: put the copy"), "{said}");
    assert!(!scratch.0.join(KEYS_FILE).exists());
    fs::write(scratch.0.join(KEYS_FILE), "0f".repeat(32)).expect("it can be written");
    assert!(scratch.open().expect_err("it is another one").contains("which is not in secrets.key"));
    fs::write(scratch.0.join(KEYS_FILE), "no key").expect("it can be written");
    assert!(scratch.open().expect_err("it is none").contains("secrets.key is damaged"));
    fs::write(scratch.0.join(KEYS_FILE), keys).expect("it can be written");
    assert_eq!(scratch.open().expect("all is well again"), expected());
}

#[test]
fn who_has_nothing_to_decrypt_gets_a_key() {
    let scratch = Scratch::new();
    drop(open(&scratch.take()).expect("a new one"));
    fs::remove_file(scratch.0.join(KEYS_FILE)).expect("it was made");
    drop(open(&scratch.take()).expect("nothing is lost"));
    assert!(scratch.0.join(KEYS_FILE).exists());
}

fn keys(scratch: &Scratch) -> usize {
    let text = String::from_utf8(scratch.read(KEYS_FILE)).expect("it is text");
    text.lines().filter(|line| !line.starts_with('#')).count()
}

#[test]
fn a_rotation_leaves_one_key_and_what_it_encrypted() {
    let scratch = format_2();
    let (old_keys, old_store) = (scratch.read(KEYS_FILE), scratch.read(STORE_FILE));
    assert_eq!(rotate_key(&scratch.take()).expect("it does not run"), 1);
    assert!(keys(&scratch) == 1 && scratch.read(KEYS_FILE) != old_keys);
    assert!(!sings(&scratch.read(STORE_FILE)));
    assert_eq!(scratch.open().expect("it has its key"), expected());
    // Nothing of the old file is in the new one.
    fs::write(scratch.0.join(KEYS_FILE), &old_keys).expect("it can be written");
    assert!(scratch.open().is_err());
    fs::write(scratch.0.join(STORE_FILE), old_store).expect("it can be written");
    assert_eq!(scratch.open().expect("they belong together"), expected());
}

#[test]
fn a_rotation_that_was_killed_has_lost_nothing_and_can_be_done_again() {
    let scratch = format_2();
    // The new key is there, and nothing is written with it.
    let mut keyring = Keyring::load(&scratch.take()).expect("it can be read").expect("it is there");
    keyring.renew().and_then(|()| keyring.save(&scratch.take())).expect("it can be written");
    assert!(keys(&scratch) == 2 && scratch.open().is_ok_and(|found| found == expected()));
    // All is written with it, and the old one is still there.
    let kept: Vec<_> =
        objects().into_iter().map(|(key, version, parts)| (key, Kept { version, parts })).collect();
    write_anew(&scratch.take(), &keyring, Version(9), Restores::default(), &kept, || Ok(()))
        .expect("it can be written");
    assert!(keys(&scratch) == 2 && scratch.open().is_ok_and(|found| found == expected()));
    rotate_key(&scratch.take()).expect("it can be done again");
    assert!(keys(&scratch) == 1 && scratch.open().is_ok_and(|found| found == expected()));
}

#[test]
fn a_new_key_is_kept_before_anything_is_written_with_it() {
    let scratch = format_2();
    let store = scratch.read(STORE_FILE);
    // Nothing can be written where a directory is: it ends there, as if it were killed.
    fs::create_dir(scratch.0.join(REWRITTEN_STORE_FILE)).expect("a directory");
    rotate_key(&scratch.take()).expect_err("nothing can be written");
    assert_eq!(keys(&scratch), 2, "both are there");
    assert!(scratch.read(STORE_FILE) == store && scratch.open().is_ok_and(|found| found == expected()));
    fs::remove_dir(scratch.0.join(REWRITTEN_STORE_FILE)).expect("it is empty");
    rotate_key(&scratch.take()).expect("it can be done again");
    assert!(keys(&scratch) == 1 && scratch.open().is_ok_and(|found| found == expected()));
}

#[test]
fn what_a_killed_rotation_has_left_goes() {
    let scratch = format_2();
    fs::write(scratch.0.join(REWRITTEN_STORE_FILE), "half a file").expect("it can be written");
    assert_eq!(scratch.open().expect("it is of today"), expected());
    assert!(!scratch.0.join(REWRITTEN_STORE_FILE).exists());
}

#[test]
fn no_key_is_rotated_where_no_hub_is() {
    let scratch = Scratch::new();
    assert!(matches!(Directory::take_hub(&scratch.0), Err(DirectoryError::NoHub(_))));
    assert!(matches!(Directory::take_hub(Path::new("/nonexistent/hub")), Err(DirectoryError::NoHub(_))));
    let held = scratch.take();
    drop(open(&held).expect("a new one"));
    assert!(matches!(Directory::take_hub(&scratch.0), Err(DirectoryError::InUse(_))));
}
