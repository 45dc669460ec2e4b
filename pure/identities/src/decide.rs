//! What is to be done about an identity. All policy is here.
//!
//! The seed has four controllers; here they are four parts of one decision under one key, so that none waits for another
//! inside of a worker: the identity itself (this file), its policy and its role ([`aws`]), its accounts ([`accounts`]); and what
//! becomes of all when it is deleted ([`end`]).

mod accounts;
mod aws;
mod end;
mod step;

use bowline_control::{Decision, Millis, Moment};

pub use self::step::{Step, Wait};
use crate::Rhythm;
use crate::aws::Role;
use crate::snapshot::{Look, Snapshot, Trial};
use crate::state::{Identity, Names, Spot, Status, Wanted};

type What = Decision<Step, Wait>;

/// An identity that is there, and what it is judged by.
pub(crate) struct Case<'a, N: Names> {
    pub(crate) s: &'a Snapshot<N>,
    pub(crate) home: Option<&'a N::Home>,
    pub(crate) rhythm: &'a Rhythm,
    pub(crate) now: Moment,
}

/// What is to be done.
pub(crate) fn decide<N: Names>(case: &Case<'_, N>) -> What {
    match (&case.s.identity, &case.s.tombstone) {
        (Some(identity), _) if identity.deleting => case.end(identity),
        (Some(identity), None) => case.keep(identity),
        (Some(identity), Some(tombstone)) => no_longer_than(case.keep(identity), case.over(tombstone)),
        (None, Some(tombstone)) => case.sweep(tombstone),
        (None, None) => Decision::Converged,
    }
}

/// A wait that ends when something is shown.
fn until_shown(what: Wait) -> What {
    Decision::Wait { what, until: None }
}

/// A wait that ends then at the latest.
fn no_longer_than(what: What, most: Millis) -> What {
    match what {
        Decision::Wait { what, until } => {
            Decision::Wait { what, until: Some(until.map_or(most, |until| until.min(most))) }
        }
        other => other,
    }
}

