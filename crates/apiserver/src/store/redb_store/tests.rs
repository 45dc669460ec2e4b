//! A file that is damaged anywhere is refused, or what is in it is what was written.

use std::fs;

use serde_json::json;

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
    let mut store = RedbStore::open(&path).expect("it can be opened");
    for batch in 0..8 {
        let changes: Vec<_> =
            (batch * 8 + 1..=batch * 8 + 8).map(|number| change(number, &"x".repeat(500))).collect();
        store.commit(&changes).expect("it can be written");
    }
    Scratch(path)
}

type Contents = (Version, Vec<(Key, Version, bytes::Bytes)>);

fn contents(path: &Path) -> Result<Contents, StoreError> {
    let store = RedbStore::open(path)?;
    let mut all = Vec::new();
    let version = store.load(&mut |key, kept| all.push((key, kept.version, kept.parts.body)))?;
    Ok((version, all))
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
    let mut open = RedbStore::open(&file.0).expect("it is whole");
    open.commit(&[change(65, "last")]).expect("it can be written");
    // As a crash at this moment would leave it.
    fs::copy(&file.0, &copy.0).expect("it can be copied");
    let before = fs::read(&copy.0).expect("a file");
    let (version, all) = contents(&copy.0).expect("it can be repaired");
    assert_eq!((version, all.len()), (Version(65), 65));
    assert!(fs::read(&copy.0).expect("a file") == before);
    let mut again = RedbStore::open(&copy.0).expect("it can be repaired");
    again.commit(&[change(66, "later")]).expect("it can be written");
    drop(again);
    assert_eq!(contents(&copy.0).expect("it is whole").0, Version(66));
}

#[test]
fn what_is_committed_was_synced_once() {
    let file = written("synced");
    let mut store = RedbStore::open(&file.0).expect("it can be opened");
    store.commit(&[change(65, "x")]).expect("it can be written");
    let disk = store.open.as_ref().map(|open| Arc::clone(&open.disk)).expect("it is open");
    let before = disk.observed.syncs.load(Ordering::SeqCst);
    for number in 66..76 {
        store.commit(&[change(number, "x")]).expect("it can be written");
        assert!(!disk.observed.is_open.load(Ordering::SeqCst), "something is written after the sync");
        assert_eq!(disk.observed.syncs.load(Ordering::SeqCst), before + number - 65, "a sync takes long");
    }
}

#[test]
fn whichever_write_fails_it_is_known_what_became_of_the_changes() {
    let (mut refused, mut kept) = (0, 0);
    for nth in 1.. {
        let file = written("fails");
        let mut store = RedbStore::open(&file.0).expect("it can be opened");
        let disk = store.open.as_ref().map(|open| Arc::clone(&open.disk)).expect("it is open");
        disk.observed.fails_in.store(nth, Ordering::SeqCst);
        // Much, so that the file grows and what is freed has to be noted.
        let changes: Vec<_> = (65..85).map(|number| change(number, &"y".repeat(50_000))).collect();
        let outcome = store.commit(&changes);
        let failed = disk.observed.fails_in.load(Ordering::SeqCst) == 1;
        let version = match &outcome {
            Ok(()) => Version(84),
            Err(CommitError::Refused(_)) => Version(64),
            Err(CommitError::Unknown(error)) => panic!("write {nth}: {error}"),
        };
        disk.observed.fails_in.store(0, Ordering::SeqCst);
        // The store goes on from there, also after another start.
        store.commit(&[change(version.0 + 1, "z")]).expect("the disk is well again");
        drop(store);
        let (found, all) = contents(&file.0).expect("it is whole");
        assert_eq!((found, all.len() as u64), (version.next(), version.0 + 1), "write {nth}: {outcome:?}");
        match outcome {
            Ok(()) if failed => kept += 1,
            Ok(()) => break,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 5, "{refused} refused, {kept} kept");
}

#[test]
fn changes_that_do_not_follow_are_not_written() {
    let file = written("gap");
    let mut store = RedbStore::open(&file.0).expect("it can be opened");
    for number in [64, 66] {
        assert!(matches!(store.commit(&[change(number, "x")]), Err(CommitError::Unknown(_))));
    }
    assert_eq!(contents(&file.0).expect("it is whole").0, Version(64));
}
