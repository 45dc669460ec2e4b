//! The policy and the role: what has to be done for them to be as they are wanted.

use bowline_control::Decision;

use super::{Case, Step, Wait, What};
use crate::aws::{Policy, Role, Whose};
use crate::effect::Others;
use crate::snapshot::Look;
use crate::state::{Identity, Names, Wanted};

impl<N: Names> Case<'_, N> {
    /// What has to be done in AWS.
    pub(super) fn aws(&self, identity: &Identity<N>, wanted: &Wanted<N>, look: &Look<N>) -> Option<What> {
        let whose = Whose::Ours(identity.uid.clone());
        // Nothing half-made stays behind for a name that is wrong. What is there already is put right whatever it names.
        let makes = wanted.policy.is_some() && look.policy.is_none() || look.role.is_none();
        let Others { boundary, managed } = self.unchecked(wanted, look);
        if makes && (boundary.is_some() || !managed.is_empty()) {
            return Some(Decision::Do(Step::Check));
        }
        let first = match &wanted.policy {
            Some(document) => self.policy(look.policy.as_ref(), document, &whose),
            None => None,
        };
        if let Some(step) = first.or_else(|| self.role(identity, wanted, look.role.as_ref(), &whose)) {
            return Some(Decision::Do(step));
        }
        // What is not wanted any more goes when no role has it.
        let policy = look.policy.as_ref().filter(|policy| wanted.policy.is_none() && policy.is_ours());
        policy.map(|policy| self.without_policy(policy, look))
    }

    fn policy(
        &self,
        policy: Option<&Policy<N>>,
        document: &N::Document,
        whose: &Whose<N::Uid>,
    ) -> Option<Step> {
        let Some(policy) = policy else { return Some(Step::CreatePolicy) };
        if policy.whose != *whose {
            return Some(Step::TagPolicy);
        }
        if policy.document == *document {
            return None;
        }
        let is_full = policy.others.len() + 1 >= usize::from(self.rhythm.versions);
        Some(if is_full { Step::DeletePolicyVersion } else { Step::CreatePolicyVersion })
    }

    fn role(
        &self,
        identity: &Identity<N>,
        wanted: &Wanted<N>,
        role: Option<&Role<N>>,
        whose: &Whose<N::Uid>,
    ) -> Option<Step> {
        let Some(role) = role else { return Some(Step::CreateRole) };
        if role.whose != *whose {
            return Some(Step::TagRole);
        }
        if role.trust != wanted.trust {
            return Some(Step::UpdateAssumeRolePolicy);
        }
        if role.boundary != wanted.boundary {
            let put = wanted.boundary.is_some();
            return Some(if put {
                Step::PutRolePermissionsBoundary
            } else {
                Step::DeleteRolePermissionsBoundary
            });
        }
        if !role.inline.is_empty() {
            return Some(Step::DeleteRolePolicy);
        }
        let has_extra = self.extra(identity, wanted, role).is_some();
        // What is wanted comes first, so that a role is never without what it had and has next; unless there may be no room.
        let is_full = role.attached.len() >= usize::from(self.rhythm.attachments);
        if self.missing(identity, wanted, role).is_some() && !(has_extra && is_full) {
            return Some(Step::AttachRolePolicy);
        }
        has_extra.then_some(Step::DetachRolePolicy)
    }

    /// Other people's policies that the role shall have and has not, and that nobody has looked for.
    pub(crate) fn unchecked(&self, wanted: &Wanted<N>, look: &Look<N>) -> Others<N> {
        let (role, checked) = (look.role.as_ref(), &self.s.memory.checked);
        let has = |arn: &N::Arn| role.is_some_and(|role| role.attached.contains(arn));
        let bounded = |arn: &N::Arn| role.is_some_and(|role| role.boundary.as_ref() == Some(arn));
        let boundary = wanted.boundary.clone().filter(|arn| !bounded(arn) && !checked.contains(arn));
        let managed = wanted.managed.iter().filter(|arn| !has(arn) && !checked.contains(*arn));
        Others { boundary, managed: managed.cloned().collect() }
    }

    /// A policy that the role shall have, and has not.
    pub(crate) fn missing(
        &self,
        identity: &Identity<N>,
        wanted: &Wanted<N>,
        role: &Role<N>,
    ) -> Option<N::Arn> {
        self.attachments(identity, wanted).into_iter().find(|arn| !role.attached.contains(arn))
    }

    /// A policy that the role has, and shall not have.
    pub(crate) fn extra(&self, identity: &Identity<N>, wanted: &Wanted<N>, role: &Role<N>) -> Option<N::Arn> {
        let wanted = self.attachments(identity, wanted);
        role.attached.iter().find(|arn| !wanted.contains(arn)).cloned()
    }

    fn attachments(&self, identity: &Identity<N>, wanted: &Wanted<N>) -> Vec<N::Arn> {
        let own = self.home.filter(|_| wanted.policy.is_some());
        let own = own.map(|home| N::policy_arn(home, &identity.name));
        own.into_iter().chain(wanted.managed.iter().cloned()).collect()
    }

    /// A role that is ours goes: what it has first.
    pub(super) fn without_role(&self, role: &Role<N>, look: &Look<N>) -> What {
        if !role.attached.is_empty() {
            return Decision::Do(Step::DetachRolePolicy);
        }
        if !role.inline.is_empty() {
            return Decision::Do(Step::DeleteRolePolicy);
        }
        if !role.held_by.is_empty() {
            return self.until_next_look(Wait::RoleFree, look);
        }
        Decision::Do(Step::DeleteRole)
    }

    /// A policy that is ours goes: its other versions first.
    pub(super) fn without_policy(&self, policy: &Policy<N>, look: &Look<N>) -> What {
        if is_held(policy, look) {
            return self.until_next_look(Wait::PolicyFree, look);
        }
        if !policy.others.is_empty() {
            return Decision::Do(Step::DeletePolicyVersion);
        }
        Decision::Do(Step::DeletePolicy)
    }

    /// Others have to do something first: whether they have is looked at again.
    fn until_next_look(&self, what: Wait, look: &Look<N>) -> What {
        let until = look.at.plus(self.rhythm.retry);
        match self.now.clock >= until {
            true => Decision::Do(Step::Look),
            false => Decision::Wait { what, until: Some(until) },
        }
    }
}

/// Whether others have attached the policy to what is theirs: AWS does not let it go then.
fn is_held<N: Names>(policy: &Policy<N>, look: &Look<N>) -> bool {
    let has_it = |role: &Role<N>| !role.is_ours() && role.attached.contains(&policy.arn);
    !policy.held_by.is_empty() || look.role.as_ref().is_some_and(has_it)
}