impl<N: Names> Case<'_, N> {
    /// An identity is to be as it is wanted.
    fn keep(&self, identity: &Identity<N>) -> What {
        // First of all: what is made without it may be left behind when the identity is deleted.
        if !identity.held {
            return Decision::Do(Step::Hold);
        }
        if self.s.tombstone.as_ref().is_some_and(|tombstone| self.over(tombstone) <= self.now.clock) {
            return Decision::Do(Step::Forget);
        }
        let wanted = match self.wanted(identity) {
            Ok(wanted) => wanted,
            Err(wait) => return until_shown(wait),
        };
        if self.has_settled(identity, &wanted) {
            return Decision::Do(Step::Settle);
        }
        if let Some(wait) = self.hindrance() {
            return wait;
        }
        if identity.status.intent.is_none() {
            return Decision::Do(Step::Intend);
        }
        let look = match self.fresh_look(&wanted, identity) {
            Ok(look) => look,
            Err(what) => return what,
        };
        if let Some(what) = self.aws(identity, &wanted, look) {
            return what;
        }
        if self.complete(identity, &wanted, look) != identity.status {
            return Decision::Do(Step::Record);
        }
        if let Some(what) = self.accounts(identity) {
            return what;
        }
        self.at_rest(identity, look)
    }

    /// What is wanted in AWS; or what has to be known, or changed, before.
    pub(crate) fn wanted(&self, identity: &Identity<N>) -> Result<Wanted<N>, Wait> {
        let home = self.home.ok_or(Wait::Settings)?;
        let issuers = self.issuers(home, identity).ok_or(Wait::Clusters)?;
        N::wanted(home, identity, &issuers).map_err(|_| Wait::Spec)
    }

    pub(crate) fn issuers(&self, home: &N::Home, identity: &Identity<N>) -> Option<Vec<N::Issuer>> {
        if identity.wish.clusters.is_empty() {
            return Some(vec![N::issuer(home)]);
        }
        let issuer = |name: &N::Cluster| self.cluster(name)?.issuer.clone();
        identity.wish.clusters.iter().map(issuer).collect()
    }

    pub(crate) fn cluster(&self, name: &N::Cluster) -> Option<&crate::Cluster<N>> {
        self.s.clusters.iter().find(|cluster| cluster.name == *name)
    }

    /// What was refused, or did not work again and again, is tried again after a while.
    fn hindrance(&self) -> Option<What> {
        let retry = |at: Millis| at.plus(self.rhythm.retry);
        let wait = |what: Wait, at: Millis| {
            let until = retry(at);
            (self.now.clock < until).then_some(Decision::Wait { what, until: Some(until) })
        };
        let refused = self.s.memory.refused.as_ref().and_then(|refused| wait(Wait::Refused, refused.at));
        refused.or_else(|| wait(Wait::Stuck, self.stuck()?))
    }

    /// When a step last did not work that did not work again and again.
    pub(crate) fn stuck(&self) -> Option<Millis> {
        let mut failures = self.s.memory.failures.iter();
        let stuck =
            failures.find(|(step, failures)| failures.times > self.rhythm.tries && !self.may_pass(**step));
        stuck.map(|(_, failures)| failures.at)
    }

    /// AWS denies a new role to its own account until it is known everywhere: nobody has to do anything about that.
    fn may_pass(&self, step: Step) -> bool {
        let complete = self.s.identity.as_ref().and_then(|identity| identity.status.complete);
        step == Step::Assume && complete.is_some_and(|since| self.left(since, self.rhythm.settle).0 > 0)
    }

    /// The last look, if it is not too old to go by.
    fn fresh_look(&self, wanted: &Wanted<N>, identity: &Identity<N>) -> Result<&Look<N>, What> {
        let look = self.s.memory.look.as_ref().ok_or(Decision::Do(Step::Look))?;
        let foreign = foreign(identity, Some(wanted), look);
        let period = if foreign.is_some() { self.rhythm.retry } else { self.rhythm.drift };
        let until = look.at.plus(period);
        match foreign {
            _ if self.now.clock >= until => Err(Decision::Do(Step::Look)),
            // Whoever makes it again may fail at that, and nobody may count on the role meanwhile.
            _ if has_lost_its_role(identity, look) => Err(Decision::Do(Step::Lapse)),
            Some(what) => Err(Decision::Wait { what, until: Some(until) }),
            None => Ok(look),
        }
    }

    /// The status that says that the role is complete, and where accounts are: those that are wanted, and others that are still
    /// there.
    pub(crate) fn complete(&self, identity: &Identity<N>, wanted: &Wanted<N>, look: &Look<N>) -> Status<N> {
        let before = &identity.status;
        let role = look.role.as_ref().map(|role| role.arn.clone());
        let policy =
            look.policy.as_ref().filter(|_| wanted.policy.is_some()).map(|policy| policy.arn.clone());
        let same = before.complete.is_some() && before.role == role;
        let mut published = spots(identity);
        let left =
            before.published.iter().filter(|spot| !published.contains(spot) && self.is_left(identity, spot));
        let left: Vec<_> = left.cloned().collect();
        published.extend(left);
        Status {
            intent: before.intent,
            policy,
            role,
            complete: before.complete.filter(|_| same).or(Some(self.now.wall)),
            ready: before.ready && same,
            published,
        }
    }

    /// Everything is there: whether it can be used, and when it is looked at again.
    fn at_rest(&self, identity: &Identity<N>, look: &Look<N>) -> What {
        let Status { complete, ready, .. } = identity.status;
        if ready {
            return Decision::Wait { what: Wait::NextLook, until: Some(look.at.plus(self.rhythm.drift)) };
        }
        if self.can_try() {
            return Decision::Do(Step::Assume);
        }
        let left = self.left(complete.unwrap_or(self.now.wall), self.rhythm.settle);
        Decision::Wait { what: Wait::Assumable, until: Some(self.now.clock.plus(left)) }
    }

    /// Whether it is time to say that the role can be assumed, by the last look, however old: else, where turns come late,
    /// nobody would ever be told.
    fn has_settled(&self, identity: &Identity<N>, wanted: &Wanted<N>) -> bool {
        let (Some(since), Some(look)) = (identity.status.complete, &self.s.memory.look) else { return false };
        let is_time = match self.can_try() {
            true => self.s.memory.trial == Trial::Worked,
            false => self.left(since, self.rhythm.settle).0 == 0,
        };
        let is_so = || {
            foreign(identity, Some(wanted), look).is_none()
                && self.aws(identity, wanted, look).is_none()
                && self.complete(identity, wanted, look) == identity.status
                && self.accounts(identity).is_none()
        };
        is_time && !identity.status.ready && is_so()
    }

    /// Whether the role can be tried by a token of its account. If not, it is given time.
    fn can_try(&self) -> bool {
        self.rhythm.assumes && self.s.memory.trial != Trial::Impossible
    }

    /// How much of a time is left that began then, by the clock on the wall. That may have been put back: nobody waits
    /// longer than the whole.
    fn left(&self, since: Millis, time: Millis) -> Millis {
        since.plus(time).since(self.now.wall).min(time)
    }
}

/// The accounts that are wanted.
pub(crate) fn spots<N: Names>(identity: &Identity<N>) -> Vec<Spot<N>> {
    let account = &identity.wish.account;
    match identity.wish.clusters.as_slice() {
        [] => vec![(None, account.clone())],
        clusters => clusters.iter().map(|cluster| (Some(cluster.clone()), account.clone())).collect(),
    }
}

/// Whether an identity says that its role is complete, and others have taken that away.
fn has_lost_its_role<N: Names>(identity: &Identity<N>, look: &Look<N>) -> bool {
    identity.status.complete.is_some() && !look.role.as_ref().is_some_and(Role::is_ours)
}

/// What is somebody else's, of what is wanted or to go.
fn foreign<N: Names>(identity: &Identity<N>, wanted: Option<&Wanted<N>>, look: &Look<N>) -> Option<Wait> {
    let wants_policy = wanted.is_some_and(|wanted| wanted.policy.is_some());
    if identity.wish.adopts {
        return None;
    }
    match (&look.policy, &look.role) {
        (Some(policy), _) if wants_policy && !policy.is_ours() => Some(Wait::ForeignPolicy),
        (_, Some(role)) if wanted.is_some() && !role.is_ours() => Some(Wait::ForeignRole),
        _ => None,
    }
}
