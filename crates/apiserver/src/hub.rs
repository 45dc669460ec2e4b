//! The one writer: requests are decided one after the other, made durable together, then shown and answered.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use bowline_kernel::{Answer, Change, Head, Outcome, Request, Version, View};
use tokio::sync::{oneshot, watch};

use crate::audit::{Audit, Made, Trail};
use crate::document::Document;
use crate::key::{Key, Resource};
use crate::metrics::Metrics;

mod bells;
mod chores;
mod committer;
mod compute;
mod decided;
mod failure;
mod history;
mod ledger;
mod modify;
mod quotas;
#[cfg(test)]
mod tests;
mod turns;

use bells::Bells;
pub(crate) use committer::Committer;
pub(crate) use compute::{BIG_BYTES, compute, off_thread};
use decided::{Decided, Deciding, Waiting, durability};
pub(crate) use failure::Failure;
pub(crate) use ledger::Account;
use ledger::Ledger;
use turns::Turns;

/// The objects: decided, durable, shown.
pub(crate) struct Hub {
    front: Mutex<Front>,
    /// There is something to commit, or it is time to stop.
    work: Condvar,
    view: RwLock<View<Document>>,
    bells: Bells,
    turns: Turns,
    metrics: Arc<Metrics>,
    audit: Option<Arc<Audit>>,
    /// Rings whenever anything has changed.
    published: watch::Sender<Version>,
    /// Why the last batch could not be written, if it could not.
    refused: Mutex<Option<String>>,
}

/// What is decided and not yet durable.
struct Front {
    head: Head<Document>,
    /// What quotas leave.
    ledger: Ledger,
    batch: Batch,
    /// A batch is on its way to the disk.
    busy: bool,
    /// The last batch could not be written. What nobody waits for can wait too.
    tired: bool,
    /// The last batch went without chores.
    postponed: bool,
    stopping: bool,
    /// How often a batch was taken back.
    era: Era,
}

/// Versions of what was taken back are given away again: a version says what an object is only within an era.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Era(u64);

/// What becomes durable together.
#[derive(Default)]
struct Batch {
    changes: Vec<Change<Document>>,
    /// The versions of those that somebody asked for; the rest is the hub's own doing.
    asked: Vec<Version>,
    waiting: Vec<oneshot::Sender<Durable>>,
}

/// Whether what was decided is durable.
type Durable = Result<(), Arc<str>>;

impl Hub {
    /// A hub on these objects.
    pub(crate) fn new(version: Version, objects: Vec<Arc<Document>>, metrics: Arc<Metrics>) -> Hub {
        let head = Head::load(version, objects.iter().cloned());
        let front = Front {
            ledger: Ledger::load(&head),
            head,
            batch: Batch::default(),
            busy: false,
            tired: false,
            postponed: false,
            stopping: false,
            era: Era::default(),
        };
        Hub {
            front: Mutex::new(front),
            work: Condvar::new(),
            view: RwLock::new(View::load(version, objects)),
            bells: Bells::default(),
            turns: Turns::default(),
            metrics,
            audit: None,
            published: watch::Sender::new(version),
            refused: Mutex::new(None),
        }
    }

    /// Why writes are refused, as far as the last ones tell: there is no room in the store, or for the log of who did what.
    pub(crate) fn refuses(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
        refused.or_else(|| self.audit.as_ref().and_then(|audit| audit.lacks_room()))
    }

    /// The same, with a log of who did what.
    #[must_use]
    pub(crate) fn audited(self, audit: Option<Arc<Audit>>) -> Hub {
        Hub { audit, ..self }
    }

    /// The log of who did what.
    pub(crate) fn audit(&self) -> Option<&Arc<Audit>> {
        self.audit.as_ref()
    }

