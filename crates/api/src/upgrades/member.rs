//! One node of a group.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Epoch, ShortName, VersionName};

/// What the hub wants of a node. Its agent only reads it.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Member",
    doc = "One node of a group. The hub writes what it wants of it into spec, the node's agent what is so into status; leases are renewed elsewhere.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "MemberStatus",
    selectable = ".spec.group",
    printcolumn = r#"{"name": "Group", "type": "string", "jsonPath": ".spec.group"}"#,
    printcolumn = r#"{"name": "Version", "type": "string", "jsonPath": ".status.version"}"#,
    printcolumn = r#"{"name": "Desired", "type": "string", "jsonPath": ".spec.desired.version"}"#,
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new(
        "self.metadata.name.startsWith(self.spec.group + '-') && self.metadata.name.size() > self.spec.group.size() + 1"
    )
    .message("a Member is named after its group and itself: group-member")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.group == oldSelf.group",
    "message": "a member stays in its group"
}]))]
pub struct MemberSpec {
    /// The NodeGroup, in the same namespace. It cannot be changed.
    pub group: ShortName,
    /// What the node is to do. Nothing yet, if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desired: Option<Desired>,
}

/// What a node is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Desired {
    /// The version that it is to run.
    pub version: VersionName,
    /// What it is to do with it.
    #[serde(default)]
    pub step: Step,
    /// The partitions that it is a member of in that version, and who else is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 256),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["partition"])
    )]
    pub memberships: Vec<PartitionMembers>,
}

/// What a node is to do with its software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Step {
    /// Run it.
    #[default]
    Run,
    /// Let go of its work.
    Drain,
    /// Stop it.
    Stop,
}

/// Who is in a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct PartitionMembers {
    /// Its number, from 0.
    pub partition: u32,
    /// Its members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 15), extend("x-kubernetes-list-type" = "set"))]
    pub members: Vec<ShortName>,
}

/// What a node does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum MemberPhase {
    /// The software starts, and has not been well yet.
    #[default]
    Starting,
    /// The software runs and is well.
    Running,
    /// It lets go of its work.
    Draining,
    /// It ends.
    Stopping,
    /// It runs and is not well, or does not run.
    Unhealthy,
    /// Nobody has heard of the node for longer than its lease.
    Lost,
}

/// What is so on a node. Its agent writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct MemberStatus {
    /// The generation of the spec that the agent has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The version that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionName>,
    /// What it does.
    #[serde(default)]
    pub phase: MemberPhase,
    /// The devices that it acts for, each with the epoch in which it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub devices: Vec<ActingFor>,
    /// The greatest epoch that the agent has ever seen. A hub that knows only smaller ones was restored.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-validations" = [{
        "rule": "self >= oldSelf",
        "message": "what was seen is not unseen"
    }]))]
    pub highest_epoch_seen: Epoch,
    /// What it waits for, or what is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
}

/// A device that a node acts for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ActingFor {
    /// The device.
    pub name: ShortName,
    /// The epoch.
    pub epoch: Epoch,
}
