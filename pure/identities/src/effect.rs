//! What is asked of AWS and of other clusters, and what they say. How steps are done is in [`crate::steps`].

use crate::aws::{Policy, Published, Role};
use crate::state::Names;

/// What is asked of the outside. All of it can be asked twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<N: Names> {
    /// For which identity: policy and role have names in AWS that are made of this, and tags that say it.
    pub name: N::Name,
    /// Which of that name: what is tagged is tagged with it.
    pub uid: N::Uid,
    /// 0 for an identity that is there; else the number of the sweep after it was gone, from 1.
    pub round: u8,
    /// As it was wanted then.
    pub generation: u64,
    /// All was as it is wanted: what has to be changed now, others have changed.
    pub rested: bool,
    /// What.
    pub what: Ask<N>,
}

/// Other people's policies that a person names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Others<N: Names> {
    /// What the role may do at most.
    pub boundary: Option<N::Arn>,
    /// What the role has, in order and each once.
    pub managed: Vec<N::Arn>,
}

/// What is asked. Each but the looks is one request to AWS, called as AWS calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask<N: Names> {
    /// What is there: `GetPolicy`, `GetRole`; of a policy that is there `ListPolicyVersions` and `GetPolicyVersion` of the
    /// default one; of a role that is there `ListAttachedRolePolicies` and `ListRolePolicies`.
    Look {
        /// And what keeps them from going: `ListEntitiesForPolicy`, `ListInstanceProfilesForRole`.
        goes: bool,
    },
    /// Whether other people's policies are there, which a person names: `GetPolicy` of each. Who may not look there does not
    /// know, and that is no refusal.
    Check(Others<N>),
    /// A policy with this document, and our tags.
    CreatePolicy(N::Document),
    /// A version of the policy, which is the default one from then on.
    CreatePolicyVersion(N::Document),
    /// A version goes that is not the default one.
    DeletePolicyVersion(u32),
    /// The policy gets our tags.
    TagPolicy,
    /// The policy goes.
    DeletePolicy,
    /// A role that these may assume, and that may do at most this, with our tags.
    CreateRole {
        /// Who may assume it.
        trust: N::Document,
        /// What it may do at most.
        boundary: Option<N::Arn>,
    },
    /// Others may assume the role.
    UpdateAssumeRolePolicy(N::Document),
    /// The role may do at most this.
    PutRolePermissionsBoundary(N::Arn),
    /// The role may do what its policies say.
    DeleteRolePermissionsBoundary,
    /// The role gets our tags.
    TagRole,
    /// The role has this policy.
    AttachRolePolicy(N::Arn),
    /// The role does not have this policy.
    DetachRolePolicy(N::Arn),
    /// A policy goes that others have written into the role.
    DeleteRolePolicy(N::Text),
    /// The role goes.
    DeleteRole,
    /// Whether the account's own token is good for the role (`AssumeRoleWithWebIdentity`, of STS).
    Assume,
    /// Which account is there on a cluster.
    LookAtAccount(N::Cluster, N::Account),
    /// An account on a cluster is made, or says from now on that it has this role. It is refused if there is one that is not
    /// the identity's, unless it is to be taken over.
    Publish {
        /// The cluster.
        cluster: N::Cluster,
        /// The account.
        account: N::Account,
        /// The role.
        role: N::Arn,
        /// It may be somebody else's.
        adopts: bool,
    },
    /// An account on a cluster goes, if it is the identity's.
    Withdraw(N::Cluster, N::Account),
}

/// What the outside says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply<N: Names> {
    /// To what.
    pub to: Call<N>,
    /// What.
    pub said: Said<N>,
}

/// What the outside says to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said<N: Names> {
    /// What is there.
    Seen {
        /// The policy, if it is there.
        policy: Option<Policy<N>>,
        /// The role, if it is there.
        role: Option<Role<N>>,
    },
    /// The account, if it is there.
    Account(Option<Published<N>>),
    /// It is made, and has this name.
    Made(N::Arn),
    /// The version has this number.
    Version(u32),
    /// It is done.
    Done,
    /// There is one already (`EntityAlreadyExists`).
    Exists,
    /// What it is about is not there (`NoSuchEntity`). If a policy or role is to go, it is gone.
    Missing,
    /// It cannot be now, by the rules of AWS: what was seen is not so any more (`DeleteConflict`, `LimitExceeded` of versions).
    Outdated(String),
    /// It will not be, before somebody changes something: in words for people (`AccessDenied`, `MalformedPolicyDocument`, …).
    Refused(N::Text),
    /// It cannot be tried at all, by us: nobody gives us a token of the account.
    Untried,
    /// It did not work, and is tried again (`Throttling`, a failure of the service, no way there).
    Failed(String),
}
