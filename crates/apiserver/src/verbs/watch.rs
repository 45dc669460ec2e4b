//! Watches: what changes, in order, without gap or duplicate.
//!
//! A watch has no queue: it remembers how far it is, and reads on in the history when the resource has changed.
//! One that is slow holds up nobody, and is told `Expired` when the history has moved past it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bowline_kernel::{Change, Expired, Version};
use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::list;
use crate::document::Document;
use crate::flow::Pass;
use crate::hub::Hub;
use crate::kinds::Kind;
use crate::metrics::Open;
use crate::render::Frames;
use crate::selection::{AsOf, ListOptions, Selection};
use crate::service::{Panic, RequestId, caught, panicked};
use crate::status::Status;

/// So many changes are read at once: the view is locked meanwhile.
const AT_ONCE: usize = 512;
/// So much is sent at once, and one event more: what a watch that is slow has under way is memory.
const SENT_AT_ONCE_BYTES: usize = 1 << 20;
/// So much is looked at for what is selected before others have their turn.
const LOOKED_AT_ONCE_BYTES: usize = 1 << 20;
/// No watch lasts longer. It is more than anybody waits, and a moment that there is.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
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
    /// The seat that it has until it has begun.
    pub pass: Option<Pass>,
    /// Counts it for as long as it lasts.
    pub _counted: Open,
}

/// Starts a watch, and gives what it sends.
pub(super) fn start(watch: Watch, id: RequestId, path: String) -> mpsc::Receiver<Bytes> {
    // One buffer under way and one being filled: more would only be memory.
    let (sender, receiver) = mpsc::channel(2);
    let end = Instant::now() + watch.lasts;
    let outlet = Outlet { sender: sender.clone(), end, stopping: watch.stopping.clone() };
    tokio::spawn(guarded(run(watch, outlet), sender, id, path));
    receiver
}

/// Runs a watch. If it panics, that ends it, and its client is told under which number the log says more.
async fn guarded(
    running: impl Future<Output = Option<()>>,
    sender: mpsc::Sender<Bytes>,
    id: RequestId,
    path: String,
) {
    let Err(Panic(why)) = caught(running).await else { return };
    let status = panicked(&id, "WATCH", &path, &why);
    let mut buffer = Vec::new();
    Frames::error(&status, &mut buffer);
    // Who has not read what came before is not waited for.
    let _ = sender.try_send(buffer.into());
}

/// Ends with `None`, early, when the watch is over.
async fn run(mut watch: Watch, mut outlet: Outlet) -> Option<()> {
    let mut bell = watch.hub.bell(&watch.kind.resource);
    let mut bookmark = Bookmarks::new(watch.options.bookmarks, Instant::now(), outlet.end);
    let mut cursor = watch.begin(&mut outlet).await?;
    while !outlet.is_over() {
        bell.mark_unchanged();
        let (buffer, progress) = watch.read_on(cursor);
        outlet.send(buffer).await?;
        let Progress { cursor: reached, more } = progress?;
        cursor = reached;
        if more {
            // It may go on like this for long without anything to send: others are answered by this thread too.
            tokio::task::yield_now().await;
            continue;
        }
        // The view was just looked at: a bookmark that rests on an older look would say less than is known.
        if bookmark.due <= Instant::now() {
            outlet.send(watch.frames.bookmark(cursor, false)).await?;
            bookmark.sent();
        }
        tokio::select! {
            changed = bell.changed() => changed.ok()?,
            () = sleep_until(bookmark.due) => {}
            () = outlet.over() => {}
        }
    }
    None
}

/// Where a watch sends to. A client that does not read is waited for until the watch is over, and no longer.
struct Outlet {
    sender: mpsc::Sender<Bytes>,
    /// When the watch ends by itself.
    end: Instant,
    /// Turns true when the server stops.
    stopping: watch::Receiver<bool>,
}

impl Outlet {
    /// Sends something; `None` if the watch is over before there is room for it.
    async fn send(&mut self, buffer: Vec<u8>) -> Option<()> {
        if buffer.is_empty() {
            return Some(());
        }
        let room = tokio::select! {
            biased;
            room = self.sender.reserve() => room.ok(),
            () = over(&self.sender, self.end, &mut self.stopping) => None,
        }?;
        room.send(buffer.into());
        Some(())
    }

