//! How much history is kept for watchers that come back: ten minutes, bounded by memory.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bowline_kernel::{Change, Key as _, Version, View};

use crate::document::Document;
use crate::key::Resource;

const KEPT_FOR: Duration = Duration::from_secs(10 * 60);
const KEPT_BYTES: usize = 64 << 20;

/// Every change that is still in the view's log, oldest first.
#[derive(Default)]
pub(super) struct History {
    entries: VecDeque<Entry>,
    bytes: usize,
}

struct Entry {
    at: Instant,
    resource: Resource,
    version: Version,
    bytes: usize,
}

impl History {
    pub(super) fn note(&mut self, change: &Change<Document>, at: Instant) {
        // What an object was before may be nobody else's any more.
        let bytes = change.after.size() + change.before.as_ref().map_or(0, |before| before.size());
        self.bytes += bytes;
        self.entries.push_back(Entry {
            at,
            resource: change.key.resource().clone(),
            version: change.version,
            bytes,
        });
    }

    /// Takes from the view what is too old or too much.
    pub(super) fn trim(&mut self, view: &mut View<Document>, now: Instant) {
        while let Some(oldest) = self.entries.front() {
            if now.duration_since(oldest.at) < KEPT_FOR && self.bytes <= KEPT_BYTES {
                return;
            }
            view.forget(&oldest.resource, oldest.version);
            self.bytes -= oldest.bytes;
            self.entries.pop_front();
        }
    }
}
