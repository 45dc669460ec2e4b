//! A group of nodes and the versions of its software.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::progress::NodeGroupStatus;
use super::software::Software;
use crate::conditions::Reason;
use crate::{ShortName, VersionName, is_false};

/// What is to run on the nodes, and how it gets there.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "NodeGroup",
    doc = "Nodes that serve together, and the versions of their software. They are upgraded one at a time while they serve; until the commit there is a way back.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    shortname = "ng",
    category = "bowline",
    status = "NodeGroupStatus",
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.upgradeState"}"#,
    printcolumn = r#"{"name": "Serving", "type": "string", "jsonPath": ".status.servingVersion"}"#,
    printcolumn = r#"{"name": "Target", "type": "string", "jsonPath": ".status.targetVersion"}"#,
    printcolumn = r#"{"name": "Members", "type": "string", "jsonPath": ".status.counts.summary"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}"#,
    printcolumn = r#"{"name": "Mode", "type": "string", "jsonPath": ".spec.mode", "priority": 1}"#,
    printcolumn = r#"{"name": "Moving", "type": "string", "jsonPath": ".status.inHand.member", "priority": 1}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name.size() <= 63")
        .message("the name of a group is put into labels and has at most 63 characters"),
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of a group is what is known of its nodes, and is never taken away"),
    // What is written to the status changes no spec, so that no controller is held up by it.
    validation = kube::core::Rule::new(
        "!has(self.status) || oldSelf.spec.versions.all(old, self.spec.versions.exists(new, new.name == old.name) || !( \
         (has(self.status.servingVersion) && self.status.servingVersion == old.name) || \
         (has(self.status.fromVersion) && self.status.fromVersion == old.name) || \
         (has(self.status.targetVersion) && self.status.targetVersion == old.name) || \
         (has(self.status.members) && self.status.members.exists(member, member.version == old.name))))"
    )
    .message("a version that serves, that a member has or that an upgrade is about stays declared: take it out when no member has it, or forget the members that do")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "!has(self.version) || self.versions.exists(known, known.name == self.version)",
        "message": "version is none of versions: declare it there, or name one that is",
        "fieldPath": ".version"
    },
    {
        "rule": "self.versions.filter(new, oldSelf.versions.exists(old, old.name == new.name)).map(new, new.name) == oldSelf.versions.filter(old, self.versions.exists(new, new.name == old.name)).map(old, old.name)",
        "message": "versions keep their order, for a group goes from each to the next: put new ones after or between them",
        "fieldPath": ".versions"
    },
    {
        "rule": "has(self.cluster) == has(oldSelf.cluster) && (!has(self.cluster) || self.cluster == oldSelf.cluster)",
        "message": "a group stays on its cluster: make a new NodeGroup for another one"
    },
    {
        "rule": "has(self.partitions) == has(oldSelf.partitions) && (!has(self.partitions) || self.partitions == oldSelf.partitions)",
        "message": "partitions cannot be changed, for memberships are recorded by them: make a new NodeGroup"
    }
]))]
pub struct NodeGroupSpec {
    /// The Cluster that the nodes belong to: no update is applied to it while they are upgraded. It cannot be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ShortName>,
    /// The versions in their order. A group goes from one to the next, and back to the one before. What was declared stays as it is.
    #[schemars(
        length(min = 1, max = 64),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub versions: Vec<Software>,
    /// The version that is wanted: what a new group begins with, and where mode Automatic goes. Without it a group begins with the
    /// first, and stays where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionName>,
    /// Who decides on the next step.
    #[serde(default)]
    pub mode: Mode,
    /// Who decides that there is no way back any more.
    #[serde(default)]
    pub commit: CommitMode,
    /// How long an upgraded group has to stay healthy before commit Automatic commits it.
    #[serde(default = "soak_seconds")]
    #[schemars(range(max = 2_592_000))]
    pub soak_seconds: u32,
    /// When the crash of a node rolls the group back.
    #[serde(default)]
    pub on_crash: OnCrash,
    /// How many nodes may be out of service at a time; those that are broken count.
    #[serde(default = "max_unavailable")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_unavailable: u32,
    /// What the nodes are members of. Without it: of nothing, a plain rolling upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<Partitions>,
    /// The names of what needs exactly one master at a time: shards, switches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), extend("x-kubernetes-list-type" = "set"))]
    pub devices: Vec<ShortName>,
    /// Upgrade also where no node can be taken out without an interruption of service.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_interruption: bool,
    /// In mode Automatic, how long no step may be possible before the group turns round.
    #[serde(default = "progress_deadline_seconds")]
    #[schemars(range(min = 1, max = 86400))]
    pub progress_deadline_seconds: u32,
    /// What a person wants to be done next. `bowline upgrade` sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
}

fn soak_seconds() -> u32 {
    300
}

fn max_unavailable() -> u32 {
    1
}

fn progress_deadline_seconds() -> u32 {
    600
}

impl NodeGroup {
    /// The reason of the condition Reconciling when nothing is left to do until a person says how it goes on.
    pub const AWAITS_COMMAND: Reason = Reason::new("AwaitsCommand");
}

impl Default for NodeGroupSpec {
    fn default() -> NodeGroupSpec {
        NodeGroupSpec {
            cluster: None,
            versions: Vec::new(),
            version: None,
            mode: Mode::default(),
            commit: CommitMode::default(),
            soak_seconds: soak_seconds(),
            on_crash: OnCrash::default(),
            max_unavailable: max_unavailable(),
            partitions: None,
            devices: Vec::new(),
            allow_interruption: false,
            progress_deadline_seconds: progress_deadline_seconds(),
            command: None,
        }
    }
}

/// Who decides on the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Mode {
    /// A person, by commands.
    #[default]
    Manual,
    /// Bowline, until the wanted version serves.
    Automatic,
}

/// Who decides that there is no way back any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum CommitMode {
    /// A person.
    #[default]
    Manual,
    /// Bowline, when the group was healthy for long enough.
    Automatic,
}

/// When the crash of a node rolls the group back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum OnCrash {
    /// When the node ran the new version.
    #[default]
    NewVersion,
    /// Whatever it ran.
    Any,
    /// Never.
    Never,
}

/// What the nodes are members of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Partitions {
    /// How many partitions there are.
    #[schemars(range(min = 1, max = 256))]
    pub count: u32,
    /// How many members each has, where there are so many nodes.
    #[schemars(range(min = 1, max = 15))]
    pub size: u32,
}

/// What a person wants to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {
        "rule": "has(self.member) == (self.verb in ['Node', 'Forget'])",
        "message": "Node and Forget need a member, and no other command has one"
    },
    {
        "rule": "self.id != oldSelf.id || self == oldSelf",
        "message": "another command needs another id, or it would not be seen as one"
    }
]))]
pub struct Command {
    /// What to do.
    pub verb: Verb,
    /// To which node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<ShortName>,
    /// What tells this command from the one before, so that it is done once.
    #[schemars(length(min = 1, max = 64))]
    pub id: String,
}

/// What can be done with a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Verb {
    /// Begin an upgrade to the next version.
    #[default]
    Init,
    /// Let the next version serve.
    Run,
    /// Take one node to the other version.
    Node,
    /// There is no way back any more.
    Commit,
    /// Go back.
    Rollback,
    /// End what was rolled back.
    Reset,
    /// Go on with what was rolled back, where the old version cannot serve.
    Forward,
    /// A lost node does not come back.
    Forget,
}
