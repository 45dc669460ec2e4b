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
            (batch * 8..batch * 8 + 8).map(|number| change(number, &"x".repeat(500))).collect();
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
    assert_eq!((version, all.len()), (Version(63), 64));
    assert!(all.iter().enumerate().all(|(index, (key, _, _))| *key.name == format!("thing-{index:03}")));
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
    open.commit(&[change(64, "last")]).expect("it can be written");
    // As a crash at this moment would leave it.
    fs::copy(&file.0, &copy.0).expect("it can be copied");
    let before = fs::read(&copy.0).expect("a file");
    let (version, all) = contents(&copy.0).expect("it can be repaired");
    assert_eq!((version, all.len()), (Version(64), 65));
    assert!(fs::read(&copy.0).expect("a file") == before);
    let mut again = RedbStore::open(&copy.0).expect("it can be repaired");
    again.commit(&[change(65, "later")]).expect("it can be written");
    drop(again);
    assert_eq!(contents(&copy.0).expect("it is whole").0, Version(65));
}
