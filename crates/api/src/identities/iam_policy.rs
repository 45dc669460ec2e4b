//! The IAM policy of an identity.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::iam_role_service_account::DeletionPolicy;
use super::statement::PolicyDocument;
use crate::conditions::Conditions;
use crate::{Arn, is_false};

/// What policy is to be in AWS.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "IamPolicy",
    plural = "iampolicies",
    doc = "The IAM policy of an identity. The identity owns it and writes it; it is there to be read.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "IamPolicyStatus",
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Arn", "type": "string", "jsonPath": ".status.arn"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.policyName == oldSelf.policyName",
    "message": "a policy cannot be renamed in AWS"
}]))]
pub struct IamPolicySpec {
    /// Its name in AWS. It cannot be changed.
    #[schemars(length(min = 1, max = 128), extend("pattern" = r"^[A-Za-z0-9_+=,.@-]+$"))]
    pub policy_name: String,
    /// What it allows.
    pub policy: PolicyDocument,
    /// What happens in AWS when this object is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// Take over a policy of that name that somebody else has made.
    #[serde(default, skip_serializing_if = "is_false")]
    pub adopt: bool,
}

/// What there is of it in AWS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct IamPolicyStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Its ARN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arn: Option<Arn>,
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
