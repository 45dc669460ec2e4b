//! Cloud permissions for a service account.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statement::PolicyDocument;
use crate::conditions::Conditions;
use crate::{Arn, Name, ShortName, is_false};

/// Which permissions, for whom.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "IamRoleServiceAccount",
    doc = "Cloud permissions for a service account: an IAM policy, an IAM role that trusts the account, and the annotated ServiceAccount appear, and stay right.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    shortname = "irsa",
    category = "bowline",
    status = "IamRoleServiceAccountStatus",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Role-Arn", "type": "string", "jsonPath": ".status.roleArn"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "has(self.policy) || (has(self.managedPolicyArns) && self.managedPolicyArns.size() > 0)",
    "message": "say which permissions: policy, managedPolicyArns or both"
}]))]
pub struct IamRoleServiceAccountSpec {
    /// The permissions, as an IAM policy of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyDocument>,
    /// The permissions of IAM policies that exist already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 19),
        inner(regex(pattern = r"^arn:[a-z0-9-]+:iam::([0-9]{12}|aws):policy/.+$")),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub managed_policy_arns: Vec<Arn>,
    /// The ARN of the IAM policy beyond which no permission goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions_boundary: Option<Arn>,
    /// The ServiceAccount. Default: the name of this object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<Name>,
    /// The Clusters whose issuers the role trusts, and where the account is published. Default: where this object is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), extend("x-kubernetes-list-type" = "set"))]
    pub clusters: Vec<ShortName>,
    /// What happens in AWS when this object is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// Take over a role and a policy of the right names that somebody else has made. Otherwise they are never touched.
    #[serde(default, skip_serializing_if = "is_false")]
    pub adopt: bool,
}

/// What happens in AWS when an object is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum DeletionPolicy {
    /// Role and policy are deleted.
    #[default]
    Delete,
    /// Nothing.
    Orphan,
}

/// What there is of an identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct IamRoleServiceAccountStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The ARN of the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_arn: Option<Arn>,
    /// The ARN of its own policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_arn: Option<Arn>,
    /// When something was first to be made in AWS. Until some time after that, what is not seen there may still come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_at: Option<Time>,
    /// Since when the role has all of its policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_at: Option<Time>,
    /// Where the account is published, was, or is going to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000), extend("x-kubernetes-list-type" = "atomic"))]
    pub published: Vec<PublishedAccount>,
    /// What it waits for, or why it stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Complete, Ready, Synced and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// Where an account is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct PublishedAccount {
    /// The Cluster. Without one it is where this object is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ShortName>,
    /// The ServiceAccount, in the namespace of the same name.
    pub name: Name,
}
