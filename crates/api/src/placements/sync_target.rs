//! A cluster that namespaces can be on.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Conditions;
use crate::{Epoch, ShortName, is_false};

/// Which cluster it is, and what may be put there.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "SyncTarget",
    doc = "A workload cluster that namespaces and their volumes can be placed on. Placements choose it by its labels.",
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "SyncTargetStatus",
    printcolumn = r#"{"name": "Cluster", "type": "string", "jsonPath": ".spec.cluster"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Unschedulable", "type": "boolean", "jsonPath": ".spec.unschedulable"}"#,
    printcolumn = r#"{"name": "Fence", "type": "string", "jsonPath": ".status.fence"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name.size() <= 63")
        .message("the name of a target is part of labels and has at most 63 characters")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.cluster == oldSelf.cluster",
    "message": "a target stays the cluster that it is: make a new SyncTarget for another one"
}]))]
pub struct SyncTargetSpec {
    /// The Cluster. It cannot be changed.
    pub cluster: ShortName,
    /// Nothing new is placed on it; what is there, stays.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unschedulable: bool,
    /// What has to be tolerated by what is placed on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 32),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["key", "effect"])
    )]
    pub taints: Vec<Taint>,
    /// How long it may be out of contact before what is on it is to go elsewhere. Without this it never is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_592_000))]
    pub evict_after_seconds: Option<u32>,
    /// How much may be placed on it. Without this there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Capacity>,
    /// Its volumes refuse whoever has a smaller epoch. Only say so if they really do: a target that is out of contact
    /// loses its volumes by this without having let go of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub enforces_epochs: bool,
}

/// What has to be tolerated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Taint {
    /// Its key.
    #[schemars(length(min = 1, max = 316))]
    pub key: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 63))]
    pub value: String,
    /// What happens to what does not tolerate it.
    pub effect: TaintEffect,
}

/// What happens to what does not tolerate a taint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum TaintEffect {
    /// It is not placed there.
    #[default]
    NoSchedule,
    /// It is not placed there, and goes if it is there.
    NoExecute,
}

/// How much may be placed on a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Capacity {
    /// How many namespaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub namespaces: Option<u32>,
    /// How many volumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1_000_000))]
    pub volumes: Option<u32>,
}

/// Whether a target is kept from its volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Fence {
    /// It is not.
    #[default]
    None,
    /// It is to be, and perhaps is.
    Requested,
    /// It is.
    Fenced,
    /// It is about to be let in again.
    Unfencing,
}

/// What is known of a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {"rule": "self.fenceEpoch >= oldSelf.fenceEpoch", "message": "an epoch never falls"},
    {
        "rule": "self.fence != 'Fenced' || oldSelf.fence == 'Fenced' || self.fenceEpoch > oldSelf.fenceEpoch",
        "message": "the fence epoch rises when a fence comes into force"
    },
    {"rule": "self.highestEpochSeen >= oldSelf.highestEpochSeen", "message": "what was seen is not unseen"}
]))]
pub struct SyncTargetStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Whether it is kept from its volumes. Nothing is placed on it until that is None.
    #[serde(default)]
    pub fence: Fence,
    /// Raised when a fence comes into force: what was granted before is void.
    #[serde(default)]
    pub fence_epoch: Epoch,
    /// Who wanted the fence, or the end of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence_request: Option<FenceRequest>,
    /// The greatest epoch that its syncer has ever seen. A hub that knows only smaller ones was restored.
    #[serde(default)]
    pub highest_epoch_seen: Epoch,
    /// What it waits for, or what is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// Who wanted a fence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct FenceRequest {
    /// The person, or the controller.
    #[schemars(length(min = 1, max = 256))]
    pub by: String,
    /// When.
    pub at: Time,
    /// A person has seen to it that the target cannot reach its volumes, and vouches for that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirmed: bool,
}
