//! Changes that are computed on what is there: beside the writer, and again if somebody was faster.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use bowline_kernel::{Answer, Expect, Object, Refusal, RefusalOf, Request, Version};

use super::compute::{compute, is_big};
use super::{Failure, Hub};
use crate::document::{self, Document, Edit};
use crate::key::Key;
use crate::status::Status;

/// How often a change is computed beside the writer before it is computed by it: then nothing comes between.
pub(super) const TRIES: usize = 5;
/// The same for changes that take long: while the writer computes one, all others wait.
const SLOW_TRIES: usize = 50;

impl Hub {
    /// Changes what is at `key`, or makes it.
    ///
    /// The change is computed beside the writer, and again if somebody was faster: it may be slow. Who was overtaken once
    /// waits for its turn, so that of many at one object each computes about twice, and hardly ever while all others wait.
    ///
    /// # Errors
    /// See [`Failure`]; what `edit` says against it is a [`Refusal::Change`].
    pub(crate) async fn modify(
        &self,
        key: &Key,
        edit: Edit,
        slow: bool,
    ) -> Result<Answer<Document>, Failure> {
        let mut turn = None;
        let mut tries = 0;
        loop {
            if turn.is_none() {
                turn = self.turns.wait(key, tries > 0).await;
            }
            let (current, era) = self.look(key);
            let slow = slow || current.as_deref().is_some_and(is_big);
            if tries == if slow { SLOW_TRIES } else { TRIES } {
                return self.change_at_once(key, edit).await;
            }
            tries += 1;
            let object = match compute(&edit, current.clone(), slow).await {
                Ok(object) => object,
                Err(status) => {
                    // Whose turn it is next need not wait for the disk.
                    turn = None;
                    if self.settle_in(era).await? {
                        return Err(Failure::Refused(Refusal::Change(Box::new(status))));
                    }
                    continue;
                }
            };
            let request = match &current {
                None => Request::Create(object),
                Some(current) => {
                    let meta = current.meta();
                    let expect = Expect { version: Some(meta.version), uid: Some(meta.uid.clone()) };
                    Request::Replace(object, expect)
                }
            };
            let Some(decided) = self.decide_in(era, request)? else { continue };
            if decided.what.as_ref().is_err_and(|refusal| was_overtaken(refusal, current.is_some())) {
                continue;
            }
            drop(turn);
            let answer = decided.done().await?.map_err(Failure::Refused)?;
            return Ok(at_version(current.map(|current| current.meta().version), answer));
        }
    }

    /// Changes what is at `key` while all others wait. A change that panics does so when nobody waits any more: who
    /// panics in the middle of a decision takes everything down.
    async fn change_at_once(&self, key: &Key, edit: Edit) -> Result<Answer<Document>, Failure> {
        let seen = Arc::new(Mutex::new((None, None)));
        let note = Arc::clone(&seen);
        let edit: Edit = Arc::new(move |current| {
            let done = catch_unwind(AssertUnwindSafe(|| edit(current)));
            let version = current.map(|current| current.meta().version);
            let (done, panic) = match done {
                Ok(done) => (done, None),
                Err(panic) => (Err(Status::internal("a change panicked")), Some(panic)),
            };
            *note.lock().unwrap_or_else(PoisonError::into_inner) = (version, panic);
            done
        });
        let done = self.perform(Request::Apply(key.clone(), document::Change(edit))).await;
        let (version, panic) = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        match panic {
            Some(panic) => resume_unwind(panic),
            None => done.map(|answer| at_version(version, answer)),
        }
    }
}

/// What goes by its last change is answered at the version that it had: there is none after it.
fn at_version(version: Option<Version>, answer: Answer<Document>) -> Answer<Document> {
    match (version, answer) {
        (Some(version), Answer::Removed(last)) => Answer::Removed(Arc::new(last.at(version))),
        (_, answer) => answer,
    }
}

/// Whether a refusal says only that the object is no longer what it was when the change was computed.
fn was_overtaken(refusal: &RefusalOf<Document>, existed: bool) -> bool {
    match refusal {
        Refusal::Stale { .. } | Refusal::Another { .. } => true,
        Refusal::NotFound => existed,
        Refusal::AlreadyExists => !existed,
        Refusal::NoHome | Refusal::HomeGoes | Refusal::LateFinalizer | Refusal::Change(_) => false,
    }
}
