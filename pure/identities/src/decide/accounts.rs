//! The accounts: where the identity is, and on other clusters.

use bowline_control::{Decision, Millis};

use super::{Case, Step, Wait, What, spots, until_shown};
use crate::aws::{Holder, Published};
use crate::state::{Account, Identity, Names, Spot};

impl<N: Names> Case<'_, N> {
    /// What has to be done for the accounts to be as they are wanted, if the role is complete.
    pub(super) fn accounts(&self, identity: &Identity<N>) -> Option<What> {
        let wanted = spots(identity);
        let wrong = wanted.iter().filter_map(|(cluster, name)| match cluster {
            None => self.publish_here(identity, name),
            Some(cluster) => self.publish(identity, cluster, name),
        });
        let mut wrong: Vec<_> = wrong.collect();
        // What somebody has on one cluster keeps nobody waiting on another. Whoever waits comes again for the first that is looked at.
        wrong.sort_by_key(|what| match what {
            Decision::Do(_) => (false, None),
            Decision::Wait { until, .. } => (true, *until),
            Decision::Converged => unreachable!("what is right is left out"),
        });
        let wrong = wrong.into_iter().next();
        let published = &identity.status.published;
        let mut left = published.iter().filter(|spot| !wanted.contains(spot));
        wrong.or_else(|| left.find_map(|spot| self.withdraw(identity, spot)))
    }

    fn publish_here(&self, identity: &Identity<N>, name: &N::Account) -> Option<What> {
        let Some(account) = self.account(name) else { return Some(Decision::Do(Step::PublishHere)) };
        if account.deleting {
            return Some(until_shown(Wait::AccountGone));
        }
        if self.taken(identity, &(None, name.clone())).is_some() {
            return Some(until_shown(Wait::ForeignAccount));
        }
        let is_its = account.of.as_ref() == Some(&(identity.name.clone(), identity.uid.clone()));
        let is_right = is_its && account.role == identity.status.role;
        (!is_right).then_some(Decision::Do(Step::PublishHere))
    }

    fn publish(&self, identity: &Identity<N>, cluster: &N::Cluster, name: &N::Account) -> Option<What> {
        let Some((at, seen)) = self.seen(cluster, name, self.rhythm.drift) else {
            return Some(Decision::Do(Step::LookAtAccount));
        };
        if self.taken(identity, &(Some(cluster.clone()), name.clone())).is_some() {
            let until = at.plus(self.rhythm.retry);
            let wait = Decision::Wait { what: Wait::ForeignAccount, until: Some(until) };
            return Some(if self.now.clock < until { wait } else { Decision::Do(Step::LookAtAccount) });
        }
        let is_right = |account: &Published<N>| account.is_ours() && account.role == identity.status.role;
        (!seen.is_some_and(is_right)).then_some(Decision::Do(Step::Publish))
    }

    /// Whose an account is that is not the identity's, and that it may not take over.
    pub(crate) fn taken(&self, identity: &Identity<N>, (cluster, name): &Spot<N>) -> Option<Holder<N>> {
        let holder = match cluster {
            None => holder(self.account(name)?, identity),
            Some(cluster) => self.seen(cluster, name, Millis(u64::MAX))?.1?.holder.clone(),
        };
        match holder {
            Holder::Itself => None,
            // What another identity has it keeps. If each took it from the other, neither would come to rest.
            Holder::Another(_) => Some(holder),
            Holder::Others => (!identity.wish.adopts).then_some(holder),
        }
    }

    /// An account goes that was published, and is not wanted any more.
    pub(super) fn withdraw(&self, identity: &Identity<N>, spot: &Spot<N>) -> Option<What> {
        // It is not looked at before: who may not use a cluster any more may not look there, and has to take away what it has.
        let step = if spot.0.is_none() { Step::WithdrawHere } else { Step::Withdraw };
        self.is_left(identity, spot).then_some(Decision::Do(step))
    }

    /// Whether an account that was published may still be there, and be the identity's.
    pub(crate) fn is_left(&self, identity: &Identity<N>, (cluster, name): &Spot<N>) -> bool {
        match cluster {
            None => self.account(name).is_some_and(|account| is_of(account, identity) && !account.deleting),
            // What is on a cluster that is gone is gone with it.
            Some(cluster) if self.cluster(cluster).is_none() => false,
            Some(cluster) => match self.seen(cluster, name, Millis(u64::MAX)) {
                Some((_, seen)) => seen.is_some_and(Published::is_ours),
                None => true,
            },
        }
    }

    /// The first account of other clusters that was not seen, or is not as it should be, or has to go.
    pub(crate) fn first_spot(&self, identity: &Identity<N>, step: Step) -> Option<(N::Cluster, N::Account)> {
        let wanted = spots(identity).into_iter().filter(|_| !identity.deleting);
        let published = identity.status.published.iter().cloned();
        let mut all = wanted.chain(published).filter_map(|(cluster, name)| Some((cluster?, name)));
        all.find(|(cluster, name)| {
            let is_wanted =
                !identity.deleting && spots(identity).contains(&(Some(cluster.clone()), name.clone()));
            let what = match is_wanted {
                true => self.publish(identity, cluster, name),
                false => self.withdraw(identity, &(Some(cluster.clone()), name.clone())),
            };
            what == Some(Decision::Do(step))
        })
    }

    pub(crate) fn account(&self, name: &N::Account) -> Option<&Account<N>> {
        self.s.accounts.iter().find(|account| account.name == *name)
    }

    /// What was seen of an account on another cluster, if that is not older than this.
    fn seen(
        &self,
        cluster: &N::Cluster,
        name: &N::Account,
        most: Millis,
    ) -> Option<(Millis, Option<&Published<N>>)> {
        let (at, seen) = self.s.memory.accounts.get(&(cluster.clone(), name.clone()))?;
        (self.now.clock < at.plus(most)).then_some((*at, seen.as_ref()))
    }
}

/// Whether an account says that it is of an identity of this name.
fn is_of<N: Names>(account: &Account<N>, identity: &Identity<N>) -> bool {
    holder(account, identity) == Holder::Itself
}

/// Whose an account where the identity is says that it is.
fn holder<N: Names>(account: &Account<N>, identity: &Identity<N>) -> Holder<N> {
    match &account.of {
        Some((name, _)) if *name == identity.name => Holder::Itself,
        Some((name, _)) => Holder::Another(name.clone()),
        None => Holder::Others,
    }
}
