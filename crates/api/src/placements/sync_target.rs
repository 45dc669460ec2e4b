//! A cluster that namespaces can be on.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fencing::{FenceRequest, Fencing};
use crate::conditions::Conditions;
use crate::{Epoch, Name, Namespace, ShortName, is_false};

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
    printcolumn = r#"{"name": "Epoch", "type": "integer", "jsonPath": ".status.fenceEpoch", "priority": 1}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name.size() <= 63")
        .message("the name of a target is part of labels and has at most 63 characters"),
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of a target is what is known of its fence, and is never taken away")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "self.cluster == oldSelf.cluster",
        "message": "a target stays the cluster that it is: make a new SyncTarget for another one"
    },
    {
        "rule": "!has(self.fencing) || !has(self.fencing.networkFence) || self.fencing.networkFence.cluster != self.cluster",
        "message": "a target is not fenced by what runs on itself: name another Cluster that reaches the storage",
        "fieldPath": ".fencing"
    }
]))]
pub struct SyncTargetSpec {
    /// The Cluster. It cannot be changed.
    pub cluster: ShortName,
    /// Nothing new is placed on it; what is there, stays.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unschedulable: bool,
    /// What is on it is to go elsewhere.
    #[serde(default, skip_serializing_if = "is_false")]
    pub drain: bool,
    /// What has to be tolerated by what is on it: what does not goes elsewhere, and nothing such is placed on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 32),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["key"])
    )]
    pub taints: Vec<Taint>,
    /// How long it may be out of contact before it is fenced, and what is on it goes elsewhere: by its fencing, or because its
    /// volumes enforce epochs. Without this it never is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_592_000))]
    pub evict_after_seconds: Option<u32>,
    /// How much may be placed on it. Without this there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Capacity>,
    /// Its volumes refuse whoever has a smaller epoch. Only say so if they really do: a target that is out of contact
    /// loses its volumes by this without having let go of them, and its syncer stops all workloads when it loses the hub.
    #[serde(default, skip_serializing_if = "is_false")]
    pub enforces_epochs: bool,
    /// What can keep it from its volumes. Without this a person has to see to it, and to say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fencing: Option<Fencing>,
    /// A person wants it to be fenced. `bowline place fence` sets it, and `bowline place unfence` takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<FenceRequest>,
}

impl SyncTarget {
    /// The label of what belongs to a target: its value is the target's name.
    pub const LABEL: &'static str = "bowline.dev/target";

    /// The name of the Lease of its syncer, of its ServiceAccount, and of what allows the account what it needs.
    pub fn account_name(target: &str) -> String {
        format!("bowline-syncer-{target}")
    }
}

/// What has to be tolerated; or is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Taint {
    /// Its key.
    #[schemars(length(min = 1, max = 316), extend("pattern" = "^[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$"))]
    pub key: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1, max = 63), extend("pattern" = "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"))]
    pub value: String,
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

/// What a fence is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum FencedBy {
    /// The word of a person.
    #[default]
    Person,
    /// Its fencing.
    Driver,
    /// Its volumes, which refuse a smaller epoch; and its lease, which has lapsed.
    Epochs,
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
    {
        "rule": "self.fence != 'None' || oldSelf.fence in ['None', 'Unfencing']",
        "message": "a fence is taken down before there is none"
    },
    {"rule": "self.restore >= oldSelf.restore", "message": "a restore is not undone"}
]))]
pub struct SyncTargetStatus {
    /// The generation of the spec that message and conditions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Whether it is kept from its volumes. Nothing is placed on it until that is None.
    #[serde(default)]
    pub fence: Fence,
    /// Raised when a fence comes into force: what was granted before is void.
    #[serde(default)]
    pub fence_epoch: Epoch,
    /// What the fence is made of, or the last one was.
    #[serde(default)]
    pub fenced_by: FencedBy,
    /// Since when its lease has lapsed; without this it has not, or that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed_since: Option<Time>,
    /// The last restore of the hub that it has to report about.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub restore: u64,
    /// What its syncer says. Its syncer writes it, and nothing else here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<TargetReport>,
    /// What has happened to its fence, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "atomic"))]
    pub history: Vec<FenceEvent>,
    /// What it waits for, or what is wrong, and what to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready, Reconciling and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// What a syncer says of its target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct TargetReport {
    /// The greatest fence epoch that it has seen: it will never again begin to use anything that was granted in a smaller one.
    #[serde(default)]
    pub highest_epoch_seen: Epoch,
    /// In which tenure of its lease it says so: another one each time that it has the lease again.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub tenure: u64,
    /// The last restore of the hub that it knows of.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub restore: u64,
    /// What it still uses that was granted in a smaller fence epoch; after a restore of the hub that is everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100_000), extend("x-kubernetes-list-type" = "atomic"))]
    pub uses: Vec<ReportedUse>,
    /// It knows of greater epochs than the hub, or has what the hub does not know: the hub is older than what is here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ahead: bool,
}

/// Something that a target uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ReportedUse {
    /// The namespace.
    pub namespace: Namespace,
    /// The claim of a volume in it; without this it is the namespace itself, whose workloads run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Name>,
    /// In which epoch it was granted.
    pub epoch: Epoch,
}

/// Something that happened to a fence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct FenceEvent {
    /// When it was recorded.
    pub at: Time,
    /// How it stood then.
    pub fence: Fence,
    /// Its epoch.
    pub epoch: Epoch,
    /// What it is made of.
    pub fenced_by: FencedBy,
    /// Who wanted it, and when, if a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<FenceRequest>,
}

impl FenceEvent {
    /// So many are kept, the newest.
    pub const KEPT: usize = 64;
}
