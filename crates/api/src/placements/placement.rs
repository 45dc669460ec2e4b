//! Where a namespace is to be.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sync_target::TaintEffect;
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
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "!(has(self.target) && has(self.targetSelector))",
    "message": "give either the target or a selector of targets; with neither, any target will do"
}]))]
pub struct PlacementSpec {
    /// The targets to choose from, by their labels. What is on one stays there as long as it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::selector::schema")]
    pub target_selector: Option<LabelSelector>,
    /// This target and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ShortName>,
    /// The taints of targets that are put up with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "atomic"))]
    pub tolerations: Vec<Toleration>,
    /// When a move may begin. Without this at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_window: Option<MoveWindow>,
    /// Not this namespace but those with these labels: each gets a Placement like this one, unless it has one. Only in
    /// bowline-system; elsewhere it is not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::selector::schema")]
    pub namespace_selector: Option<LabelSelector>,
}

/// A taint, or several, that are put up with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {
        "rule": "self.operator != 'Exists' || !has(self.value) || self.value == ''",
        "message": "Exists is about any value: leave the value out"
    },
    {
        "rule": "self.operator != 'Equal' || (has(self.key) && self.key != '')",
        "message": "Equal is about one key: name it"
    }
]))]
pub struct Toleration {
    /// The key; with Exists and without this, all taints.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 316))]
    pub key: String,
    /// Whether the value matters.
    #[serde(default)]
    pub operator: TolerationOperator,
    /// The value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 63))]
    pub value: String,
    /// The effect; without this, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<TaintEffect>,
}

/// Whether the value of a taint matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum TolerationOperator {
    /// It does.
    #[default]
    Equal,
    /// It does not.
    Exists,
}

/// When a move may begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct MoveWindow {
    /// From this time of the day on, in UTC: `22:30`.
    #[schemars(length(max = 5), extend("pattern" = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub start: String,
    /// For so long.
    #[schemars(range(min = 1, max = 1440))]
    pub minutes: u32,
    /// On the days on which it starts. Without this on all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 7), extend("x-kubernetes-list-type" = "set"))]
    pub days: Vec<Weekday>,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Weekday {
    /// Monday.
    #[default]
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
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
    /// Its volumes are bound on the next target.
    Moving,
    /// It is deleted, and its volumes are.
    Deleting,
}

/// Where a namespace is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct PlacementStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// The target that it is to be on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desired: Option<ShortName>,
    /// The target that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<ShortName>,
    /// Raised with every target that gets it. It never falls.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-validations" = [{
        "rule": "self >= oldSelf",
        "message": "an epoch never falls"
    }]))]
    pub epoch: Epoch,
    /// How far it has come.
    #[serde(default)]
    pub phase: PlacementPhase,
    /// What it waits for, or why it stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}
