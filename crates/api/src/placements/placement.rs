//! Where a namespace is to be.

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grant::{GrantEvent, GrantUser, Recovering, is_none};
use super::sync_target::Taint;
use crate::conditions::Conditions;
use crate::{Epoch, ShortName};

/// Where a namespace is to be.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Placement",
    doc = "Puts a namespace, with the workloads and volumes in it, onto a target, and moves it. A volume is never usable on two targets.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "PlacementStatus",
    printcolumn = r#"{"name": "Holder", "type": "string", "jsonPath": ".status.holder"}"#,
    printcolumn = r#"{"name": "Desired", "type": "string", "jsonPath": ".status.desired"}"#,
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Epoch", "type": "integer", "jsonPath": ".status.epoch"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name == 'placement'")
        .message("a namespace has one Placement, and that is called placement: change that one"),
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of a placement is who runs the namespace, and is never taken away")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "!(has(self.target) && has(self.targetSelector))",
    "message": "give either the target or a selector of targets; with neither, any target will do"
}]))]
pub struct PlacementSpec {
    /// The targets to choose from, by their labels. What is on one stays there as long as it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_selector: Option<TargetSelector>,
    /// This target and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ShortName>,
    /// The taints of targets that are put up with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "atomic"))]
    pub tolerations: Vec<Taint>,
    /// When it may be taken from where it runs. What runs nowhere, also because its target is fenced, goes at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_window: Option<MoveWindow>,
    /// A target that it may go to at any time all the same: that is what `bowline place move --now` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_now_to: Option<ShortName>,
}

impl Placement {
    /// The name of the one Placement of a namespace.
    pub const NAME: &'static str = "placement";
}

/// Some hours of some days, in UTC. A move that has begun goes on when they are over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "self.from != self.to",
    "message": "a window shuts at another time than it opens; to move at any time, give none"
}]))]
pub struct MoveWindow {
    /// The days on which it opens; every day, if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 7), extend("x-kubernetes-list-type" = "set"))]
    pub days: Vec<Weekday>,
    /// When it opens, as in `22:00`.
    #[schemars(length(min = 5, max = 5), extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub from: String,
    /// When it shuts; that is on the next day, if it is earlier.
    #[schemars(length(min = 5, max = 5), extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub to: String,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[allow(missing_docs, reason = "they say what they are")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    /// All of them.
    pub const ALL: [Weekday; 7] = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
        Weekday::Sunday,
    ];
}

/// The targets to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct TargetSelector {
    /// Labels that a target has to have, each with this value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "crate::selector::labels")]
    pub match_labels: BTreeMap<String, String>,
}

/// How far a namespace has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum PlacementPhase {
    /// It is on no target.
    #[default]
    Pending,
    /// It is on a target.
    Granted,
    /// A target is to let go of it.
    Releasing,
    /// A target that cannot let go of it is to be kept from it.
    Fencing,
    /// It is given to the next target.
    Moving,
    /// It is deleted, and its volumes are.
    Deleting,
}

/// What is to become of the volumes of a placement that is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum End {
    /// They stay: somebody has deleted the Placement, and not its namespace.
    #[default]
    Keep,
    /// Their data is deleted: somebody has deleted the namespace.
    Delete,
}

/// The one truth about who runs a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {"rule": "self.epoch >= oldSelf.epoch", "message": "an epoch never falls"},
    {
        "rule": "has(oldSelf.recovering) || !has(self.users) || self.users.all(user, (has(oldSelf.users) && oldSelf.users.exists(old, old.target == user.target && old.epoch == user.epoch)) || user.epoch > oldSelf.epoch)",
        "message": "who is granted something new is granted it in a greater epoch"
    },
    {
        "rule": "has(oldSelf.recovering) || !has(oldSelf.users) || !has(self.users) || oldSelf.users.size() == 0 || self.users.all(user, oldSelf.users.exists(old, old.target == user.target))",
        "message": "a holder lets go, or is fenced, before there is another one"
    }
]))]
pub struct PlacementStatus {
    /// The generation of the spec that phase, message and conditions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The target that it is to be on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desired: Option<ShortName>,
    /// The target that it is on: the first of the users, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<ShortName>,
    /// Raised with every target that gets it. It never falls.
    #[serde(default)]
    pub epoch: Epoch,
    /// Who runs its workloads, or may still run them: one target at most, unless a restore has left it open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["target"])
    )]
    pub users: Vec<GrantUser>,
    /// The hub was restored, and does not know yet who uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovering: Option<Recovering>,
    /// The last restore of the hub after which it was found out who uses it.
    #[serde(default, skip_serializing_if = "is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub restore: u64,
    /// It is deleted, and this is what becomes of its volumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// How far it has come.
    #[serde(default)]
    pub phase: PlacementPhase,
    /// What has happened to it, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "atomic"))]
    pub history: Vec<GrantEvent>,
    /// What it waits for, or why it stopped, and what to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready, Reconciling and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}
