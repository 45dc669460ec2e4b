//! Many at one object: who was overtaken waits for its turn, and so does whoever comes while somebody waits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Place, OwnedMutexGuard};

use crate::key::Key;

/// The lines at objects that many change at once.
#[derive(Default)]
pub(super) struct Turns {
    lines: Mutex<BTreeMap<Key, Line>>,
}

#[derive(Default)]
struct Line {
    /// Who has it has its turn; others wait in the order of their coming.
    place: Arc<Place<()>>,
    /// How many are in line, with the one whose turn it is.
    long: usize,
}

/// A place in a line. When it is dropped, it is the next one's turn.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    key: Key,
    /// `None` while it waits.
    held: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// Waits for the turn at an object, if there is a line or one has to begin.
    pub(super) async fn wait(&self, key: &Key, begins: bool) -> Option<Turn<'_>> {
        let (mut turn, place) = self.line_up(key, begins)?;
        turn.held = Some(place.lock_owned().await);
        Some(turn)
    }

    fn line_up(&self, key: &Key, begins: bool) -> Option<(Turn<'_>, Arc<Place<()>>)> {
        let mut lines = self.lines();
        if !begins && !lines.contains_key(key) {
            return None;
        }
        let line = lines.entry(key.clone()).or_default();
        line.long += 1;
        Some((Turn { turns: self, key: key.clone(), held: None }, Arc::clone(&line.place)))
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Key, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        drop(self.held.take());
        let mut lines = self.turns.lines();
        if let Some(line) = lines.get_mut(&self.key) {
            line.long -= 1;
            if line.long == 0 {
                lines.remove(&self.key);
            }
        }
    }
}
