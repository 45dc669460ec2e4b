//! What is to be done about a stack. All policy is here.

mod deploy;
mod rest;
mod step;

use bowline_control::{Decision, Moment};

pub use self::step::{Aim, Fault, Objection, Step, Wait};
use crate::Rhythm;
use crate::plan::Plan;
use crate::snapshot::{Fetched, Look, Snapshot};
use crate::state::{Cluster, Names, Number, Phase, Request, Shown, Stack, Stage};

type What = Decision<Step, Wait>;

/// How many versions a stack knows at a time.
const REQUESTS: usize = 1_000;

/// A stack that is there, and what it is judged by.
pub(crate) struct Case<'a, N: Names> {
    pub(crate) s: &'a Snapshot<N>,
    pub(crate) stack: &'a Stack<N>,
    pub(crate) rhythm: &'a Rhythm,
    pub(crate) now: Moment,
}

/// What is to be done.
pub(crate) fn decide<N: Names>(s: &Snapshot<N>, rhythm: &Rhythm, now: Moment) -> What {
    let Some(stack) = &s.stack else {
        let waits =
            s.updates.iter().any(|update| update.shown.as_ref().is_none_or(|shown| !shown.stage.is_last()));
        return if waits { until_told(Wait::ItsStack) } else { Decision::Converged };
    };
    let case = Case { s, stack, rhythm, now };
    match case.chore() {
        Some(step) => Decision::Do(step),
        None => case.work(),
    }
}

/// A wait that ends when something is shown.
pub(crate) fn until_told(what: Wait) -> What {
    Decision::Wait { what, until: None }
}

