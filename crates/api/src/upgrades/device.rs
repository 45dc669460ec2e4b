//! Something that needs exactly one master.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Epoch, ShortName};

/// Which device it is.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bowline.dev",
    version = "v1alpha1",
    kind = "Device",
    doc = "Something that needs exactly one master, as its group knows it. It is there for readers: the truth is in the NodeGroup.",
    namespaced,
    derive = "Default",
    derive = "PartialEq",
    category = "bowline",
    status = "DeviceStatus",
    selectable = ".spec.group",
    printcolumn = r#"{"name": "Group", "type": "string", "jsonPath": ".spec.group"}"#,
    printcolumn = r#"{"name": "Master", "type": "string", "jsonPath": ".status.master"}"#,
    printcolumn = r#"{"name": "Epoch", "type": "integer", "jsonPath": ".status.epoch"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#,
    validation = kube::core::Rule::new("self.metadata.name == self.spec.group + '-' + self.spec.device")
        .message("a Device is named after its group and itself: group-device")
)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "self == oldSelf",
    "message": "a device stays what it is"
}]))]
pub struct DeviceSpec {
    /// The NodeGroup, in the same namespace.
    pub group: ShortName,
    /// The device, as it is named in the group.
    pub device: ShortName,
}

/// Who is its master.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct DeviceStatus {
    /// The member that is its master; none while it is handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master: Option<ShortName>,
    /// The epoch in which it is.
    #[serde(default)]
    pub epoch: Epoch,
}
