//! Identities: cloud permissions of service accounts. An [`IamRoleServiceAccount`] says which; [`IamPolicy`] and
//! [`IamRole`] are its children, one for each thing in AWS; an [`IamTombstone`] is what is left of it.

mod iam_policy;
mod iam_role;
mod iam_role_service_account;
mod iam_tombstone;
mod statement;

pub use iam_policy::{IamPolicy, IamPolicySpec, IamPolicyStatus};
pub use iam_role::{IamRole, IamRoleSpec, IamRoleStatus, TrustedIssuer};
pub use iam_role_service_account::{
    DeletionPolicy, IamRoleServiceAccount, IamRoleServiceAccountSpec, IamRoleServiceAccountStatus,
    PublishedAccount,
};
pub use iam_tombstone::{IamTombstone, IamTombstoneSpec};
pub use statement::{Effect, PolicyDocument, Resources, Statement};
