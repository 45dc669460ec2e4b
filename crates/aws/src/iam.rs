//! The calls.

use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::model::{
    Attached, Caller, Holder, Listed, NewPolicy, NewRole, Policy, PolicyVersion, Role, Tags, WebIdentity,
};

/// How long a call may take that begins now and had better not take longer than it is asked. `None`: it must not begin.
///
/// It is asked when the call's turn has come: a call may have waited for it longer than its caller may act.
pub type Term = Arc<dyn Fn(Duration) -> Option<Duration> + Send + Sync>;

/// What Bowline calls of AWS, and nothing else.
///
/// Each call is sent once. What a list says may take several calls, one for each of its pages. Reads may show what was,
/// for a while after a change.
pub trait Iam: Clone + Send + Sync + 'static {
    /// The same, for one who may act for a term only.
    fn within(&self, term: Term) -> Self;

    /// Makes a policy. Its first version is the one that counts.
    fn create_policy(&self, policy: &NewPolicy) -> impl Future<Output = Result<Policy, Error>> + Send;

    /// Makes a version of a policy, and makes it count. AWS keeps five.
    fn create_policy_version(
        &self,
        arn: &str,
        document: &str,
    ) -> impl Future<Output = Result<PolicyVersion, Error>> + Send;

    /// Removes a version that does not count.
    fn delete_policy_version(
        &self,
        arn: &str,
        version: &str,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Removes a policy that nobody has and that has one version only.
    fn delete_policy(&self, arn: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Adds tags to a policy, or changes them.
    fn tag_policy(&self, arn: &str, tags: &Tags) -> impl Future<Output = Result<(), Error>> + Send;

    /// Makes a role.
    fn create_role(&self, role: &NewRole) -> impl Future<Output = Result<Role, Error>> + Send;

    /// Changes who may assume a role.
    fn update_assume_role_policy(
        &self,
        name: &str,
        trust: &str,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Changes what a role can never exceed.
    fn put_role_permissions_boundary(
        &self,
        name: &str,
        boundary: &str,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Lets a role have no boundary. That it has none is no error to AWS.
    fn delete_role_permissions_boundary(&self, name: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Adds tags to a role, or changes them.
    fn tag_role(&self, name: &str, tags: &Tags) -> impl Future<Output = Result<(), Error>> + Send;

    /// Gives a role a policy. That it has it already is no error to AWS.
    fn attach_role_policy(&self, name: &str, policy: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Takes a policy from a role. That the role does not have it is `NotFound`.
    fn detach_role_policy(&self, name: &str, policy: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Removes a policy that is written into a role.
    fn delete_role_policy(&self, name: &str, policy: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Removes a role that has no policies.
    fn delete_role(&self, name: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// A policy with its tags, without its document.
    fn get_policy(&self, arn: &str) -> impl Future<Output = Result<Policy, Error>> + Send;

    /// A version with its document.
    fn get_policy_version(
        &self,
        arn: &str,
        version: &str,
    ) -> impl Future<Output = Result<PolicyVersion, Error>> + Send;

    /// The versions of a policy, without their documents.
    fn list_policy_versions(
        &self,
        arn: &str,
    ) -> impl Future<Output = Result<Vec<PolicyVersion>, Error>> + Send;

    /// A role with its tags.
    fn get_role(&self, name: &str) -> impl Future<Output = Result<Role, Error>> + Send;

    /// The policies that a role has.
    fn list_attached_role_policies(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Vec<Attached>, Error>> + Send;

    /// Who has a policy, or cannot exceed it.
    fn list_entities_for_policy(&self, arn: &str) -> impl Future<Output = Result<Vec<Holder>, Error>> + Send;

    /// The names of the instance profiles that a role is in.
    fn list_instance_profiles_for_role(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// The names of the policies that are written into a role.
    fn list_role_policies(&self, name: &str) -> impl Future<Output = Result<Vec<String>, Error>> + Send;

    /// The roles below a path.
    fn list_roles(&self, below: &str) -> impl Future<Output = Result<Vec<Listed>, Error>> + Send;

    /// The account's own policies below a path.
    fn list_policies(&self, below: &str) -> impl Future<Output = Result<Vec<Listed>, Error>> + Send;

    /// Whom AWS takes us for.
    fn get_caller_identity(&self) -> impl Future<Output = Result<Caller, Error>> + Send;

    /// Whether a role can be had by a token now. The credentials that AWS gives are forgotten.
    fn assume_role_with_web_identity(
        &self,
        identity: &WebIdentity,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}
