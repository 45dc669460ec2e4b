//! The calls by name: what errors, metrics and the permissions that Bowline asks for speak of.

use std::fmt;

/// A call of AWS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "AWS's own names say it, and AWS's documentation has them")]
pub enum Action {
    CreatePolicy,
    CreatePolicyVersion,
    DeletePolicyVersion,
    DeletePolicy,
    TagPolicy,
    CreateRole,
    UpdateAssumeRolePolicy,
    PutRolePermissionsBoundary,
    DeleteRolePermissionsBoundary,
    TagRole,
    AttachRolePolicy,
    DetachRolePolicy,
    DeleteRolePolicy,
    DeleteRole,
    GetPolicy,
    GetPolicyVersion,
    ListPolicyVersions,
    GetRole,
    ListAttachedRolePolicies,
    ListEntitiesForPolicy,
    ListInstanceProfilesForRole,
    ListRolePolicies,
    ListRoles,
    ListPolicies,
    GetCallerIdentity,
    AssumeRoleWithWebIdentity,
}

/// What a call has to be permitted for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Needs {
    /// The policy that it is about.
    Policy,
    /// Any policy: also other people's, which are named in a spec.
    AnyPolicy,
    /// The role that it is about.
    Role,
    /// The whole account: AWS does not let it be permitted for less.
    Account,
    /// Nothing: AWS lets everybody call it.
    Nothing,
}

impl Action {
    /// All of them.
    pub const ALL: &[Action] = &[
        Action::CreatePolicy,
        Action::CreatePolicyVersion,
        Action::DeletePolicyVersion,
        Action::DeletePolicy,
        Action::TagPolicy,
        Action::CreateRole,
        Action::UpdateAssumeRolePolicy,
        Action::PutRolePermissionsBoundary,
        Action::DeleteRolePermissionsBoundary,
        Action::TagRole,
        Action::AttachRolePolicy,
        Action::DetachRolePolicy,
        Action::DeleteRolePolicy,
        Action::DeleteRole,
        Action::GetPolicy,
        Action::GetPolicyVersion,
        Action::ListPolicyVersions,
        Action::GetRole,
        Action::ListAttachedRolePolicies,
        Action::ListEntitiesForPolicy,
        Action::ListInstanceProfilesForRole,
        Action::ListRolePolicies,
        Action::ListRoles,
        Action::ListPolicies,
        Action::GetCallerIdentity,
        Action::AssumeRoleWithWebIdentity,
    ];

    /// Its name in AWS's protocol, like `CreateRole`.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// It is one of the security token service, not of IAM.
    pub fn is_sts(self) -> bool {
        matches!(self, Action::GetCallerIdentity | Action::AssumeRoleWithWebIdentity)
    }

    /// What it has to be permitted for.
    pub fn needs(self) -> Needs {
        match self {
            Action::CreatePolicy
            | Action::CreatePolicyVersion
            | Action::DeletePolicyVersion
            | Action::DeletePolicy
            | Action::TagPolicy
            | Action::GetPolicyVersion
            | Action::ListPolicyVersions
            | Action::ListEntitiesForPolicy => Needs::Policy,
            Action::GetPolicy => Needs::AnyPolicy,
            Action::CreateRole
            | Action::UpdateAssumeRolePolicy
            | Action::PutRolePermissionsBoundary
            | Action::DeleteRolePermissionsBoundary
            | Action::TagRole
            | Action::AttachRolePolicy
            | Action::DetachRolePolicy
            | Action::DeleteRolePolicy
            | Action::DeleteRole
            | Action::GetRole
            | Action::ListAttachedRolePolicies
            | Action::ListInstanceProfilesForRole
            | Action::ListRolePolicies => Needs::Role,
            Action::ListRoles | Action::ListPolicies => Needs::Account,
            Action::GetCallerIdentity | Action::AssumeRoleWithWebIdentity => Needs::Nothing,
        }
    }

    /// It changes nothing in AWS.
    pub fn only_reads(self) -> bool {
        let name = self.name();
        self.is_sts() || name.starts_with("Get") || name.starts_with("List")
    }
}

/// As a permission, like `iam:CreateRole`.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self:?}", if self.is_sts() { "sts" } else { "iam" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_have_their_service_before_them() {
        assert_eq!(Action::CreateRole.to_string(), "iam:CreateRole");
        assert_eq!(Action::GetCallerIdentity.to_string(), "sts:GetCallerIdentity");
    }

    #[test]
    fn what_only_reads_is_known() {
        let writes: Vec<_> = Action::ALL.iter().filter(|action| !action.only_reads()).collect();
        assert_eq!(writes.len(), 14, "{writes:?}");
        assert!(Action::ListRoles.only_reads() && !Action::TagRole.only_reads());
    }
}
