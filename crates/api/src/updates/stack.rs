//! One line of versions on one cluster.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::update::{Plan, UpdatePhase};
use crate::conditions::Conditions;
use crate::{Digest, Epoch, Name, ShortName, Version, is_false};

/// How versions get onto a cluster.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Stack",
    doc = "One line of versions on one cluster. The newest valid version wins, one worker applies it, and what fails is rolled back to the last good one.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "StackStatus",
    selectable = ".spec.cluster",
    printcolumn = r#"{"name": "Cluster", "type": "string", "jsonPath": ".spec.cluster"}"#,
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Applied", "type": "integer", "jsonPath": ".status.appliedVersion"}"#,
    printcolumn = r#"{"name": "LastGood", "type": "integer", "jsonPath": ".status.lastGood.version"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name.size() <= 63")
        .message("the name of a stack is put into labels and has at most 63 characters"),
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of a stack is what is known of its cluster, and is never taken away")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self.cluster == oldSelf.cluster",
    "message": "a stack stays on its cluster: make a new Stack for another one"
}]))]
pub struct StackSpec {
    /// The Cluster that the versions are applied to. It cannot be changed.
    pub cluster: ShortName,
    /// How long a version may take to become healthy before it is rolled back.
    #[serde(default = "timeout_seconds")]
    #[schemars(range(min = 1, max = 86400))]
    pub timeout_seconds: u32,
    /// A version that deletes more objects than this fails before it changes anything.
    #[serde(default = "max_deletions")]
    #[schemars(range(max = 100_000))]
    pub max_deletions: u32,
    /// So many Updates that have ended are left, beside that of the last good version; the oldest are deleted.
    #[serde(default = "history_limit")]
    #[schemars(range(max = 10_000))]
    pub history_limit: u32,
    /// What to do about objects that somebody else has changed.
    #[serde(default)]
    pub drift: Drift,
    /// How often to look for such objects: a change is told, or put right, at the next look. There is one more look half a minute
    /// after a version and after a repair; what is found otherwise then is put right, whatever `drift` says.
    #[serde(default = "drift_interval_seconds")]
    #[schemars(range(min = 1, max = 86400))]
    pub drift_interval_seconds: u32,
    /// No version is started. What runs, or rolls back, finishes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// Versions that were rolled back, and whose content may be submitted again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000), extend("x-kubernetes-list-type" = "set"))]
    pub released: Vec<Version>,
}

fn timeout_seconds() -> u32 {
    300
}

fn max_deletions() -> u32 {
    10
}

fn history_limit() -> u32 {
    100
}

fn drift_interval_seconds() -> u32 {
    600
}

impl Default for StackSpec {
    fn default() -> StackSpec {
        StackSpec {
            cluster: ShortName::default(),
            timeout_seconds: timeout_seconds(),
            max_deletions: max_deletions(),
            history_limit: history_limit(),
            drift: Drift::default(),
            drift_interval_seconds: drift_interval_seconds(),
            paused: false,
            released: Vec::new(),
        }
    }
}

/// What to do about objects that somebody else has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Drift {
    /// Say so.
    #[default]
    Report,
    /// Put them right.
    Repair,
}

/// What a stack does now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum StackPhase {
    /// Nothing.
    #[default]
    Idle,
    /// A version is checked and planned; nothing was changed yet.
    Starting,
    /// A version is being applied, or becomes healthy.
    Partial,
    /// The last good version is put back.
    RollingBack,
    /// A rollback cannot work; the message says why.
    Stalled,
}

/// The one truth about a stack: what its updates show is made from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [
    {"rule": "self.epoch >= oldSelf.epoch", "message": "an epoch never falls"},
    {
        "rule": "!has(oldSelf.lastSubmittedVersion) || (has(self.lastSubmittedVersion) && self.lastSubmittedVersion >= oldSelf.lastSubmittedVersion)",
        "message": "a number of a version is never given twice"
    },
    {
        "rule": "!has(self.lastGood) || (has(self.lastSubmittedVersion) && self.lastGood.version <= self.lastSubmittedVersion)",
        "message": "the last good version is one that was submitted"
    },
    {
        "rule": "!has(self.lastGood) || !has(self.quarantined) || !self.quarantined.exists(bad, bad.digest == self.lastGood.digest)",
        "message": "what is last good is never quarantined"
    }
]))]
pub struct StackStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// What it does now.
    #[serde(default)]
    pub phase: StackPhase,
    /// The version that this is about: the one that is planned or applied, or that has failed and is rolled back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working: Option<Version>,
    /// Its worker was lost once, and another one goes on with it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub resumed: bool,
    /// The version whose objects are on the cluster, or were being applied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_version: Option<Version>,
    /// The version that a failure is rolled back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_good: Option<LastGood>,
    /// The version that is to be on the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Version>,
    /// The number that was given last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_submitted_version: Option<Version>,
    /// Raised whenever another worker takes over. It never falls.
    #[serde(default)]
    pub epoch: Epoch,
    /// How often anything was begun; what is made on the cluster carries it.
    #[serde(default)]
    pub attempt: u64,
    /// What was touched since last good was verified, by the digest of the list, which is kept as Secrets in
    /// bowline-system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory: Option<Digest>,
    /// Content that was rolled back: it is not applied again until a person releases it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 100),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["digest"])
    )]
    pub quarantined: Vec<Quarantined>,
    /// What is known of versions that have not ended, or whose updates do not show it yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 2000),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["version"])
    )]
    pub requests: Vec<Request>,
    /// What it waits for, or why it stopped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// Ready, Reconciling, Stalled, Paused and Drifted.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// A version that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct LastGood {
    /// Its number.
    pub version: Version,
    /// Its content.
    pub digest: Digest,
}

/// Content that was rolled back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Quarantined {
    /// The content.
    pub digest: Digest,
    /// The version that failed with it.
    pub version: Version,
    /// Why it failed.
    #[schemars(length(max = 4096))]
    pub reason: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

/// What is known of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Request {
    /// Its number.
    pub version: Version,
    /// The Update that asks for it, in the same namespace.
    pub update: Name,
    /// Which of those that had that name.
    #[schemars(length(max = 128))]
    pub uid: String,
    /// Its content.
    pub digest: Digest,
    /// It is applied only if this is its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<Digest>,
    /// How far it has come.
    pub phase: UpdatePhase,
    /// What it changes on the cluster, if it was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Why, if it has ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4096))]
    pub reason: String,
}
