//! Identities: cloud permissions of service accounts. An [`IamRoleServiceAccount`] says which; [`IamPolicy`] and
//! [`IamRole`] are its children, one for each thing in AWS.

mod iam_policy;
mod iam_role;
mod iam_role_service_account;
mod statement;

pub use iam_policy::{IamPolicy, IamPolicySpec, IamPolicyStatus};
pub use iam_role::{IamRole, IamRoleSpec, IamRoleStatus, TrustedIssuer};
pub use iam_role_service_account::{
    DeletionPolicy, IamRoleServiceAccount, IamRoleServiceAccountSpec, IamRoleServiceAccountStatus,
};
pub use statement::{Effect, PolicyDocument, Resources, Statement};