    /// What is durable.
    ///
    /// # Panics
    /// If a change could not be shown: then the process is stopping.
    pub(crate) fn view(&self) -> RwLockReadGuard<'_, View<Document>> {
        self.view.read().expect("a change could not be shown")
    }

    /// Rings whenever a resource has changed.
    pub(crate) fn bell(&self, resource: &Resource) -> watch::Receiver<Version> {
        self.bells.listen(resource)
    }

    /// Rings whenever anything has changed.
    pub(crate) fn published(&self) -> watch::Receiver<Version> {
        self.published.subscribe()
    }

    /// Waits until the view has come to `version`, and says whether it has.
    pub(crate) async fn reach(&self, version: Version, at_most: Duration) -> bool {
        let mut published = self.published.subscribe();
        let reached = published.wait_for(|published| *published >= version);
        tokio::time::timeout(at_most, reached).await.is_ok_and(|reached| reached.is_ok())
    }

    /// Performs a request. When this returns, what it says is durable, also what it says of others.
    ///
    /// # Errors
    /// See [`Failure`].
    pub(crate) async fn perform(&self, request: Request<Document>) -> Result<Answer<Document>, Failure> {
        let outcome = self.decide(|front| front.admit(request))?.done().await?;
        outcome.map_err(Failure::Refused)
    }

    /// Performs a request that was computed on what [`Hub::look`] has shown. `None` if that was taken back since.
    ///
    /// # Errors
    /// See [`Failure`].
    pub(crate) async fn perform_in(
        &self,
        era: Era,
        request: Request<Document>,
    ) -> Result<Option<Answer<Document>>, Failure> {
        match self.decide_in(era, request)? {
            Some(decided) => decided.done().await?.map(Some).map_err(Failure::Refused),
            None => Ok(None),
        }
    }

    /// Decides a request that was computed on what [`Hub::look`] has shown. `None` if that was taken back since.
    fn decide_in(
        &self,
        era: Era,
        request: Request<Document>,
    ) -> Result<Option<Decided<Outcome<Document>>>, Failure> {
        let Decided { what, made, durable } =
            self.decide(|front| (front.era == era).then(|| front.admit(request)))?;
        Ok(what.map(|what| Decided { what, made, durable }))
    }

    /// What a request would come to now. When this returns, what it rests on is durable.
    ///
    /// # Errors
    /// See [`Failure`].
    pub(crate) async fn foresee(&self, request: Request<Document>) -> Result<Answer<Document>, Failure> {
        let (outcome, durable) = {
            let mut front = self.front();
            let _deciding = Deciding::begin();
            (front.head.foresee(request), front.wait_for_durable(&self.work))
        };
        durability(durable).await?;
        outcome.map_err(Failure::Refused)
    }

    /// Performs requests of the server itself one right after the other: what they come to is durable together, and no
    /// quota stands against it.
    ///
    /// # Errors
    /// If it does not get there.
    pub(crate) async fn perform_all(
        &self,
        requests: Vec<Request<Document>>,
    ) -> Result<Vec<Outcome<Document>>, Failure> {
        let perform =
            |front: &mut Front| requests.into_iter().map(|request| front.perform(request)).collect();
        self.decide(perform)?.done().await
    }

    /// Waits until all that is decided now is durable.
    ///
    /// # Errors
    /// If it does not get there.
    pub(crate) async fn settle(&self) -> Result<(), Failure> {
        let durable = self.front().wait_for_durable(&self.work);
        durability(durable).await
    }

    /// The object at `key` as the last request left it, when that is durable: what an answer may rest on.
    ///
    /// # Errors
    /// If it does not get there.
    pub(crate) async fn settled(&self, key: &Key) -> Result<Option<Arc<Document>>, Failure> {
        let (found, durable) = {
            let mut front = self.front();
            (front.head.get(key).cloned(), front.wait_for_durable(&self.work))
        };
        durability(durable).await?;
        Ok(found)
    }

    /// The same for what was seen in an era. `false` if something was taken back since: that may be what was seen.
    ///
    /// # Errors
    /// If it does not get there.
    pub(crate) async fn settle_in(&self, era: Era) -> Result<bool, Failure> {
        let durable = {
            let mut front = self.front();
            if front.era != era {
                return Ok(false);
            }
            front.wait_for_durable(&self.work)
        };
        durability(durable).await.map(|()| true)
    }

    /// The object at `key` as the last request left it, and the era. It may not be durable: it is something to
    /// compute on ([`Hub::perform_in`]), and nothing to answer by.
    pub(crate) fn look(&self, key: &Key) -> (Option<Arc<Document>>, Era) {
        let front = self.front();
        (front.head.get(key).cloned(), front.era)
    }

    /// The object at `key` as the last request left it. It may not be durable: whoever answers by it asks for it
    /// [`Hub::settled`]. A change that the writer computes itself is shown what everybody sees: the writer would wait for
    /// itself.
    pub(crate) fn ahead(&self, key: &Key) -> Option<Arc<Document>> {
        if Deciding::is_on() {
            return self.view().get(key).cloned();
        }
        self.look(key).0
    }

    /// Decides while nobody else does.
    fn decide<T>(&self, decide: impl FnOnce(&mut Front) -> T) -> Result<Decided<T>, Failure> {
        if let Some(audit) = &self.audit {
            audit.room().map_err(|status| Failure::NotDurable(status.message.into()))?;
        }
        let mut front = self.front();
        if front.stopping {
            return Err(Failure::Stopping);
        }
        let from = front.batch.changes.len();
        let deciding = Deciding::begin();
        let what = decide(&mut front);
        drop(deciding);
        let mut made = Vec::new();
        if self.audit.is_some() && Trail::is_on() {
            made.extend(front.batch.changes[from..].iter().map(Made::of));
            front.batch.asked.extend(made.iter().map(|made| made.version));
        }
        Ok(Decided { what, made, durable: front.wait_for_durable(&self.work) })
    }

    fn front(&self) -> MutexGuard<'_, Front> {
        self.front.lock().expect("the rules of the kernel do not panic")
    }
}

impl Front {
    /// Decides a request, and what has to follow at once: nobody comes between, and both are durable together.
    fn perform(&mut self, request: Request<Document>) -> Outcome<Document> {
        match self.head.perform(request) {
            (outcome, Some(change)) => self.follow(outcome, change),
            (outcome, None) => outcome,
        }
    }

    /// `None` if everything is durable already.
    fn wait_for_durable(&mut self, work: &Condvar) -> Waiting {
        if self.batch.changes.is_empty() && !self.busy {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        self.batch.waiting.push(sender);
        work.notify_one();
        Some(receiver)
    }
}