impl<N: Names> Case<'_, N> {
    /// What comes before all work: who acts, which versions there are, and that people see it.
    fn chore(&self) -> Option<Step> {
        let Stack { status, deleting, held, .. } = self.stack;
        if !held && !deleting {
            return Some(Step::Hold);
        }
        if status.phase != Phase::Idle && status.epoch != self.now.epoch {
            return Some(Step::TakeOver);
        }
        if self.to_be_numbered().next().is_some() && !deleting {
            return Some(Step::Number);
        }
        if self.taken_back().next().is_some() {
            return Some(Step::Cancel);
        }
        let mut waiting = status.requests.iter().filter(|request| request.stage.is_waiting());
        if let Some(waiting) = waiting.next().filter(|_| *deleting) {
            return Some(Step::Fail(waiting.number, Fault::Deleted));
        }
        // The newest first: if it is valid, nobody has to look at the others.
        let newest = status.requests.iter().filter(|request| request.stage == Stage::Submitted);
        if let Some(newest) = newest.max_by_key(|request| request.number) {
            return Some(self.judge(newest));
        }
        self.not_shown().map(Step::Show)
    }

    /// Those that get their number now: a status has room for so many, and makes it by and by.
    pub(crate) fn to_be_numbered(&self) -> impl Iterator<Item = &crate::Update<N>> {
        self.unnumbered().take(REQUESTS.saturating_sub(self.stack.status.requests.len()))
    }

    /// Updates without a number.
    fn unnumbered(&self) -> impl Iterator<Item = &crate::Update<N>> {
        let known = |update: &crate::Update<N>| {
            self.stack.status.requests.iter().any(|request| request.is_of(update))
        };
        let has_number = |update: &crate::Update<N>| {
            update.shown.as_ref().is_some_and(|shown| shown.number.is_some() || shown.stage.is_last())
        };
        self.s.updates.iter().filter(move |update| !update.deleting && !known(update) && !has_number(update))
    }

    /// Versions that nobody has begun with, and whose update is gone.
    pub(crate) fn taken_back(&self) -> impl Iterator<Item = &Request<N>> {
        let gone = |request: &&Request<N>| {
            request.stage.is_waiting() && self.s.update_of(request).is_none_or(|update| update.deleting)
        };
        self.stack.status.requests.iter().filter(gone)
    }

    /// Queues a version, or says what speaks against it; or what has to be learned before.
    pub(crate) fn judge(&self, request: &Request<N>) -> Step {
        let number = request.number;
        let object = |why| Step::Judge(number, Some(why));
        let Some(cluster) = &self.s.cluster else { return object(Objection::NoCluster) };
        if cluster.exposed {
            return object(Objection::Exposed);
        }
        if self.stack.quarantine(&request.digest).is_some() {
            return object(Objection::Quarantined);
        }
        let known = self.s.memory.fetched.as_ref().filter(|fetched| fetched.digest == request.digest);
        let known = known.filter(|_| self.s.memory.fetched_for == Some(number));
        let Some(Fetched { content, admission, .. }) = known else {
            return Step::Fetch(Aim::Version(number));
        };
        let quota = &cluster.quota;
        match content {
            _ if !admission.allowed => object(Objection::NotAllowed),
            _ if admission.used.waiting > quota.waiting => object(Objection::Waiting),
            _ if admission.used.hourly > quota.hourly => object(Objection::Hourly),
            Err(_) => object(Objection::BadContent),
            Ok(_) => Step::Judge(number, None),
        }
    }

    /// The first update that does not show what its stack knows of it.
    fn not_shown(&self) -> Option<Number> {
        let known = self.stack.status.requests.iter().find(|request| self.differs(request));
        let stray = || self.strays().find_map(|update| update.shown.as_ref()?.number);
        known.map(|request| request.number).or_else(stray)
    }

    /// Whether the update of a version does not show what is known of it.
    pub(crate) fn differs(&self, request: &Request<N>) -> bool {
        self.s.update_of(request).is_some_and(|update| {
            let shown = update.shown.as_ref();
            let is_due = self.s.memory.shows.1;
            !is_shown(shown, request)
                || is_due && shown.is_some_and(|shown| shown.done != self.done(request, shown.done))
        })
    }

    /// Updates with a number that nobody knows any more, and that do not say how they ended.
    pub(crate) fn strays(&self) -> impl Iterator<Item = &crate::Update<N>> {
        self.s.updates.iter().filter(|update| {
            let shown =
                update.shown.as_ref().filter(|shown| shown.number.is_some() && !shown.stage.is_last());
            shown.is_some() && !self.stack.status.requests.iter().any(|request| request.is_of(update))
        })
    }

    /// How many objects are as a version wants them; what was shown, if that is not known now.
    pub(crate) fn done(&self, request: &Request<N>, shown: u32) -> u32 {
        let Some(tally) = &request.tally else { return 0 };
        let is_applied = self.stack.status.phase == Phase::Partial(request.number);
        match (request.stage, is_applied.then(|| self.plan(Aim::Version(request.number)))) {
            (Stage::Succeeded, _) => N::done(tally, 0),
            (_, Some(View::Plan(_, plan))) => {
                N::done(tally, plan.deeds.len() + plan.later.len() + plan.untried.len())
            }
            _ => shown,
        }
    }

    /// What there is to do on the cluster.
    fn work(&self) -> What {
        let status = &self.stack.status;
        if let (Some(why), Some(queued)) = (self.shut(), self.stack.queued()) {
            return Decision::Do(Step::Fail(queued.number, why));
        }
        match status.phase {
            Phase::Idle => self.idle(),
            Phase::Starting(number) => match self.startable() {
                _ if self.stack.deleting => Decision::Do(Step::Fail(number, Fault::Deleted)),
                Ok(Some(next)) => Decision::Do(Step::Start(next)),
                _ => self.begin(number),
            },
            Phase::Partial(_) if self.stack.deleting => Decision::Do(Step::BackOut(Fault::Deleted)),
            Phase::Stalled(_) if self.stack.deleting => self.part(),
            Phase::Partial(_) | Phase::RollingBack(_) | Phase::Stalled(_) => {
                match (self.startable(), status.phase) {
                    (Ok(Some(next)), _) => self.begin(next),
                    (_, Phase::Partial(number)) => self.apply(number),
                    (_, Phase::RollingBack(_)) => self.put_back(),
                    _ => self.stalled(),
                }
            }
        }
    }

    /// Why nothing will ever be started on the cluster as it is now, whatever was judged before.
    pub(crate) fn shut(&self) -> Option<Fault> {
        match &self.s.cluster {
            None => Some(Fault::NoCluster),
            Some(cluster) if cluster.exposed => Some(Fault::Exposed),
            Some(_) => None,
        }
    }

    /// The version that may be started now; or why none may, if one is queued.
    pub(crate) fn startable(&self) -> Result<Option<Number>, Wait> {
        let Some(queued) = self.stack.queued().filter(|_| !self.stack.deleting) else { return Ok(None) };
        match &self.s.cluster {
            _ if self.stack.wish.paused => Err(Wait::Unpaused),
            None => Err(Wait::ItsCluster),
            Some(cluster) if cluster.deleting => Err(Wait::ClusterGone),
            Some(cluster) if cluster.paused => Err(Wait::ClusterUnpaused),
            Some(_) => Ok(Some(queued.number)),
        }
    }

    /// The attempt in which the stack has entered the cluster.
    pub(crate) fn entered(&self) -> Option<u64> {
        let updates = self.s.cluster.iter().flat_map(|cluster| &cluster.updates);
        updates.filter(|(stack, _)| *stack == self.stack.name).map(|(_, attempt)| *attempt).next()
    }

    /// The cluster, if anything can be asked of it.
    pub(crate) fn reachable(&self) -> Result<&Cluster<N>, What> {
        match &self.s.cluster {
            None => Err(until_told(Wait::ItsCluster)),
            Some(cluster) if !cluster.ready => Err(until_told(Wait::ClusterReady)),
            Some(cluster) => Ok(cluster),
        }
    }

    /// The cluster can be written to; or what has to be before.
    ///
    /// Each attempt enters for itself: who left in another one, and was not answered, is refused when that arrives.
    pub(crate) fn on_cluster(&self) -> Result<(), What> {
        let cluster = self.reachable()?;
        match self.entered() {
            Some(attempt) if attempt == self.stack.status.attempt => Ok(()),
            None if cluster.upgrade => Err(until_told(Wait::Upgrade)),
            _ => Err(Decision::Do(Step::Enter)),
        }
    }

    /// What is to be done for an aim, by the last look; or what has to be learned before.
    pub(crate) fn plan(&self, aim: Aim) -> View<'_, N> {
        let digest = self.stack.digest(aim);
        let (Some(content), Some(inventory)) = (self.s.content(digest), self.s.inventory(self.stack)) else {
            return View::Need(Step::Fetch(aim));
        };
        let Ok(content) = content else { return View::Unusable };
        let Some(look) = self.s.look(digest) else { return View::Need(Step::Look(aim)) };
        View::Plan(look, look.plan(&content, &inventory))
    }

    /// What has to be done before anything of a plan is: its inventory is to be in safe keeping.
    pub(crate) fn keep(&self, aim: Aim, plan: &Plan<N>) -> Option<Step> {
        if self.s.inventory(self.stack).is_some_and(|inventory| *inventory == plan.inventory) {
            return None;
        }
        let is_stored = self.s.memory.stored.as_ref().is_some_and(|(_, stored)| **stored == plan.inventory);
        Some(if is_stored { Step::Record(aim) } else { Step::Store(aim) })
    }
}

/// What is known of a plan.
pub(crate) enum View<'a, N: Names> {
    /// This has to be done to know it.
    Need(Step),
    /// There is none: the content cannot be used.
    Unusable,
    /// It rests on this look.
    Plan(&'a Look<N>, Plan<N>),
}

/// Whether an update shows what is known of it; what it waits for is told elsewhere.
pub(crate) fn is_shown<N: Names>(shown: Option<&Shown<N>>, request: &Request<N>) -> bool {
    shown.is_some_and(|shown| {
        shown.number == Some(request.number)
            && shown.stage == request.stage
            && shown.tally == request.tally
            && (!request.stage.is_last() || shown.words == request.why)
    })
}

impl<N: Names> Stack<N> {
    /// The content of an aim; `None` if nothing is wanted.
    pub(crate) fn digest(&self, aim: Aim) -> Option<&N::Digest> {
        match aim {
            Aim::Version(number) => self.request(number).map(|request| &request.digest),
            Aim::LastGood => self.status.good.as_ref().map(|good| &good.digest),
        }
    }
}
