//! One node of a group.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::progress::Partition;
use crate::{Epoch, ShortName, VersionName, is_false};

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
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new(
        "self.metadata.name.startsWith(self.spec.group + '-') && self.metadata.name.size() > self.spec.group.size() + 1 \
         && !self.metadata.name.startsWith(self.spec.group + '--')"
    )
    .message("a Member is named after its group and itself: group-member"),
    validation = kube::core::Rule::new("self.metadata.name.size() <= self.spec.group.size() + 64")
        .message("the name of a member is put into labels: after its group and a dash it has at most 63 characters")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.group == oldSelf.group",
    "message": "a member stays in its group: make a new Member for another one"
}]))]
pub struct MemberSpec {
    /// The NodeGroup, in the same namespace. It cannot be changed.
    pub group: ShortName,
    /// What the node is to do. Nothing yet, if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desired: Option<Desired>,
}

impl Member {
    /// The label of what belongs to a member: its value is the group's name. Its Lease is found by it among all others.
    pub const LABEL: &'static str = "bowline.dev/group";

    /// The annotation of the Lease of the controllers by which a person says that what is seen of the leases of members is so, although
    /// more than half of them lapsed together. Another value than before ends the present suspicion.
    pub const TRUSTED: &'static str = "bowline.dev/leases-trusted";

    /// The name of the object of a member.
    pub fn object_name(group: &str, member: &str) -> String {
        format!("{group}-{member}")
    }

    /// The name in its group of the member whose object is called so, if it can be one of that group.
    pub fn name_in<'a>(group: &str, object: &'a str) -> Option<&'a str> {
        object.strip_prefix(group)?.strip_prefix('-').filter(|name| !name.is_empty())
    }

    /// The name of its Lease, its ServiceAccount, and of what allows the account what it needs. It says whose they are, in a
    /// namespace that has others.
    pub fn account_name(group: &str, member: &str) -> String {
        format!("bowline-member-{group}-{member}")
    }
}

/// What a node is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Desired {
    /// The version that it is to run. Without one, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionName>,
    /// It is to finish what it has begun before it lets go of what leaves it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub drain: bool,
    /// It is to stop by itself when its lease has lapsed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fenced: bool,
    /// The devices that it is master of, or was, each with the epoch in which it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub devices: Vec<Duty>,
    /// The partitions of its version, and who is in each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 256),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["partition"])
    )]
    pub partitions: Vec<Partition>,
}

/// How the software of a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum MemberPhase {
    /// It does not run, and nothing is to.
    #[default]
    Stopped,
    /// It has been started, and its probe was not good yet.
    Starting,
    /// It runs, and its probe is good.
    Running,
    /// It runs, and its probe is not good.
    Unhealthy,
    /// It finishes what it has begun.
    Draining,
    /// It has finished what it had begun, and acts for nothing.
    Drained,
    /// It is told to end.
    Stopping,
    /// It died, and is started again.
    Restarting,
    /// It died more often than it is started again soon, or cannot be started.
    Failed,
}

/// What is so on a node. Its agent writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct MemberStatus {
    /// The generation of the spec that the agent has seen: it acts for nothing that is not desired there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The version that it runs, or ran last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionName>,
    /// How its software is.
    #[serde(default)]
    pub phase: MemberPhase,
    /// The devices that it acts for, each with the epoch in which it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub devices: Vec<ActingFor>,
    /// The greatest epoch of each device that the agent has seen. A hub that knows only smaller ones was restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub seen: Vec<SeenEpoch>,
    /// What it waits for, or what is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
}

/// A device that a node is master of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Duty {
    /// The device.
    pub name: ShortName,
    /// The epoch.
    pub epoch: Epoch,
    /// It is taken from the node, which is to let go, and not to act for it in this epoch any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub leaving: bool,
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

/// The greatest epoch of a device that a node has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "self.epoch >= oldSelf.epoch",
    "message": "what was seen is not unseen"
}]))]
pub struct SeenEpoch {
    /// The device.
    pub name: ShortName,
    /// The epoch.
    pub epoch: Epoch,
}
