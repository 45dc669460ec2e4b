//! A store that is whole and old is told from one that is not.

use std::sync::Arc;

use super::super::faults::platter::Platter;
use super::*;

/// A store that is at a version.
#[derive(Debug)]
struct At(Version);

impl Store for At {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        self.0 = changes.last().map_or(self.0, |change| change.version);
        Ok(())
    }

    fn load(&self, _: &mut dyn FnMut(Key, Kept)) -> Result<State, StoreError> {
        Ok(State { version: self.0, ..State::default() })
    }
}

fn loaded(note: &[u8], version: u64) -> Result<State, String> {
    let store = Anchored::on(Box::new(Platter::new(note.to_vec())), At(Version(version)));
    store.load(&mut |_, _| ()).map_err(|error| error.to_string())
}

#[test]
fn a_store_that_is_older_than_what_it_acknowledged_is_told() {
    assert!(loaded(&[], 0).is_ok(), "nothing is known yet");
    let note = Platter::new(Vec::new());
    acknowledge(&Arc::clone(&note), Version(7)).expect("it can be written");
    let whole = note.bytes();
    assert!(loaded(&whole, 7).is_ok() && loaded(&whole, 8).is_ok());
    let said = loaded(&whole, 6).expect_err("the last write is lost");
    assert!(said.contains("the store is at version 6, but at least 7 was acknowledged"), "{said}");
    assert!(said.contains("restore a backup"), "{said}");
    // A crash may have left anything: then nothing is known.
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(loaded(&damaged, 6).is_ok(), "bit {bit}");
    }
    assert!(loaded(&whole[..9], 6).is_ok());
}
