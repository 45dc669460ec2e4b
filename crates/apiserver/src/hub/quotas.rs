//! Requests are held to quotas where they are decided: under the lock, so two never take the last place.

use bowline_kernel::{Change, Outcome, Refusal, Request};

use super::ledger::Account;
use super::{Failure, Front, Hub, durability};
use crate::document::Document;
use crate::key::Key;
use bowline_kernel::{Key as _, Object};

impl Hub {
    /// Whether quotas allow an object, were it written now; nothing is taken. When this returns, what it rests on is
    /// durable.
    ///
    /// # Errors
    /// If they do not.
    pub(crate) async fn afford(&self, object: &Document) -> Result<(), Failure> {
        let (verdict, durable) = {
            let mut front = self.front();
            let old = front.head.get(object.key()).map(|old| &**old);
            (front.ledger.admit(old, object), front.wait_for_durable(&self.work))
        };
        durability(durable).await?;
        verdict.map_err(|status| Failure::Refused(Refusal::Change(status)))
    }

    /// The quotas whose status may say something else than what is so.
    pub(crate) fn quotas_due(&self) -> Vec<(Key, Account)> {
        self.front().ledger.take_due()
    }
}

impl Front {
    /// Decides a request of somebody who is held to quotas.
    pub(super) fn admit(&mut self, request: Request<Document>) -> Outcome<Document> {
        // Quotas come before the name; but that a namespace goes is said first.
        if let Request::Create(object) = &request
            && !self.home_goes(object)
            && let Err(status) = self.ledger.admit(None, object)
        {
            return Err(Refusal::Change(status));
        }
        let made = !matches!(request, Request::Create(_) | Request::Delete { .. });
        let (outcome, change) = self.head.perform(request);
        let Some(change) = change else { return outcome };
        // What becomes of an object is known when it has become it: then it is taken back, and nobody has seen it.
        if made
            && !change.removed
            && let Err(status) = self.ledger.admit(change.before.as_deref(), &change.after)
        {
            self.head.revert(&change);
            return Err(Refusal::Change(status));
        }
        self.follow(outcome, change)
    }

    /// Takes note of what was done, and does what has to follow at once.
    pub(super) fn follow(
        &mut self,
        outcome: Outcome<Document>,
        change: Change<Document>,
    ) -> Outcome<Document> {
        let after = (!change.removed).then_some(&change.after);
        self.ledger.exchange(&self.head, &change.key, change.before.as_ref(), after);
        self.batch.changes.push(change);
        match outcome.as_ref().ok().and_then(bowline_kernel::Answer::rest) {
            Some(rest) => self.perform(rest),
            None => outcome,
        }
    }

    /// Takes back the last change that was made.
    pub(super) fn revert(&mut self, change: &Change<Document>) {
        self.head.revert(change);
        let after = (!change.removed).then_some(&change.after);
        self.ledger.exchange(&self.head, &change.key, after, change.before.as_ref());
    }

    fn home_goes(&self, object: &Document) -> bool {
        let home = object.key().home().and_then(|home| self.head.get(&home));
        home.is_some_and(|home| home.meta().deletion.is_some())
    }
}
