//! What is written while the disk goes bad, and what must be there afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_kernel::{Change, Expect, Head, Object, Request, Version};
use bytes::Bytes;
use serde_json::json;

use super::super::record::Kept;
use super::super::state::State;
use super::super::{Store, StoreError};
use crate::document::{Counting, Document};
use crate::key::{Key, Resource};
use crate::time::Moment;

/// How many operations the workload has.
pub(super) const OPERATIONS: usize = 2000;
/// So many objects there are at most.
const NAMES: u64 = 48;

/// Numbers that are as good as random, and the same every time.
#[derive(Clone, Debug)]
pub(in crate::store) struct Dice(pub u64);

impl Dice {
    /// A number below `end`.
    pub(in crate::store) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

/// What is in a store: of every object its version and its JSON.
pub(super) type Contents = BTreeMap<Key, (Version, Bytes)>;

/// What becomes durable together, and what is there then.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) changes: Vec<Change<Document>>,
    pub(super) before: Arc<Contents>,
    pub(super) after: Arc<Contents>,
}

impl Batch {
    pub(super) fn first(&self) -> Version {
        self.changes.first().map_or(Version(0), |change| change.version)
    }

    pub(super) fn last(&self) -> Version {
        self.changes.last().map_or(Version(0), |change| change.version)
    }
}

/// Operations as the kernel decides them, in batches as the writer makes them.
pub(super) fn workload(operations: usize, seed: u64) -> Vec<Batch> {
    let mut dice = Dice(seed);
    let mut head: Head<Document> = Head::empty();
    let mut now = Arc::new(Contents::new());
    let mut batches = Vec::new();
    let mut left = operations;
    while left > 0 {
        let size = (1 + dice.below(16) as usize).min(left);
        left -= size;
        let before = Arc::clone(&now);
        let mut after = Contents::clone(&before);
        let mut changes = Vec::new();
        while changes.len() < size {
            let name = format!("thing-{:02}", dice.below(NAMES));
            let there = head.get(&key(&name)).is_some();
            let request = match (there, dice.below(4)) {
                (true, 0) => Request::Delete {
                    key: key(&name),
                    expect: Expect::anything(),
                    propagation: None,
                    grace_s: 0,
                    at: Moment::now(),
                },
                (true, _) => Request::Replace(thing(&name, &mut dice), Expect::anything()),
                (false, _) => Request::Create(thing(&name, &mut dice)),
            };
            let (outcome, change) = head.perform(request);
            let change = change.unwrap_or_else(|| unreachable!("nothing stands against it: {outcome:?}"));
            match change.removed {
                true => after.remove(&change.key),
                false => after.insert(change.key.clone(), seen(&change.after)),
            };
            changes.push(change);
        }
        now = Arc::new(after);
        batches.push(Batch { changes, before, after: Arc::clone(&now) });
    }
    batches
}

/// Every other one is a Secret.
fn key(name: &str) -> Key {
    let is_odd = name.bytes().last().is_some_and(|byte| byte % 2 == 1);
    let resource = if is_odd { Resource::new("", "secrets") } else { Resource::new("test.dev", "things") };
    Key::new(resource, "", name)
}

pub(super) fn thing(name: &str, dice: &mut Dice) -> Document {
    // Most are small; some take several pages.
    let length = if dice.below(20) == 0 { 9000 } else { dice.below(900) };
    let text = format!("{}-{}", dice.below(u64::MAX), "x".repeat(length as usize));
    let json = json!({ "metadata": { "name": name, "uid": format!("uid-{name}") }, "text": text });
    let json = json.as_object().expect("an object");
    Document::new(key(name), json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata")
}

fn seen(document: &Document) -> (Version, Bytes) {
    (document.meta().version, document.parts().body.clone())
}

/// What a start finds.
pub(super) fn found(store: &impl Store) -> Result<(State, Contents), StoreError> {
    let mut contents = Contents::new();
    let state = store.load(&mut |key, Kept { version, parts }| {
        contents.insert(key, (version, parts.body));
    })?;
    Ok((state, contents))
}
