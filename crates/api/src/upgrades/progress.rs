//! The one truth about a group.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        "rule": "self.upgradeState == 'Inactive' || (has(self.servingVersion) && has(self.fromVersion) && has(self.targetVersion))",
        "message": "an upgrade is from one version to another, and one of them serves"
    },
    {
        "rule": "has(self.fromVersion) == has(self.targetVersion)",
        "message": "fromVersion and targetVersion come and go together"
    },
    {
        "rule": "has(self.failedVersion) == has(self.failedGeneration)",
        "message": "failedVersion and failedGeneration come and go together"
    },
    {
        "rule": "self.attempt >= oldSelf.attempt",
        "message": "a number of an attempt is never given twice"
    }
]))]
pub struct NodeGroupStatus {
    /// The generation of the spec that message and conditions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// How far the upgrade has come.
    #[serde(default)]
    pub upgrade_state: UpgradeState,
    /// The version that serves: masters of devices have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving_version: Option<VersionName>,
    /// The version that the upgrade comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_version: Option<VersionName>,
    /// The version that the upgrade goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_version: Option<VersionName>,
    /// How often an upgrade was begun.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub attempt: u64,
    /// Who is in the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub members: Vec<GroupMember>,
    /// Who is being moved to another version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_hand: Option<InHand>,
    /// Who was moved last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_moved: Option<ShortName>,
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
    /// The version that was rolled back from; mode Automatic does not try it again until the spec changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_version: Option<VersionName>,
    /// The generation of the spec that it was rolled back in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub failed_generation: Option<i64>,
    /// This upgrade went forward after a rollback: a crash no longer rolls it back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forwarded: bool,
    /// When the upgrade went on last: what deadlines and soaking are counted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_progress_time: Option<Time>,
    /// What was said to the last command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<AnsweredCommand>,
    /// What it waits for, or why it stopped, and what to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// How many members there are of each sort.
    #[serde(default)]
    pub counts: Counts,
    /// Ready, Reconciling, Stalled and HubSuspect.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// A member's place in its group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct GroupMember {
    /// Its name in the group.
    pub name: ShortName,
    /// The uid of its Member: one that is made again is another one.
    #[schemars(length(max = 128))]
    pub uid: String,
    /// The version that it has, or is to have.
    pub version: VersionName,
    /// What was found out about it, and acted on.
    #[serde(default)]
    pub state: MemberState,
}

/// What was found out about a member, and acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum MemberState {
    /// Nothing.
    #[default]
    Present,
    /// Its software died more often than it is started again.
    Crashed,
    /// Nobody has heard of it for longer than its lease.
    Lost,
}

/// A member that is being moved to another version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct InHand {
    /// Who.
    pub member: ShortName,
    /// To which version.
    pub to: VersionName,
    /// It has let go of its devices, and is to run that version now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub moving: bool,
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
    /// The member that is its master, or was last; none if nobody ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master: Option<ShortName>,
    /// Raised with every new master; a device refuses a smaller one.
    pub epoch: Epoch,
    /// It is taken from its master, and not given to anybody yet.
    #[serde(default, skip_serializing_if = "is_false")]
    pub leaving: bool,
}

/// What was said to a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct AnsweredCommand {
    /// The command's id.
    #[schemars(length(min = 1, max = 64))]
    pub id: String,
    /// Why it was refused, and what to do. Without it, it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = AnsweredCommand::LONGEST_REFUSAL))]
    pub refused: Option<String>,
}

impl AnsweredCommand {
    /// The most characters of [`refused`](AnsweredCommand::refused).
    pub const LONGEST_REFUSAL: usize = 32_768;
}

/// How many members there are of each sort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(inline)]
pub struct Counts {
    /// All that were not forgotten.
    pub members: u32,
    /// Those that are neither crashed nor lost.
    pub present: u32,
    /// Those at the target version.
    pub upgraded: u32,
    /// How many are present of how many, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 64))]
    pub summary: String,
}
