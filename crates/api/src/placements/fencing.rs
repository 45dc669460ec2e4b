//! How a target is kept from its volumes, and who wants it.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Name, Namespace, ShortName, is_false};

/// What can keep a target from its volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "has(self.hook) != has(self.networkFence)",
    "message": "a target is fenced by a hook or by a NetworkFence: give one of them"
}]))]
pub struct Fencing {
    /// A program of whoever runs the hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<FenceHook>,
    /// An object of CSI-addons on another cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_fence: Option<NetworkFence>,
}

/// A program that fences and unfences. It is called with `fence`, `unfence` or `status`, the target and the epoch; `status` prints
/// `fenced` or `open`. One that is asked in a smaller epoch than it has seen has to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct FenceHook {
    /// The name of the file, in the directory that `--fence-hooks` of `bowline up` and `bowline controllers` names. No other program is run.
    #[schemars(length(min = 1, max = 63), extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9_.-]*$"))]
    pub name: String,
    /// How long it may take, each time; then it is killed.
    #[serde(default = "timeout_seconds")]
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u32,
}

fn timeout_seconds() -> u32 {
    30
}

impl Default for FenceHook {
    fn default() -> FenceHook {
        FenceHook { name: String::new(), timeout_seconds: timeout_seconds() }
    }
}

/// A NetworkFence (`csiaddons.openshift.io/v1alpha1`), which keeps addresses from the storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "has(self.className) != has(self.driver)",
    "message": "give a className, or a driver with its secret"
}]))]
pub struct NetworkFence {
    /// The Cluster that it is made on: one that works when this target does not, and that reaches the same storage.
    pub cluster: ShortName,
    /// The addresses of the target's nodes.
    #[schemars(length(min = 1, max = 64), inner(length(min = 1, max = 64)), extend("x-kubernetes-list-type" = "atomic"))]
    pub cidrs: Vec<String>,
    /// The NetworkFenceClass there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<Name>,
    /// The CSI driver, where there is no class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<Name>,
    /// The Secret that the driver needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretName>,
    /// What else the driver is told.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "crate::selector::texts")]
    pub parameters: BTreeMap<String, String>,
}

/// A Secret by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct SecretName {
    /// Its name.
    pub name: Name,
    /// Its namespace.
    pub namespace: Namespace,
}

/// That a person wants a target to be fenced, and who. It ends when this is taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct FenceRequest {
    /// The person. `bowline place fence` writes who the server says that it is.
    #[schemars(length(min = 1, max = 256))]
    pub by: String,
    /// When.
    pub at: Time,
    /// The person has seen to it that nothing on the target can write to its volumes, and that nothing will until it is
    /// unfenced, and vouches for that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirmed: bool,
}
