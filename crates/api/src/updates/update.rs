//! A request for a version.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conditions::Conditions;
use crate::{Digest, ShortName, Version};

/// What is asked for.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Update",
    doc = "A request to put a bundle onto the cluster of a stack. It is numbered in the order of submission; deleting it cancels it only before it is processed.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "UpdateStatus",
    selectable = ".spec.stack",
    printcolumn = r#"{"name": "Stack", "type": "string", "jsonPath": ".spec.stack"}"#,
    printcolumn = r#"{"name": "Version", "type": "integer", "jsonPath": ".status.version"}"#,
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Progress", "type": "string", "jsonPath": ".status.progress.summary"}"#,
    printcolumn = r#"{"name": "Message", "type": "string", "jsonPath": ".status.message"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("!has(oldSelf.status) || has(self.status)")
        .message("the status of an update says that it was numbered, and is never taken away")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self == oldSelf",
    "message": "an update cannot be changed: submit another one"
}]))]
pub struct UpdateSpec {
    /// The Stack, in the same namespace.
    pub stack: ShortName,
    /// The digest of the Bundle, in the same namespace.
    pub bundle: Digest,
    /// Apply only if the plan is still this one. Without it, whatever the plan is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<Digest>,
}

/// How far an update has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum UpdatePhase {
    /// Nobody has looked at it yet.
    #[default]
    Submitted,
    /// It failed a check; the message says which. Nothing was changed.
    Rejected,
    /// It waits for its turn.
    Queued,
    /// A newer valid version took its place.
    Superseded,
    /// It is planned; nothing was changed yet.
    Processing,
    /// It could not be applied. Nothing was changed.
    Failed,
    /// It is being applied, or becomes healthy.
    Partial,
    /// It is on the cluster, and healthy.
    Succeeded,
    /// It failed half-way; the last good version is put back, or could not be.
    PartialFailure,
    /// It failed half-way, and the last good version was put back.
    RolledBack,
}

/// What became of an update, as its stack knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "!has(oldSelf.version) || (has(self.version) && self.version == oldSelf.version)",
    "message": "a version keeps its number"
}]))]
pub struct UpdateStatus {
    /// The generation of the spec that the rest of this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Its number in the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// How far it has come.
    #[serde(default)]
    pub phase: UpdatePhase,
    /// What it waits for, or why it ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub message: String,
    /// What it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// How much of that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// When a worker began with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Time>,
    /// Ready, Reconciling and Stalled.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
}

/// What an update changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Plan {
    /// What the plan is known by.
    pub hash: Digest,
    /// How many objects it creates.
    pub create: u32,
    /// How many objects it changes.
    pub change: u32,
    /// How many objects it deletes.
    pub delete: u32,
}

impl Plan {
    /// How many objects it touches.
    pub fn total(&self) -> u32 {
        self.create.saturating_add(self.change).saturating_add(self.delete)
    }
}

/// How much of a plan is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "self.done <= self.total",
    "message": "no more is done than there is to do"
}]))]
pub struct Progress {
    /// How many objects are as they should be.
    pub done: u32,
    /// How many objects there are.
    pub total: u32,
    /// Both in one word for people: `3/10`.
    #[schemars(length(max = 32))]
    pub summary: String,
}

impl Progress {
    /// So many of so many.
    pub fn new(done: u32, total: u32) -> Progress {
        Progress { done, total, summary: format!("{done}/{total}") }
    }
}
