//! The IAM role of an identity.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::iam_role_service_account::DeletionPolicy;
use crate::conditions::Conditions;
use crate::{Arn, Name, is_false};

/// What role is to be in AWS.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "IamRole",
    doc = "The IAM role of an identity, with what is attached to it. The identity owns it and writes it; it is there to be read.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "IamRoleStatus",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Arn", "type": "string", "jsonPath": ".status.arn"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.roleName == oldSelf.roleName",
    "message": "a role cannot be renamed in AWS"
}]))]
pub struct IamRoleSpec {
    /// Its name in AWS. It cannot be changed.
    #[schemars(length(min = 1, max = 64), extend("pattern" = r"^[A-Za-z0-9_+=,.@-]+$"))]
    pub role_name: String,
    /// The ServiceAccount, in the same namespace, that may assume it.
    pub service_account_name: Name,
    /// Who vouches for that account: one for each cluster that it is published in.
    #[schemars(
        length(min = 1, max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["issuer"])
    )]
    pub trusts: Vec<TrustedIssuer>,
    /// The IamPolicy, in the same namespace, that is attached to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Name>,
    /// The ARNs of other policies that are attached to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 19), extend("x-kubernetes-list-type" = "set"))]
    pub managed_policy_arns: Vec<Arn>,
    /// The ARN of the IAM policy beyond which no permission goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions_boundary: Option<Arn>,
    /// What happens in AWS when this object is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// Take over a role of that name that somebody else has made.
    #[serde(default, skip_serializing_if = "is_false")]
    pub adopt: bool,
}

/// An issuer of tokens that a role trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct TrustedIssuer {
    /// The issuer: an https URL.
    #[schemars(length(max = 255), extend("pattern" = "^https://[^?#\\s]+$"))]
    pub issuer: String,
    /// The ARN of the IAM OIDC provider of that issuer.
    pub provider_arn: Arn,
}

/// What there is of it in AWS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct IamRoleStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Its ARN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arn: Option<Arn>,
    /// The ARN of the policy that is to be attached, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_arn: Option<Arn>,
    /// When it was first to be made in AWS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_at: Option<Time>,
    /// What it waits for, or why it stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready, Synced and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}
