//! The words of decisions.

use std::fmt;

/// A step. Those from [`Step::Look`] on ask something outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// Put our finalizer on the identity.
    Hold,
    /// Take our finalizer off.
    LetGo,
    /// Record that something is going to be made in AWS.
    Intend,
    /// Record that the role is complete, and where accounts are.
    Record,
    /// Record that the role is not there any more, or is somebody else's.
    Lapse,
    /// Record that the role can be assumed.
    Settle,
    /// Record what may still arrive in AWS when the identity is gone.
    Bury,
    /// Forget what may still arrive.
    Forget,
    /// Record that it was looked for what arrived.
    Swept,
    /// Make the account where the identity is, or let it say which role it has.
    PublishHere,
    /// Delete an account where the identity is.
    WithdrawHere,
    /// Look at policy and role.
    Look,
    /// Look whether other people's policies are there that it names.
    Check,
    /// Make the policy.
    CreatePolicy,
    /// Change what the policy says.
    CreatePolicyVersion,
    /// Delete the oldest version of the policy.
    DeletePolicyVersion,
    /// Tag the policy as ours.
    TagPolicy,
    /// Delete the policy.
    DeletePolicy,
    /// Make the role.
    CreateRole,
    /// Change who may assume the role.
    UpdateAssumeRolePolicy,
    /// Change what the role may do at most.
    PutRolePermissionsBoundary,
    /// Take the role's boundary off.
    DeleteRolePermissionsBoundary,
    /// Tag the role as ours.
    TagRole,
    /// Attach a policy to the role.
    AttachRolePolicy,
    /// Detach a policy from the role.
    DetachRolePolicy,
    /// Delete a policy that others have written into the role.
    DeleteRolePolicy,
    /// Delete the role.
    DeleteRole,
    /// Try to assume the role.
    Assume,
    /// Look at an account on another cluster.
    LookAtAccount,
    /// Make an account on another cluster, or let it say which role it has.
    Publish,
    /// Delete an account on another cluster.
    Withdraw,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// What has to be known of AWS.
    Settings,
    /// A spec that can be.
    Spec,
    /// The issuers of the clusters that it names.
    Clusters,
    /// Somebody to allow, or to change, what is refused.
    Refused,
    /// Somebody to find out why something does not work.
    Stuck,
    /// Somebody else's policy of that name to go.
    ForeignPolicy,
    /// Somebody else's role of that name to go.
    ForeignRole,
    /// Somebody else's account of that name to go.
    ForeignAccount,
    /// The hub to be called as it was when its policy and role were made.
    OtherName,
    /// An account that is being deleted to be gone.
    AccountGone,
    /// What others have attached to the policy to go.
    PolicyFree,
    /// What others have put into the role, or the role into, to go.
    RoleFree,
    /// That nothing is there when it is looked once more.
    Absence,
    /// The role to be assumable.
    Assumable,
    /// The time to look for what arrived late.
    Sweep,
    /// The time of the next look.
    NextLook,
}

impl Wait {
    /// Whether nothing goes on before a person does something.
    pub fn is_for_a_person(self) -> bool {
        matches!(
            self,
            Wait::Settings
                | Wait::Spec
                | Wait::Clusters
                | Wait::Refused
                | Wait::Stuck
                | Wait::ForeignPolicy
                | Wait::ForeignRole
                | Wait::ForeignAccount
                | Wait::OtherName
                | Wait::PolicyFree
                | Wait::RoleFree
        )
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Hold => "hold the identity",
            Step::LetGo => "let the identity go",
            Step::Intend => "record that something is going to be made in AWS",
            Step::Record => "record that the role is complete",
            Step::Lapse => "record that the role is not there any more",
            Step::Settle => "record that the role can be assumed",
            Step::Bury => "record what may still arrive in AWS",
            Step::Forget => "forget what may still arrive in AWS",
            Step::Swept => "record that nothing has arrived late",
            Step::PublishHere => "publish the service account",
            Step::WithdrawHere => "withdraw a service account",
            Step::Look => "look at policy and role",
            Step::Check => "find the policies that it names",
            Step::CreatePolicy => "create the policy",
            Step::CreatePolicyVersion => "create a version of the policy",
            Step::DeletePolicyVersion => "delete the oldest version of the policy",
            Step::TagPolicy => "tag the policy",
            Step::DeletePolicy => "delete the policy",
            Step::CreateRole => "create the role",
            Step::UpdateAssumeRolePolicy => "change who may assume the role",
            Step::PutRolePermissionsBoundary => "set the permissions boundary of the role",
            Step::DeleteRolePermissionsBoundary => "remove the permissions boundary of the role",
            Step::TagRole => "tag the role",
            Step::AttachRolePolicy => "attach a policy to the role",
            Step::DetachRolePolicy => "detach a policy from the role",
            Step::DeleteRolePolicy => "delete an inline policy of the role",
            Step::DeleteRole => "delete the role",
            Step::Assume => "assume the role",
            Step::LookAtAccount => "look at a service account on a cluster",
            Step::Publish => "publish a service account on a cluster",
            Step::Withdraw => "withdraw a service account from a cluster",
        })
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wait::Settings => "settings of AWS: start with --identity-cluster-name and --oidc-provider-arn",
            Wait::Spec => "a spec that can be",
            Wait::Clusters => "its clusters to say who signs the tokens of their accounts",
            Wait::Refused => "somebody to change what is refused",
            Wait::Stuck => "somebody to find out why it does not work",
            Wait::ForeignPolicy => "a policy of that name to go, which is somebody else's",
            Wait::ForeignRole => "a role of that name to go, which is somebody else's",
            Wait::ForeignAccount => "a service account of that name to go, which is somebody else's",
            Wait::OtherName => "the name of this hub by which its role was made",
            Wait::AccountGone => "a service account that is being deleted to be gone",
            Wait::PolicyFree => "somebody to detach the policy from what it is attached to",
            Wait::RoleFree => "somebody to free the role",
            Wait::Absence => "a second look that finds nothing in AWS",
            Wait::Assumable => "the role to be assumable",
            Wait::Sweep => "the time to look for what arrived in AWS late",
            Wait::NextLook => "the time of the next look",
        })
    }
}
