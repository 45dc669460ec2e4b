//! What would become of a version that nobody has submitted yet.
//!
//! It is judged as a version that was submitted is, by the same functions: as if it were the newest of its stack, and its turn.

use std::sync::Arc;

use bowline_control::{Decision, Millis, Moment};

use crate::Rhythm;
use crate::decide::{Aim, Case, Fault, Objection, Step, Wait};
use crate::inventory::{Content, Inventory};
use crate::plan::{Plan, Sights};
use crate::snapshot::{Admission, Fetched, Look, Memory, Snapshot};
use crate::state::{Cluster, Names, Number, Quota, Request, Stack, Stage, Update};
use crate::words;

/// A version that somebody might submit, and what it would meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prospect<N: Names> {
    /// Its stack; one that is not there yet, as it would be made.
    pub stack: Stack<N>,
    /// The cluster of the stack.
    pub cluster: Option<Cluster<N>>,
    /// The namespace of the stack may use it.
    pub allowed: bool,
    /// What would be submitted.
    pub update: Update<N>,
    /// What it wants.
    pub content: Arc<Content<N>>,
    /// What the stack has touched.
    pub inventory: Arc<Inventory<N>>,
    /// What a look at the whole cluster has shown.
    pub sights: Arc<Sights<N>>,
}

/// What would become of a version. How much else is asked of its cluster is known when it is submitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outlook<N: Names> {
    /// The number that it would have.
    pub number: Number,
    /// What would be done.
    pub plan: Plan<N>,
    /// Why it would be rejected.
    pub rejected: Option<(Objection, N::Text)>,
    /// Why it would fail, and change nothing.
    pub fails: Option<(Fault, N::Text)>,
    /// What it would wait for first.
    pub waits: Option<Wait>,
}

impl<N: Names> Prospect<N> {
    /// What would become of it now.
    pub fn outlook(self) -> Outlook<N> {
        let plan = Plan::new(&self.content, &self.inventory, &self.sights);
        let number = Number(self.stack.status.submitted.0 + 1);
        let s = self.submitted(number);
        let (Some(stack), rhythm) = (&s.stack, Rhythm::default()) else {
            unreachable!("what is submitted has a stack")
        };
        let now = Moment { clock: Millis(0), wall: Millis(0), epoch: stack.status.epoch, handed: false };
        let case = Case { s: &s, stack, rhythm: &rhythm, now };
        let rejected = match stack.request(number).map(|request| case.judge(request)) {
            Some(Step::Judge(_, Some(why))) => Some((why, words::objection(&case, number, why))),
            _ => None,
        };
        // What could not be tried is tried again, until the time that a version has is over.
        let (is_untried, fails) = match case.against(number, &plan) {
            Some(Fault::Untried) => (true, None),
            against => (false, against),
        };
        let fails = fails.map(|why| (why, words::fault(&case, Aim::Version(number), why)));
        let waits = match (case.startable(), case.on_cluster()) {
            (Err(wait), _) | (Ok(_), Err(Decision::Wait { what: wait, .. })) => Some(wait),
            _ => is_untried.then_some(Wait::Trial),
        };
        Outlook { number, plan, rejected, fails, waits }
    }

    /// Everything as it would be if it were queued, with all learned that is needed to begin with it.
    pub(crate) fn submitted(self, number: Number) -> Snapshot<N> {
        let Prospect { mut stack, cluster, allowed, update, content, inventory, sights } = self;
        let digest = update.digest.clone();
        // It would take the place of all that wait.
        stack.status.requests.retain(|request| !request.stage.is_waiting());
        stack.status.requests.push(Request {
            number,
            update: update.name.clone(),
            uid: update.uid.clone(),
            digest: digest.clone(),
            plan: update.plan.clone(),
            stage: Stage::Queued,
            tally: None,
            why: "".into(),
        });
        let admission = Admission { allowed, used: Quota { waiting: 0, hourly: 0 } };
        let on = cluster.as_ref().map(|cluster| cluster.uid.clone());
        let generation = cluster.as_ref().map_or(0, |cluster| cluster.generation);
        let (at, seen) = (Millis(0), Some(digest.clone()));
        let look = Look {
            on,
            generation,
            digest: seen,
            at,
            since: at,
            whole: true,
            allowed,
            regained: false,
            sights,
        };
        let memory = Memory {
            fetched: Some(Fetched { digest, content: Ok(content), admission }),
            fetched_for: Some(number),
            recorded: stack.status.inventory.clone().map(|digest| (digest, inventory)),
            look: Some(look),
            attempt: stack.status.attempt,
            ..Memory::default()
        };
        Snapshot { stack: Some(stack), updates: vec![update], cluster, memory }
    }
}
