//! The thread that makes what is decided durable, and then shows and answers it.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bowline_kernel::{Change, Key as _, Version, View};

use super::history::History;
use super::{Batch, Hub, chores};
use crate::document::Document;
use crate::store::{CommitError, Store};
use crate::time::Moment;

/// How long chores rest when the disk is full.
const REST: Duration = Duration::from_secs(1);

/// Called with what becomes visible, and before anybody sees it: what follows objects is never behind them.
pub(super) type Published = Box<dyn Fn(&View<Document>, &[Change<Document>]) + Send>;

/// The thread that commits. Dropping it commits what is decided, and stops.
pub(crate) struct Committer {
    hub: Arc<Hub>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.hub.front().stopping = true;
        self.hub.work.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported, and has stopped the process.
            let _ = thread.join();
        }
    }
}

impl Hub {
    /// Starts the thread that commits to `store`.
    ///
    /// # Errors
    /// If there can be no thread.
    pub(crate) fn commit_to(
        self: &Arc<Hub>,
        mut store: impl Store,
        published: Published,
    ) -> std::io::Result<Committer> {
        let hub = Arc::clone(self);
        let run = move || {
            let mut history = History::default();
            while let Some(batch) = hub.next_batch() {
                hub.commit(batch, &mut store, &mut history, &published);
            }
        };
        // Without this thread every write would wait for ever.
        let run = || {
            catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| stop(&"the thread that writes panicked"))
        };
        let thread = thread::Builder::new().name("commit".into()).spawn(run)?;
        Ok(Committer { hub: Arc::clone(self), thread: Some(thread) })
    }

    /// What has been decided since the last time, as soon as there is something; `None` at the end.
    fn next_batch(&self) -> Option<Batch> {
        let mut front = self.front();
        front.busy = false;
        loop {
            // What somebody waits for goes first; then it is the turn of the chores, and of what has come meanwhile.
            front.postponed = !front.postponed && !front.batch.changes.is_empty();
            front.tired |= self.audit.as_ref().is_some_and(|audit| !audit.has_room());
            let more = front.postponed || (!front.tired && chores::run(&mut front, Moment::now()));
            if !front.batch.changes.is_empty() || !front.batch.waiting.is_empty() {
                front.busy = !front.batch.changes.is_empty();
                return Some(std::mem::take(&mut front.batch));
            }
            if front.stopping {
                return None;
            }
            if front.tired {
                (front, _) =
                    self.work.wait_timeout(front, REST).expect("the rules of the kernel do not panic");
                front.tired = false;
            } else if !more {
                front = self.work.wait(front).expect("the rules of the kernel do not panic");
            }
        }
    }

    fn commit(&self, batch: Batch, store: &mut impl Store, history: &mut History, published: &Published) {
        if let Some(last) = batch.changes.last() {
            let start = Instant::now();
            let committed = store.commit(&batch.changes);
            let refused = match &committed {
                Err(CommitError::Refused(why)) => Some(why.to_string()),
                _ => None,
            };
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = refused;
            match committed {
                Ok(()) => {
                    self.metrics.committed(batch.changes.len(), last.version.0, start.elapsed());
                    self.note_own(&batch);
                    self.publish(&batch.changes, history, published);
                }
                Err(CommitError::Refused(why)) => {
                    self.metrics.refused();
                    tracing::error!(error = %why, "changes are refused: they cannot be written");
                    return self.take_back(batch, &why.to_string());
                }
                Err(CommitError::Unknown(why)) => stop(&why),
            }
        }
        for waiting in batch.waiting {
            // Who no longer waits has hung up.
            let _ = waiting.send(Ok(()));
        }
    }

    /// What nobody asked for has a line too: so every version has one.
    fn note_own(&self, batch: &Batch) {
        if let Some(audit) = &self.audit {
            let is_own = |change: &&Change<Document>| batch.asked.binary_search(&change.version).is_err();
            audit.own(batch.changes.iter().filter(is_own));
        }
    }

    fn publish(&self, changes: &[Change<Document>], history: &mut History, published: &Published) {
        let now = Instant::now();
        {
            let mut view = self.view.write().expect("a change could not be shown");
            for change in changes {
                history.note(change, now);
                view.publish(change.clone());
            }
            history.trim(&mut view, now);
            published(&view, changes);
        }
        let mut rung: Vec<_> = changes.iter().map(|change| change.key.resource()).collect();
        rung.sort_unstable();
        rung.dedup();
        let version = changes.last().map_or(Version(0), |change| change.version);
        for resource in rung {
            self.bells.ring(resource, version);
        }
        self.published.send_replace(version);
    }

    /// Nobody has seen the batch, nor what was decided on top of it: both are as if they had not been.
    fn take_back(&self, batch: Batch, why: &str) {
        let mut front = self.front();
        let later = std::mem::take(&mut front.batch);
        front.tired = true;
        front.era.0 += 1;
        for change in batch.changes.iter().chain(&later.changes).rev() {
            front.revert(change);
        }
        drop(front);
        let why: Arc<str> = why.into();
        for waiting in batch.waiting.into_iter().chain(later.waiting) {
            let _ = waiting.send(Err(Arc::clone(&why)));
        }
    }
}

/// After a failed sync the disk may hold anything: who goes on would acknowledge what is not there.
fn stop(why: &dyn Display) -> ! {
    tracing::error!(error = %why, "the store failed; the process stops, so that nothing is promised that is not kept");
    std::process::abort()
}