    fn is_over(&self) -> bool {
        self.end <= Instant::now() || self.sender.is_closed() || *self.stopping.borrow()
    }

    /// Returns when the watch is over.
    async fn over(&mut self) {
        over(&self.sender, self.end, &mut self.stopping).await;
    }
}

async fn over(sender: &mpsc::Sender<Bytes>, end: Instant, stopping: &mut watch::Receiver<bool>) {
    tokio::select! {
        () = sleep_until(end) => {}
        () = sender.closed() => {}
        () = stopped(stopping) => {}
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
    async fn begin(&mut self, outlet: &mut Outlet) -> Option<Version> {
        let from_state = match (self.options.initial_events, self.options.as_of) {
            (Some(wanted), _) => wanted,
            (None, AsOf::Newest | AsOf::Any) => true,
            (None, _) => false,
        };
        if !from_state {
            self.pass = None;
            return Some(match self.options.as_of {
                AsOf::NotOlderThan(version) | AsOf::Exact(version) => version,
                AsOf::Newest | AsOf::Any => self.hub.view().version(),
            });
        }
        // What is there now is older than what was asked for: nobody may take it for that.
        let reached = tokio::select! {
            reached = list::reach(&self.hub, self.options.as_of) => reached,
            () = outlet.over() => return None,
        };
        if let Err(status) = reached {
            let mut buffer = Vec::new();
            Frames::error(&status, &mut buffer);
            outlet.send(buffer).await?;
            return None;
        }
        let (documents, version) = self.state().await;
        // What is left to be done is done at the pace of the client.
        self.pass = None;
        let mut buffer = Vec::new();
        for document in documents {
            self.frames.event("ADDED", &document, &mut buffer);
            if buffer.len() >= SENT_AT_ONCE_BYTES {
                outlet.send(std::mem::take(&mut buffer)).await?;
            }
        }
        outlet.send(buffer).await?;
        if self.options.bookmarks {
            outlet.send(self.frames.bookmark(version, true)).await?;
        }
        Some(version)
    }

    async fn state(&self) -> (Vec<Arc<Document>>, Version) {
        let (objects, version) = {
            let view = self.hub.view();
            (list::candidates(&view, &self.kind, &self.selection, None), view.version())
        };
        (list::select(objects, &self.selection, 0).await, version)
    }

    /// What has happened after `cursor`; the watch ends with `None`.
    fn read_on(&mut self, cursor: Version) -> (Vec<u8>, Option<Progress>) {
        let mut buffer = Vec::new();
        match self.changes(cursor) {
            Err(Expired { asked, oldest }) => {
                let status = Status::expired(format!("too old resource version: {asked} ({oldest})"));
                Frames::error(&status, &mut buffer);
                (buffer, None)
            }
            Ok((changes, progress)) => {
                let mut looked_at_bytes = 0;
                for change in &changes {
                    self.show(change, &mut buffer);
                    looked_at_bytes += self.selection.effort_bytes(&change.after);
                    if buffer.len() >= SENT_AT_ONCE_BYTES || looked_at_bytes >= LOOKED_AT_ONCE_BYTES {
                        return (buffer, Some(Progress { cursor: change.version, more: true }));
                    }
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
    Duration::from_secs(timeout_s.unwrap_or(1800 + dice % 1800)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[tokio::test]
    async fn one_that_panics_ends_and_says_where_to_find_out_more() {
        let (sender, mut receiver) = mpsc::channel(2);
        let id = RequestId::new();
        guarded(async { unreachable!("this is planted") }, sender, id.clone(), "/api/v1/pods".into()).await;
        let event: Value = serde_json::from_slice(&receiver.recv().await.expect("an event")).expect("JSON");
        assert_eq!((&event["type"], &event["object"]["code"]), (&"ERROR".into(), &500.into()));
        assert!(event["object"]["message"].as_str().is_some_and(|said| said.contains(&*id)), "{event}");
        assert!(receiver.recv().await.is_none());
    }

    #[test]
    fn none_lasts_for_ever() {
        assert_eq!(lasts(Some(5), 0), Duration::from_secs(5));
        assert_eq!(lasts(None, 1801), Duration::from_secs(1801));
        let longest = lasts(Some(u64::MAX), 0);
        // There is such a moment.
        assert!(Instant::now().checked_add(longest + BOOKMARK_EVERY).is_some());
    }
}
