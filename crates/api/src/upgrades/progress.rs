//! The one truth about a group.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node_group::Verb;
use crate::conditions::Conditions;
use crate::{Epoch, ShortName, VersionName, is_false};

/// How far an upgrade has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum UpgradeState {
    /// There is none: one version everywhere.
    #[default]
    Inactive,
    /// Nodes go to the next version, and the old one serves.
    Initialized,
    /// The next version serves.
    Upgraded,
    /// Nodes go back.
    RolledBack,
}

/// The one truth about a group: what members are told, and what devices show, is made from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {
        "rule": "self.upgradeState == 'Inactive' || (has(self.servingVersion) && has(self.targetVersion))",
        "message": "an upgrade is from one version to another"
    }
]))]
pub struct NodeGroupStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// How far the upgrade has come.
    #[serde(default)]
    pub upgrade_state: UpgradeState,
    /// The version that serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving_version: Option<VersionName>,
    /// The version that the upgrade goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_version: Option<VersionName>,
    /// Who is a member of which partition, for each version that runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 2),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["version"])
    )]
    pub memberships: Vec<Membership>,
    /// Who is the master of which device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub devices: Vec<DeviceMaster>,
    /// Members that crashed, and whose crash was acted on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["member"])
    )]
    pub lost: Vec<LostMember>,
    /// The version that was rolled back from in mode Automatic; it is not tried again until the spec changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_version: Option<VersionName>,
    /// This upgrade went forward after a rollback: a crash no longer rolls it back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forwarded: bool,
    /// What became of the last command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_command: Option<LastCommand>,
    /// What it waits for, or why it stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// How many nodes there are of each sort.
    #[serde(default)]
    pub counts: Counts,
    /// Ready, Reconciling and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// The partitions of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Membership {
    /// The version.
    pub version: VersionName,
    /// Its partitions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 256),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["partition"])
    )]
    pub partitions: Vec<Partition>,
}

/// The members of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Partition {
    /// Its number, from 0.
    pub partition: u32,
    /// Its members. A crash changes nothing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 15), extend("x-kubernetes-list-type" = "set"))]
    pub members: Vec<ShortName>,
}

/// Who is the master of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {"rule": "self.epoch >= oldSelf.epoch", "message": "an epoch never falls"},
    {
        "rule": "!has(self.master) || (has(oldSelf.master) && self.master == oldSelf.master) || self.epoch > oldSelf.epoch",
        "message": "another master has a greater epoch"
    }
]))]
pub struct DeviceMaster {
    /// The device.
    pub name: ShortName,
    /// The member that is its master; none while it is handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master: Option<ShortName>,
    /// Raised with every new master; a device refuses a smaller one.
    pub epoch: Epoch,
}

/// A member that crashed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct LostMember {
    /// The member.
    pub member: ShortName,
    /// The version that it was last seen at.
    pub version: VersionName,
}

/// What became of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct LastCommand {
    /// Its id.
    #[schemars(length(min = 1, max = 64))]
    pub id: String,
    /// What was to be done.
    pub verb: Verb,
    /// Whether it was.
    pub outcome: CommandOutcome,
    /// Why not, and what to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
}

/// Whether a command was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum CommandOutcome {
    /// It was.
    #[default]
    Accepted,
    /// It may not be done now.
    Refused,
}

/// How many nodes there are of each sort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(inline)]
pub struct Counts {
    /// All that were not forgotten.
    pub members: u32,
    /// Those whose lease is valid.
    pub live: u32,
    /// Those that are live, run and are well.
    pub healthy: u32,
    /// Those at the target version.
    pub upgraded: u32,
}
