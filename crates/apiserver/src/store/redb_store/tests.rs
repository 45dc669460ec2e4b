//! A file that is damaged anywhere is refused, or what is in it is what was written.

use std::fs;
use std::path::PathBuf;

use bowline_kernel::Version;
use serde_json::json;

use super::super::faults::platter::{Platter, Step};
use super::*;
use crate::document::Counting;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn change(number: u64, text: &str) -> Change<Document> {
    let name = format!("thing-{number:03}");
    let key = Key::new(Resource::new("test.dev", "things"), "default", &name);
    let json = json!({ "metadata": { "name": name, "uid": format!("uid-{number}") }, "text": text });
    let json = json.as_object().expect("an object");
    let after =
        Document::new(key.clone(), json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata");
    Change { version: Version(number), key, before: None, after: Arc::new(after), removed: false }
}

/// A file with a few objects, written in several commits.
fn written(name: &str) -> Scratch {
    let path = std::env::temp_dir().join(format!("bowline-store-{name}-{}", std::process::id()));
    RedbStore::make(&path).expect("it can be made");
    let mut store = RedbStore::open(&path, &Keyring::default()).expect("it can be opened");
    for batch in 0..8 {
        let changes: Vec<_> =
            (batch * 8 + 1..=batch * 8 + 8).map(|number| change(number, &"x".repeat(500))).collect();
        store.commit(&changes).expect("it can be written");
    }
    Scratch(path)
}

type Contents = (Version, Vec<(Key, Version, bytes::Bytes)>);

fn contents(path: &Path) -> Result<Contents, StoreError> {
    let store = RedbStore::open(path, &Keyring::default())?;
    let mut all = Vec::new();
    let state = store.load(&mut |key, kept| all.push((key, kept.version, kept.parts.body)))?;
    Ok((state.version, all))
}

#[test]
fn what_was_written_is_read() {
    let file = written("read");
    let (version, all) = contents(&file.0).expect("it is whole");
    assert_eq!((version, all.len()), (Version(64), 64));
    assert!(all.iter().zip(1..).all(|((key, _, _), number)| *key.name == format!("thing-{number:03}")));
}

#[test]
fn who_only_reads_changes_nothing() {
    let file = written("untouched");
    let before = fs::read(&file.0).expect("a file");
    contents(&file.0).expect("it is whole");
    assert!(fs::read(&file.0).expect("a file") == before);
}

#[test]
fn damage_anywhere_is_found_or_does_no_harm() {
    let file = written("damage");
    let whole = fs::read(&file.0).expect("a file");
    let expected = contents(&file.0).expect("it is whole");
    let (mut found, mut harmless) = (0, 0);
    // All of the head, and some of every page.
    let places = (0..512).step_by(3).chain((512..whole.len()).step_by(1531));
    for place in places {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&file.0, &damaged).expect("it can be written");
        match contents(&file.0) {
            Err(_) => found += 1,
            Ok(read) => {
                assert!(read == expected, "what is at {place} is damaged, and nobody said so");
                harmless += 1;
            }
        }
        assert!(fs::read(&file.0).expect("a file") == damaged, "the file was changed; damaged at {place}");
    }
    assert!(found > 20 && harmless > 0, "{found} {harmless}");
}

#[test]
fn a_file_that_was_not_closed_is_repaired_in_memory_until_something_is_written() {
    let file = written("unclosed");
    let copy = Scratch(file.0.with_extension("copy"));
    let mut open = RedbStore::open(&file.0, &Keyring::default()).expect("it is whole");
    open.commit(&[change(65, "last")]).expect("it can be written");
    // As a crash at this moment would leave it.
    fs::copy(&file.0, &copy.0).expect("it can be copied");
    let before = fs::read(&copy.0).expect("a file");
    let (version, all) = contents(&copy.0).expect("it can be repaired");
    assert_eq!((version, all.len()), (Version(65), 65));
    assert!(fs::read(&copy.0).expect("a file") == before);
    let mut again = RedbStore::open(&copy.0, &Keyring::default()).expect("it can be repaired");
    again.commit(&[change(66, "later")]).expect("it can be written");
    drop(again);
    assert_eq!(contents(&copy.0).expect("it is whole").0, Version(66));
}

