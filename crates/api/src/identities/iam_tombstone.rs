//! What is left of identities that were deleted.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Name, Namespace};

/// Whose it is, and how often it was looked since.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "IamTombstone",
    doc = "What is left of identities that were deleted: what they had sent to AWS may still arrive there, and is looked for by this for a day. The hub writes it; it outlives the namespace of the identities.",
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    printcolumn = r#"{"name": "Namespace", "type": "string", "jsonPath": ".spec.namespace"}"#,
    printcolumn = r#"{"name": "Identity", "type": "string", "jsonPath": ".spec.identity"}"#,
    printcolumn = r#"{"name": "Sweeps", "type": "integer", "jsonPath": ".spec.sweeps"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.__namespace__ == oldSelf.__namespace__ && self.identity == oldSelf.identity",
    "message": "a tombstone cannot become that of another identity"
}]))]
pub struct IamTombstoneSpec {
    /// The namespace of the identities.
    pub namespace: Namespace,
    /// Their name.
    pub identity: Name,
    /// Which of those that had that name, the latest last. Only what is tagged in AWS with one of these is swept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 10_000),
        inner(length(min = 1, max = 253)),
        extend("x-kubernetes-list-type" = "atomic")
    )]
    pub uids: Vec<String>,
    /// When the latest was let go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
    /// How often it was looked for what arrived since.
    #[serde(default)]
    #[schemars(range(min = 0, max = 255))]
    pub sweeps: u8,
}
