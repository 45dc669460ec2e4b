//! Watches: what changes, in order, without gap or duplicate.
//!
//! A watch has no queue: it remembers how far it is, and reads on in the history when the resource has changed.
//! One that is slow holds up nobody, and is told `Expired` when the history has moved past it.

use std::sync::Arc;
use std::time::Duration;

use bowline_kernel::{Change, Expired, Version};
use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::list;
use crate::document::Document;
use crate::hub::Hub;
use crate::kinds::Kind;
use crate::metrics::Open;
use crate::render::Frames;
use crate::selection::{AsOf, ListOptions, Selection};
use crate::status::Status;

/// So many changes are read at once: the view is locked meanwhile.
const AT_ONCE: usize = 512;
/// How often a watch says how far it is, if its client wants that.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
/// How long before its end a watch says how far it is for the last time.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// What a watch is about.
pub(super) struct Watch {
    /// Where.
    pub hub: Arc<Hub>,
    /// Of what.
    pub kind: Arc<Kind>,
    /// Of which.
    pub selection: Selection,
    /// From when, and how.
    pub options: ListOptions,
    /// In which form.
    pub frames: Frames,
    /// When it ends by itself.
    pub lasts: Duration,
    /// Turns true when the server stops.
    pub stopping: watch::Receiver<bool>,
    /// Counts it for as long as it lasts.
    pub _counted: Open,
}

/// Starts a watch, and gives what it sends.
pub(super) fn start(watch: Watch) -> mpsc::Receiver<Bytes> {
    // One buffer under way and one being filled: more would only be memory.
    let (sender, receiver) = mpsc::channel(2);
    tokio::spawn(run(watch, sender));
    receiver
}

async fn run(mut watch: Watch, sender: mpsc::Sender<Bytes>) {
    let mut bell = watch.hub.bell(&watch.kind.resource);
    let begin = Instant::now();
    let end = begin + watch.lasts;
    let mut bookmark = Bookmarks::new(watch.options.bookmarks, begin, end);
    let Some(mut cursor) = watch.begin(&sender).await else { return };
    loop {
        bell.mark_unchanged();
        let (buffer, next) = watch.read_on(cursor);
        if !buffer.is_empty() && sender.send(buffer.into()).await.is_err() {
            return;
        }
        let Some(next) = next else { return };
        let more = next.more;
        cursor = next.cursor;
        if more {
            continue;
        }
        tokio::select! {
            changed = bell.changed() => if changed.is_err() { return },
            () = sleep_until(bookmark.due) => {
                let frame = watch.frames.bookmark(cursor, false);
                if sender.send(frame.into()).await.is_err() {
                    return;
                }
                bookmark.sent();
            }
            () = sleep_until(end) => return,
            () = sender.closed() => return,
            () = stopped(&mut watch.stopping) => return,
        }
    }
}

/// Returns when the server stops.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // Who would have told us is gone: then the server is too.
    let _ = stopping.wait_for(|stopping| *stopping).await.is_ok();
}

/// How far a watch has come.
struct Progress {
    cursor: Version,
    /// There may be more at once.
    more: bool,
}

impl Watch {
    /// Sends what is there, if that is wanted, and says from where the watch goes on.
    async fn begin(&mut self, sender: &mpsc::Sender<Bytes>) -> Option<Version> {
        let from_state = match (self.options.initial_events, self.options.as_of) {
            (Some(wanted), _) => wanted,
            (None, AsOf::Newest | AsOf::Any) => true,
            (None, _) => false,
        };
        if !from_state {
            return Some(match self.options.as_of {
                AsOf::NotOlderThan(version) | AsOf::Exact(version) => version,
                AsOf::Newest | AsOf::Any => self.hub.view().version(),
            });
        }
        if let AsOf::NotOlderThan(version) = self.options.as_of {
            self.hub.reach(version, self.lasts).await;
        }
        let (documents, version) = self.state();
        for some in documents.chunks(AT_ONCE) {
            let mut buffer = Vec::new();
            for document in some {
                self.frames.event("ADDED", document, &mut buffer);
            }
            sender.send(buffer.into()).await.ok()?;
        }
        if self.options.bookmarks {
            sender.send(self.frames.bookmark(version, true).into()).await.ok()?;
        }
        Some(version)
    }

    fn state(&self) -> (Vec<Arc<Document>>, Version) {
        let view = self.hub.view();
        let documents = view
            .collection(&self.kind.resource)
            .into_iter()
            .flat_map(|collection| list::within(collection, &self.kind, &self.selection, None))
            .filter(|document| self.selection.has(document));
        (documents.cloned().collect(), view.version())
    }

    /// What has happened after `cursor`; the watch ends with `None`.
    fn read_on(&mut self, cursor: Version) -> (Vec<u8>, Option<Progress>) {
        let mut buffer = Vec::new();
        match self.changes(cursor) {
            Err(Expired { asked, oldest }) => {
                let status = Status::expired(format!("too old resource version: {asked} ({oldest})"));
                self.frames.error(&status, &mut buffer);
                (buffer, None)
            }
            Ok((changes, progress)) => {
                for change in &changes {
                    self.show(change, &mut buffer);
                }
                (buffer, Some(progress))
            }
        }
    }

    fn changes(&self, cursor: Version) -> Result<(Vec<Change<Document>>, Progress), Expired> {
        let view = self.hub.view();
        let changes: Vec<_> = view.since(&self.kind.resource, cursor)?.take(AT_ONCE).cloned().collect();
        let more = changes.len() == AT_ONCE;
        let reached = match changes.last() {
            Some(last) if more => last.version,
            _ => view.version(),
        };
        Ok((changes, Progress { cursor: reached.max(cursor), more }))
    }

    /// To who selects, an object that comes into the selection is new, and one that leaves it is gone.
    fn show(&mut self, change: &Change<Document>, buffer: &mut Vec<u8>) {
        let before = change.before.as_ref().filter(|before| self.selection.has(before));
        let after = Some(&change.after).filter(|after| !change.removed && self.selection.has(after));
        match (before, after) {
            (None, None) => {}
            (None, Some(after)) => self.frames.event("ADDED", after, buffer),
            (Some(_), Some(after)) => self.frames.event("MODIFIED", after, buffer),
            // Its last state, at the version of its end.
            (Some(before), None) => self.frames.event("DELETED", &before.at(change.version), buffer),
        }
    }
}

/// When a watch says how far it is.
struct Bookmarks {
    due: Instant,
    last: Instant,
    never: Instant,
}

impl Bookmarks {
    fn new(wanted: bool, begin: Instant, end: Instant) -> Bookmarks {
        let never = end + BOOKMARK_EVERY;
        let last = end.checked_sub(LAST_BOOKMARK).filter(|last| wanted && *last > begin).unwrap_or(never);
        let due = if wanted { last.min(begin + BOOKMARK_EVERY) } else { never };
        Bookmarks { due, last, never }
    }

    fn sent(&mut self) {
        self.due = if self.due >= self.last { self.never } else { self.last.min(self.due + BOOKMARK_EVERY) };
    }
}

/// How long a watch lasts: what was asked, or half an hour to an hour, so that not all end at once.
pub(super) fn lasts(timeout_s: Option<u64>, dice: u64) -> Duration {
    Duration::from_secs(timeout_s.unwrap_or(1800 + dice % 1800))
}
