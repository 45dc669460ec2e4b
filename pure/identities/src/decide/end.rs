//! The end of an identity: what is in AWS goes first, and what arrives there late is looked for afterwards.

use bowline_control::{Decision, Millis};

use super::{Case, Step, Wait, What, until_shown};
use crate::aws::{Policy, Whose};
use crate::state::{Identity, Names, Tombstone};

impl<N: Names> Case<'_, N> {
    /// An identity is being deleted.
    pub(super) fn end(&self, identity: &Identity<N>) -> What {
        if !identity.held {
            return Decision::Converged;
        }
        // Accounts where the identity is go with it: they are collected.
        let mut elsewhere = identity.status.published.iter().filter(|(cluster, _)| cluster.is_some());
        let withdraw = elsewhere.find_map(|spot| self.withdraw(identity, spot));
        if identity.wish.orphans && withdraw.is_none() {
            // What is left there on purpose must not be swept for one that had its name before.
            let step = if self.s.tombstone.is_some() { Step::Forget } else { Step::LetGo };
            return Decision::Do(step);
        }
        if identity.status.intent.is_none() {
            return Decision::Do(Step::LetGo);
        }
        let Some(home) = self.home else { return until_shown(Wait::Settings) };
        // Who looks under another name finds nothing, and would leave everything behind.
        let mut known = identity.status.role.iter().chain(&identity.status.policy);
        if known.any(|arn| !N::is_called(home, &identity.name, arn)) {
            return until_shown(Wait::OtherName);
        }
        if let Some(wait) = self.hindrance() {
            return wait;
        }
        withdraw.unwrap_or_else(|| self.take_down(identity))
    }

    fn take_down(&self, identity: &Identity<N>) -> What {
        let Some(look) = self.s.memory.look.as_ref().filter(|look| !self.is_old(look.at)) else {
            return Decision::Do(Step::Look);
        };
        if let Some(role) = look.role.as_ref().filter(|role| role.is_ours()) {
            return self.without_role(role, look);
        }
        if let Some(policy) = look.policy.as_ref().filter(|policy| policy.is_ours()) {
            return self.without_policy(policy, look);
        }
        // What was sent before may arrive now: once is not enough.
        if !look.confirmed {
            let until = look.clear.unwrap_or(look.at).plus(self.rhythm.settle);
            return match self.now.clock >= until {
                true => Decision::Do(Step::Look),
                false => Decision::Wait { what: Wait::Absence, until: Some(until) },
            };
        }
        let buried = self.s.tombstone.as_ref().is_some_and(|tombstone| tombstone.of.contains(&identity.uid));
        Decision::Do(if buried { Step::LetGo } else { Step::Bury })
    }

    fn is_old(&self, at: Millis) -> bool {
        self.now.clock >= at.plus(self.rhythm.drift)
    }

    /// No identity of that name is there: what has arrived late goes.
    pub(super) fn sweep(&self, tombstone: &Tombstone<N>) -> What {
        if self.home.is_none() {
            return until_shown(Wait::Settings);
        }
        let Some(delay) = self.rhythm.sweeps.get(usize::from(tombstone.sweeps)) else {
            return Decision::Do(Step::Swept);
        };
        if let Some(wait) = self.hindrance() {
            return wait;
        }
        let Some(look) = &self.s.memory.look else {
            let left = self.left(tombstone.at, *delay);
            let until = Some(self.now.clock.plus(left));
            return if left.0 == 0 {
                Decision::Do(Step::Look)
            } else {
                Decision::Wait { what: Wait::Sweep, until }
            };
        };
        // Only what was of one of these: whatever else carries our tags is for a person to judge.
        let is_its = |whose: &Whose<N::Uid>| matches!(whose, Whose::Ours(uid) if tombstone.of.contains(uid));
        let role = look.role.as_ref().filter(|role| is_its(&role.whose) && role.held_by.is_empty());
        let has_it =
            |policy: &Policy<N>| look.role.as_ref().is_some_and(|role| role.attached.contains(&policy.arn));
        // AWS does not let a policy go that a role has which stays.
        let goes = |policy: &&Policy<N>| policy.held_by.is_empty() && (role.is_some() || !has_it(policy));
        let policy = look.policy.as_ref().filter(|policy| is_its(&policy.whose)).filter(goes);
        match (role, policy) {
            (Some(role), _) => self.without_role(role, look),
            (None, Some(policy)) => self.without_policy(policy, look),
            (None, None) => Decision::Do(Step::Swept),
        }
    }

    /// When nothing can arrive any more of those that are gone.
    pub(super) fn over(&self, tombstone: &Tombstone<N>) -> Millis {
        let last = self.rhythm.sweeps.last().copied().unwrap_or_default();
        self.now.clock.plus(self.left(tombstone.at, last))
    }
}