#[test]
fn what_is_committed_was_synced_once() {
    let platter = Platter::new(Vec::new());
    make_on(Box::new(Arc::clone(&platter))).expect("it can be made");
    let mut store = RedbStore::open_at(Box::new(Arc::clone(&platter)), CACHE_BYTES, Keyring::default())
        .expect("it is whole");
    store.commit(&[change(1, "x")]).expect("it can be written");
    platter.record();
    for number in 2..12 {
        store.commit(&[change(number, "x")]).expect("it can be written");
        let steps = platter.steps();
        let syncs = steps.iter().filter(|step| matches!(step, Step::Sync)).count();
        assert_eq!(syncs, 1, "a sync takes long");
        // A file that is too long may be cut afterwards.
        let last = steps.iter().rfind(|step| !matches!(step, Step::SetLen(_)));
        assert!(matches!(last, Some(Step::Sync)), "something is written after the sync");
    }
}

#[test]
fn what_a_start_shows_is_on_the_disk() {
    let platter = Platter::new(Vec::new());
    make_on(Box::new(Arc::clone(&platter))).expect("it can be made");
    platter.record();
    RedbStore::open_at(Box::new(Arc::clone(&platter)), CACHE_BYTES, Keyring::default()).expect("it is whole");
    assert!(matches!(platter.steps().as_slice(), [Step::Sync]));
}

#[test]
fn changes_that_do_not_follow_are_not_written() {
    let file = written("gap");
    let mut store = RedbStore::open(&file.0, &Keyring::default()).expect("it can be opened");
    for number in [64, 66] {
        assert!(matches!(store.commit(&[change(number, "x")]), Err(CommitError::Unknown(_))));
    }
    assert_eq!(contents(&file.0).expect("it is whole").0, Version(64));
}

/// Changes a file behind the store's back, so that redb finds nothing wrong with it.
fn meddled(file: &Scratch, meddle: impl FnOnce(&mut redb::Table<'_, &[u8], &[u8]>)) -> String {
    let database = Database::open(&file.0).expect("it is whole");
    let transaction = database.begin_write().expect("nobody else writes");
    meddle(&mut transaction.open_table(RECORDS).expect("it is there"));
    transaction.commit().expect("it can be written");
    drop(database);
    contents(&file.0).expect_err("it is not what was written").to_string()
}

#[test]
fn what_is_lost_added_old_or_elsewhere_is_found_though_every_page_is_well() {
    let key = |number: u64| pack_key(&change(number, "").key);
    let record = |number: u64, version: u64| {
        let change = change(number, "old");
        pack(&Keyring::default(), &key(number), Version(version), change.after.parts()).expect("it is plain")
    };
    let said = meddled(&written("lost"), |records| {
        records.remove(key(7).as_slice()).expect("it can be written");
    });
    assert!(said.contains("it holds 63 objects that are not those 64 that were written"), "{said}");
    let said = meddled(&written("added"), |records| {
        records.insert(key(99).as_slice(), record(99, 7).as_slice()).expect("it can be written");
    });
    assert!(said.contains("it holds 65 objects that are not those 64"), "{said}");
    let said = meddled(&written("old"), |records| {
        records.insert(key(7).as_slice(), record(7, 3).as_slice()).expect("it can be written");
    });
    assert!(said.contains("it holds 64 objects that are not those 64"), "{said}");
    let said = meddled(&written("elsewhere"), |records| {
        records.insert(key(7).as_slice(), record(8, 0).as_slice()).expect("it can be written");
    });
    assert!(
        said.contains("the record of test.dev/things default thing-007 is not what was written"),
        "{said}"
    );
}
